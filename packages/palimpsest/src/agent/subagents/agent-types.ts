import { basename, join } from "node:path";
import { createFileAccess } from "../../files/file-access.js";
import { projectDirectories } from "../base/project-directories.js";
import { markdownBelow } from "../base/markdown-below.js";
import { realPathOf } from "../base/real-path.js";
import { readFrontMatter, textList } from "../base/front-matter.js";

/** A kind of subagent. */
export interface AgentType {
  readonly name: string;
  readonly description: string;
  /** What it is told in place of the main thread's first words. */
  readonly prompt: string;
  /** Names of the tools it has; left out for all. */
  readonly tools?: readonly string[];
  readonly model?: string;
}

const general: AgentType = {
  name: "general",
  description: "For any task that can be done apart: searching through much, research, a change of its own.",
  prompt:
    "You are a subagent of Palimpsest. Another agent gave you a task; nobody can answer questions. Do all of it with your tools. Your last words are what the other agent gets, and all it gets: say what you found or did, with the paths and facts it needs, briefly.",
};

const explore: AgentType = {
  name: "explore",
  description: "Only reads: finds out where something is, how something works, what uses what.",
  prompt:
    "You are a subagent of Palimpsest that only looks. Another agent wants to know something about these files; nobody can answer questions. Search broadly, read what matters, change nothing. Your last words are what the other agent gets: the answer, with paths and line numbers.",
  tools: ["Read", "Grep", "Glob", "Bash", "Recall"],
};

const MAX_CHARACTERS = 40_000;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u;

interface AgentTypePlaces {
  readonly cwd: string;
  readonly home: string;
  readonly configDirectory: string;
  readonly includesProject?: boolean;
  /** Files that rules forbid to read are none of these. */
  readonly isDenied?: (path: string) => boolean;
}

/** Kinds that are there and those that people have written: `agents/*.md` of the project and of the person. Never rejects. */
export async function loadAgentTypes(options: AgentTypePlaces): Promise<readonly AgentType[]> {
  const types = new Map<string, AgentType>([general, explore].map((type) => [type.name, type]));
  for (const { type } of await readAgentTypes(options)) types.set(type.name, type);
  return [...types.values()];
}

/** A kind of a repository that takes the place of one that was there, or that the person has written. */
export interface ShadowingAgentType {
  readonly type: AgentType;
  readonly file: string;
}

export async function shadowingAgentTypes(options: AgentTypePlaces): Promise<readonly ShadowingAgentType[]> {
  const read = await readAgentTypes(options);
  const own = read.filter(({ isOfProject }) => !isOfProject);
  const names = new Set([general, explore, ...own.map(({ type }) => type)].map(({ name }) => name));
  const places = new Set(own.map(({ file }) => realPathOf(file)));
  // Where the person's home is the repository, its kinds are listed twice.
  return read.filter(
    ({ type, file, isOfProject }) => isOfProject && names.has(type.name) && !places.has(realPathOf(file)),
  );
}

interface ReadAgentType extends ShadowingAgentType {
  readonly isOfProject: boolean;
}

/** In the order in which they count: of one name the last. */
async function readAgentTypes(options: AgentTypePlaces): Promise<readonly ReadAgentType[]> {
  const { cwd, home, configDirectory, includesProject = true, isDenied } = options;
  const project = includesProject ? await projectDirectories(cwd, home) : [];
  const own = { roots: [home, configDirectory], isOfProject: false };
  const places = [
    { folder: join(home, ".claude", "agents"), ...own },
    { folder: join(configDirectory, "agents"), ...own },
    ...project.flatMap((directory) =>
      [".claude", ".palimpsest"].map((name) => ({
        folder: join(directory, name, "agents"),
        roots: [project[0] ?? cwd, cwd],
        isOfProject: true,
      })),
    ),
  ];
  const found: ReadAgentType[] = [];
  for (const { folder, roots, isOfProject } of places) {
    const files = createFileAccess({
      roots,
      maxCharacters: MAX_CHARACTERS,
      maxLines: Number.MAX_SAFE_INTEGER,
      ...(isDenied === undefined ? {} : { isDenied }),
    });
    for (const file of await markdownBelow(folder, 1).catch(() => [])) {
      const outcome = await files.read(file, { isNumbered: false });
      if (outcome.kind !== "text") continue;
      const type = await typeOf(outcome.content, basename(file, ".md"));
      if (type !== undefined) found.push({ type, file, isOfProject });
    }
  }
  return found;
}

async function typeOf(text: string, fileName: string): Promise<AgentType | undefined> {
  const { fields, body } = await readFrontMatter(text);
  const name = typeof fields["name"] === "string" ? fields["name"].trim() : fileName;
  const description = typeof fields["description"] === "string" ? fields["description"].trim() : "";
  if (!NAME.test(name) || body.trim() === "") return undefined;
  const tools = textList(fields["tools"]);
  const { model } = fields;
  return {
    name,
    description,
    prompt: body.trim(),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(typeof model === "string" && model !== "inherit" && model.trim() !== ""
      ? { model: model.trim() }
      : {}),
  };
}
