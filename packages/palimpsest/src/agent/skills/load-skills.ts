import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { FileAccess } from "@palimpsest/core/restore";
import { createFileAccess } from "../../files/file-access.js";
import type { Fields } from "../base/fields.js";
import { projectDirectories } from "../base/project-directories.js";
import { markdownBelow } from "../base/markdown-below.js";
import { readFrontMatter, textList } from "../base/front-matter.js";
import type { Skill } from "./skill.js";
import { shellCommandsIn } from "./template-parts.js";

export interface LoadSkillsOptions {
  readonly cwd: string;
  readonly home: string;
  /** The folder of this program's own settings of the person. */
  readonly configDirectory: string;
  /** Whether the skills of the project count. Default: they do. */
  readonly includesProject?: boolean;
  /** Files that rules forbid to read are no skills. */
  readonly isDenied?: (path: string) => boolean;
}

export interface LoadedSkills {
  /** One for each name, in the order of the names. */
  readonly skills: readonly Skill[];
  /** A sentence for each that was left out. */
  readonly problems: readonly string[];
  /** Reads them again, as the person's or the project's. */
  readonly filesOf: (skill: Skill) => FileAccess;
}

const MAX_SKILLS = 500;
/** Nobody writes more into one file, and nobody would look through them. */
const MAX_COMMANDS = 20;
const MAX_CHARACTERS = 400_000;
const skillName = /^[\p{L}\p{N}_][\p{L}\p{N}_:.-]{0,63}$/u;

interface Found {
  readonly path: string;
  readonly name: string;
  readonly source: Skill["source"];
}

/**
 * The skills of the person and of the project. Of one name the person's counts before the project's, the one
 * nearest to the working directory before others, and a skill before a command. Links that lead out of home, or
 * out of the project, are not followed. Never rejects.
 */
export async function loadSkills(options: LoadSkillsOptions): Promise<LoadedSkills> {
  const { cwd, home, configDirectory, includesProject = true, isDenied } = options;
  const directories = includesProject ? await projectDirectories(cwd, home) : [];
  const access = (roots: readonly string[]): FileAccess =>
    createFileAccess({
      roots,
      maxLines: Number.MAX_SAFE_INTEGER,
      maxCharacters: MAX_CHARACTERS,
      ...(isDenied === undefined ? {} : { isDenied }),
    });
  const files = { user: access([home, configDirectory]), project: access([directories[0] ?? cwd, cwd]) };
  const nearest = directories.toReversed();
  const found = (
    await Promise.all([
      foldersIn(join(configDirectory, "skills"), "user"),
      foldersIn(join(home, ".claude", "skills"), "user"),
      foldersIn(join(home, ".agents", "skills"), "user"),
      commandsIn(join(home, ".claude", "commands"), "user"),
      ...nearest.flatMap((directory) =>
        [".palimpsest", ".claude", ".agents"].map((folder) =>
          foldersIn(join(directory, folder, "skills"), "project"),
        ),
      ),
      ...nearest.map((directory) => commandsIn(join(directory, ".claude", "commands"), "project")),
    ])
  ).flat();
  const problems: string[] = [];
  const read = await Promise.all(
    found.slice(0, MAX_SKILLS).map(async (one) => {
      const skill = await readSkill(one, files[one.source]);
      if (typeof skill !== "string") return [skill];
      if (skill !== "") problems.push(skill);
      return [];
    }),
  );
  if (found.length > MAX_SKILLS)
    problems.push(`only the first ${MAX_SKILLS} of ${found.length} skills are known`);
  const byName = new Map<string, Skill>();
  for (const skill of read.flat()) if (!byName.has(skill.name)) byName.set(skill.name, skill);
  const skills = Array.from(byName.values()).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { skills, problems, filesOf: ({ source }) => files[source] };
}

async function foldersIn(directory: string, source: Skill["source"]): Promise<readonly Found[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map(({ name }) => ({ path: join(directory, name, "SKILL.md"), name, source }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Commands in folders are named after these, too: `front/page.md` is `front:page`. */
async function commandsIn(directory: string, source: Skill["source"]): Promise<readonly Found[]> {
  const paths = await markdownBelow(directory, 3);
  return paths.map((path) => {
    const folders = relative(directory, dirname(path))
      .split(sep)
      .filter((part) => part !== "");
    return { path, name: [...folders, basename(path).replace(/\.md$/i, "")].join(":"), source };
  });
}

/** A sentence for what is no skill; an empty one where there is nothing to say. */
async function readSkill({ path, name, source }: Found, files: FileAccess): Promise<Skill | string> {
  const outcome = await files.read(path, { isNumbered: false });
  if (outcome.kind === "gone") return "";
  const shown = JSON.stringify(path);
  if (outcome.kind !== "text") return `the skill ${shown} was left out: it cannot be read (${outcome.kind})`;
  const { fields, body } = await readFrontMatter(outcome.content);
  const named = word(fields, "name");
  const known = [named, name].find((one) => one !== undefined && skillName.test(one));
  if (known === undefined) return `the skill ${shown} was left out: its name is not one that can be called`;
  const description = [word(fields, "description"), word(fields, "when_to_use")].filter(
    (text) => text !== undefined,
  );
  const commands = shellCommandsIn(body);
  if (commands.length > MAX_COMMANDS)
    return `the skill ${shown} was left out: it runs more than ${MAX_COMMANDS} commands`;
  const hint = word(fields, "argument-hint");
  const model = word(fields, "model");
  return {
    name: known,
    description: oneLine(description.length > 0 ? description.join(" ") : firstLine(body)),
    path,
    directory: dirname(path),
    source,
    isForModel: fields["disable-model-invocation"] !== true,
    isForPerson: fields["user-invocable"] !== false,
    allowedTools: (textList(fields["allowed-tools"]) ?? []).flatMap(rulesIn),
    commands,
    ...(hint === undefined ? {} : { argumentHint: oneLine(hint) }),
    ...(model === undefined ? {} : { model }),
  };
}

function word(fields: Fields, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Some write blanks between rules where others write commas; blanks in brackets belong to a rule. */
function rulesIn(text: string): readonly string[] {
  const rules: string[] = [];
  let rule = "";
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth <= 0 && /\s/.test(character)) {
      if (rule !== "") rules.push(rule);
      rule = "";
    } else rule += character;
  }
  return rule === "" ? rules : [...rules, rule];
}

const firstLine = (body: string): string =>
  body
    .split("\n", 50)
    .map((line) => line.replace(/^[#\s]+/, "").trim())
    .find((line) => line !== "") ?? "";

/** Descriptions stand in lines of the prompt and on screens. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g, " ")
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .trim();
