import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A file in which a subagent's part of a conversation stands. */
export interface SubagentFile {
  readonly file: string;
  /** As the agent calls it. */
  readonly agent: string;
}

const TRANSCRIPT = /^(.+)\.jsonl$/;
/** Of a recording with requests: what was recorded of the subagents of `palimpsest-X.jsonl` stands beside it. */
const RECORDING = /^palimpsest-.+(?=\.jsonl$)/;
const AGENT = /-(agent-[\da-f]{8})\.jsonl$/;

/**
 * Where the subagents of a conversation of ours are kept, in the order of their names: a session's folder has those of its transcript.
 * None for the files of other programs.
 */
export async function subagentFiles(path: string): Promise<readonly SubagentFile[]> {
  const name = basename(path);
  const [recording] = RECORDING.exec(name) ?? [];
  if (recording !== undefined && !AGENT.test(name)) {
    return filesIn(dirname(path), (file) =>
      file.startsWith(`${recording}-agent-`) ? AGENT.exec(file)?.[1] : undefined,
    );
  }
  const projects = dirname(dirname(path));
  const [, id] = TRANSCRIPT.exec(name) ?? [];
  if (basename(projects) !== "projects" || id === undefined) return [];
  return filesIn(join(dirname(projects), "sessions", id, "agents"), (file) => TRANSCRIPT.exec(file)?.[1]);
}

async function filesIn(
  folder: string,
  agentOf: (name: string) => string | undefined,
): Promise<readonly SubagentFile[]> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.toSorted().flatMap((name) => {
    const agent = agentOf(name);
    return agent === undefined ? [] : [{ file: join(folder, name), agent }];
  });
}
