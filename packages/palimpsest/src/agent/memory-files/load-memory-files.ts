import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { FileAccess } from "@palimpsest/core/restore";
import type { HookInput } from "../hooks/hooks.js";
import { createFileAccess } from "../../files/file-access.js";
import { realPathOf, wayInside } from "../base/real-path.js";
import { readFrontMatter, textList } from "../base/front-matter.js";
import { findImports } from "./find-imports.js";
import { createInstructionTest } from "./instruction-test.js";
import { projectDirectories } from "../base/project-directories.js";
import { MAX_CHARACTERS, MAX_DEPTH } from "./memory-limits.js";
import { deepImport, importLoop, longMemory, refusedMemory, type MemoryProblem } from "./memory-problem.js";
import { ruleFilesIn } from "./rule-files.js";

export type MemoryKind = "User" | "Project" | "Local";

export interface MemoryFile {
  /** Absolute. */
  readonly path: string;
  readonly kind: MemoryKind;
  readonly content: string;
  /** The file that asked for it. */
  readonly parent?: string;
}

type InstructionsLoaded = HookInput<"InstructionsLoaded">;

interface MemoryPlaces {
  readonly cwd: string;
  readonly home: string;
  /** The folder of this program's own settings of the person. */
  readonly configDirectory: string;
}

export interface LoadMemoryOptions extends MemoryPlaces {
  /** For the hooks. Default `session_start`. */
  readonly reason?: "session_start" | "compact";
  /** Characters of one file. Default 40,000. */
  readonly maxCharacters?: number;
  /** Whether the person's own count. Default: they do. */
  readonly includesUser?: boolean;
  /** Whether the project's count, those of `CLAUDE.local.md` aside. Default: they do. */
  readonly includesProject?: boolean;
  /** Whether `CLAUDE.local.md` counts. Default: it does. */
  readonly includesLocal?: boolean;
  /** Files that rules forbid to read are neither memory files nor imported. */
  readonly isDenied?: (path: string) => boolean;
}

export interface LoadedMemory {
  /** The general before the special, imported ones after those that asked for them. */
  readonly files: readonly MemoryFile[];
  /** What the hook `InstructionsLoaded` is told, one for each file. */
  readonly loaded: readonly InstructionsLoaded[];
  /** What is wrong with files that are there, each once. */
  readonly problems: readonly MemoryProblem[];
}

const MAX_FILES = 100;

interface Candidate {
  readonly path: string;
  readonly kind: MemoryKind;
}

/**
 * The instructions that people left: their own, then those of the project from the repository's root down to the
 * working directory. The same text comes once, under whatever names. The person's own files import from their home
 * and from the project; a repository's import from the repository alone, and nothing of its dependencies: one that was
 * just cloned could ask for keys. Links are followed first. Never rejects; what cannot be read is left out.
 */
export async function loadMemoryFiles(options: LoadMemoryOptions): Promise<LoadedMemory> {
  const { cwd, home, reason = "session_start", maxCharacters = MAX_CHARACTERS } = options;
  const { includesUser = true, includesProject = true, includesLocal = true } = options;
  const directories = includesProject || includesLocal ? await projectDirectories(cwd, home) : [];
  const personal = join(home, ".claude");
  const roots = [directories[0] ?? resolve(cwd), resolve(cwd)];
  const isInstruction = createInstructionTest({ workingDirectory: cwd, root: roots[0] ?? cwd });
  const accessTo = (places: readonly string[]): FileAccess =>
    createFileAccess({
      roots: places,
      maxLines: Number.MAX_SAFE_INTEGER,
      maxCharacters,
      ...(options.isDenied === undefined ? {} : { isDenied: options.isDenied }),
    });
  const project = accessTo(roots);
  const own = accessTo([home, options.configDirectory]);
  const ownImports = accessTo([home, options.configDirectory, ...(includesProject ? roots : [])]);
  const files: MemoryFile[] = [];
  const loaded: InstructionsLoaded[] = [];
  const seenPaths = new Set<string>();
  const seenTexts = new Set<string>();
  const problems = new Map<string, MemoryProblem>();
  const complain = (problem: MemoryProblem | undefined): void => {
    if (problem !== undefined) problems.set(problem.message, problem);
  };

  const read = async (files: FileAccess, path: string, isImport: boolean): Promise<string | undefined> => {
    const outcome = await files.read(path, { maxCharacters, isNumbered: false });
    // A word after an @ may name a folder, what lies elsewhere is left out by rule, and so is what a rule forbids to read.
    const isMeant = !isImport || (outcome.kind !== "outside" && outcome.kind !== "unreadable");
    if (outcome.kind !== "text" && isMeant && options.isDenied?.(path) !== true)
      complain(refusedMemory(path, outcome.kind));
    if (outcome.kind !== "text" || outcome.content.trim() === "") return undefined;
    if (outcome.isTruncated) complain(longMemory(path, maxCharacters));
    return outcome.isTruncated
      ? `${outcome.content}\n[cut here: read the file for the rest]`
      : outcome.content;
  };

  const isIn = (places: readonly string[], path: string): boolean =>
    places.some((place) => wayInside(realPathOf(resolve(place)), path) !== undefined);

  /** What a file may import. What the person imported from elsewhere sees what lies beside it. */
  const importsOf = (kind: MemoryKind, real: string): FileAccess => {
    if (kind !== "User") return project;
    if (isIn([personal, options.configDirectory], real)) return ownImports;
    return isIn(roots, real) ? project : accessTo([dirname(real)]);
  };

  const add = async (
    { path, kind }: Candidate,
    { access, chain, parent }: { access: FileAccess; chain: readonly string[]; parent?: string },
  ): Promise<void> => {
    const real = await realpath(path).catch(() => path);
    if (parent !== undefined && chain.includes(real)) complain(importLoop(parent, path));
    if (seenPaths.has(real) || files.length >= MAX_FILES) return;
    const text = await read(access, path, parent !== undefined);
    if (text === undefined) return;
    if (parent !== undefined && chain.length > MAX_DEPTH) {
      complain(deepImport(parent, path));
      return;
    }
    seenPaths.add(real);
    const content = text.trim();
    if (!seenTexts.has(content)) {
      seenTexts.add(content);
      files.push({ path, kind, content, ...(parent === undefined ? {} : { parent }) });
      loaded.push({
        filePath: path,
        memoryType: kind,
        loadReason: parent === undefined ? reason : "include",
        ...(parent === undefined ? {} : { parentFilePath: parent }),
      });
    }
    const next = importsOf(kind, real);
    for (const name of findImports(content)) {
      const target = name.startsWith("~/") ? resolve(home, name.slice(2)) : resolve(dirname(path), name);
      if (next !== project || (await isInstruction(target)))
        await add({ path: target, kind }, { access: next, chain: [...chain, real], parent: path });
    }
  };

  for (const candidate of includesUser ? personalCandidates(options) : [])
    await add(candidate, { access: own, chain: [] });
  for (const path of includesUser ? await lastingRules(personal, own) : []) {
    await add({ path, kind: "User" }, { access: own, chain: [] });
  }
  for (const directory of directories) {
    for (const candidate of projectCandidates(directory)) {
      const counts = candidate.kind === "Local" ? includesLocal : includesProject;
      if (counts && (await isInstruction(candidate.path)))
        await add(candidate, { access: project, chain: [] });
    }
    if (!includesProject) continue;
    // Where the project is the person's home its rules are the person's, and stand above.
    for (const path of await lastingRules(join(directory, ".claude"), project)) {
      if (await isInstruction(path)) await add({ path, kind: "Project" }, { access: project, chain: [] });
    }
  }
  return { files, loaded, problems: [...problems.values()] };
}

const personalCandidates = ({ home, configDirectory }: MemoryPlaces): readonly Candidate[] =>
  [
    join(configDirectory, "AGENTS.md"),
    join(home, ".claude", "AGENTS.md"),
    join(home, ".claude", "CLAUDE.md"),
  ].map((path) => ({ path, kind: "User" }));

const projectCandidates = (directory: string): readonly Candidate[] => [
  { path: join(directory, "AGENTS.md"), kind: "Project" },
  { path: join(directory, "CLAUDE.md"), kind: "Project" },
  { path: join(directory, ".claude", "CLAUDE.md"), kind: "Project" },
  { path: join(directory, "CLAUDE.local.md"), kind: "Local" },
];

/** Rules that hold for every path. */
async function lastingRules(folder: string, files: FileAccess): Promise<readonly string[]> {
  const lasting: string[] = [];
  for (const path of await ruleFilesIn(folder)) {
    const outcome = await files.read(path, { maxCharacters: MAX_CHARACTERS, isNumbered: false });
    if (outcome.kind !== "text") continue;
    const { fields } = await readFrontMatter(outcome.content);
    if ((textList(fields["paths"]) ?? []).length === 0) lasting.push(path);
  }
  return lasting;
}
