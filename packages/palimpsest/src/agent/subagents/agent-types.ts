import { basename, join } from "node:path";
import { createFileAccess } from "../../files/file-access.js";
import { projectDirectories } from "../memory-files/project-directories.js";
import { markdownBelow } from "../memory-files/rule-files.js";
import { readFrontMatter, textList } from "../skills/front-matter.js";

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

/** Kinds that are there and those that people have written: `agents/*.md` of the project and of the person. Never rejects. */
export async function loadAgentTypes(options: {
  readonly cwd: string;
  readonly home: string;
  readonly configDirectory: string;
  readonly includesProject?: boolean;
}): Promise<readonly AgentType[]> {
  const { cwd, home, configDirectory, includesProject = true } = options;
  const project = includesProject ? await projectDirectories(cwd) : [];
  const types = new Map<string, AgentType>([general, explore].map((type) => [type.name, type]));
  const own = { roots: [home, configDirectory] };
  const places = [
    { folder: join(home, ".claude", "agents"), ...own },
    { folder: join(configDirectory, "agents"), ...own },
    ...project.flatMap((directory) =>
      [".claude", ".palimpsest"].map((name) => ({
        folder: join(directory, name, "agents"),
        roots: [project[0] ?? cwd, cwd],
      })),
    ),
  ];
  for (const { folder, roots } of places) {
    const files = createFileAccess({
      roots,
      maxCharacters: MAX_CHARACTERS,
      maxLines: Number.MAX_SAFE_INTEGER,
    });
    for (const path of await markdownBelow(folder, 1).catch(() => [])) {
      const outcome = await files.read(path, { isNumbered: false });
      if (outcome.kind !== "text") continue;
      const type = await typeOf(outcome.content, basename(path, ".md"));
      if (type !== undefined) types.set(type.name, type);
    }
  }
  return [...types.values()];
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
