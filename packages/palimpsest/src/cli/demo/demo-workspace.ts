import { randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { findAreas, type DemoArea } from "./demo-areas.js";
import { writeMadeUpProject } from "./made-up-project.js";
import { skillFile } from "./demo-story.js";

/** A folder of the demo's own, in which an agent can do what it likes. Whoever made it removes it. */
export interface DemoWorkspace {
  /** Where the agent works. */
  readonly work: string;
  /** A home without settings of anybody. */
  readonly home: string;
  readonly data: string;
  readonly areas: readonly DemoArea[];
  /** A file with a name that nobody can guess, relative to where the agent works. */
  readonly ledger: string;
  /** What every file has to begin with. */
  readonly keptLine: string;
  /** What the skill wants modules to end with. */
  readonly reviewedLine: string;
  /** Whether this is a copy of the project's own sources; else it was made up. */
  readonly isRepository: boolean;
  readonly remove: () => Promise<void>;
}

const MOST_BYTES = 10 * 1024 * 1024;
const MOST_LEVELS_UP = 6;
const words = [
  "amber",
  "basalt",
  "cobalt",
  "damask",
  "ember",
  "fjord",
  "garnet",
  "heron",
  "indigo",
  "juniper",
];

/** Copies the sources of this project, or makes some up where they are not there. */
export async function makeDemoWorkspace(): Promise<DemoWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "palimpsest-demo-")));
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 });
  try {
    const [work, home, data] = [join(root, "work"), join(root, "home"), join(root, "data")];
    await Promise.all([work, home, data].map((folder) => mkdir(folder)));
    const repository = findRepository();
    if (repository !== undefined) await copySources(repository, work);
    let areas = repository === undefined ? [] : await findAreas(work);
    const isRepository = areas.length > 0;
    if (!isRepository) {
      await writeMadeUpProject(work);
      areas = await findAreas(work);
    }
    const ledger = `fixtures/ledger-${randomBytes(3).toString("hex")}.json`;
    const keptLine = `// kept: ${words[randomInt(words.length)] ?? "amber"}-${randomInt(100, 1000)}`;
    const reviewedLine = `export const reviewed = "${randomBytes(4).toString("hex")}";`;
    await mkdir(join(work, "fixtures"));
    await writeFile(join(work, ledger), JSON.stringify({ areas: areas.map(({ name }) => name) }, null, 2));
    const skill = join(work, ".claude", "skills", "module-form");
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, "SKILL.md"), skillFile(reviewedLine));
    return { work, home, data, areas, ledger, keptLine, reviewedLine, isRepository, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Above where this program lies; undefined where it was installed without its sources. */
function findRepository(): string | undefined {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < MOST_LEVELS_UP; level += 1) {
    if (existsSync(join(directory, "packages", "core", "src", "index.ts"))) return directory;
    directory = dirname(directory);
  }
  return undefined;
}

/** Sources and documents, no links, and not more than there is room for. */
async function copySources(repository: string, work: string): Promise<void> {
  const packages = await readdir(join(repository, "packages"));
  const folders = [...packages.map((name) => join("packages", name, "src")), "docs"];
  let bytes = 0;
  for (const folder of folders) {
    const from = join(repository, folder);
    if (!existsSync(from)) continue;
    await mkdir(dirname(join(work, folder)), { recursive: true });
    await cp(from, join(work, folder), {
      recursive: true,
      async filter(source) {
        if (relative(repository, source).split(/[/\\]/).includes("node_modules")) return false;
        const entry = await stat(source).catch(() => undefined);
        if (entry === undefined || !(entry.isFile() || entry.isDirectory())) return false;
        if (entry.isFile()) bytes += entry.size;
        return bytes <= MOST_BYTES;
      },
    });
  }
}
