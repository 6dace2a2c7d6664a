import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../bin/palimpsest.mjs", import.meta.url));

/** Folders of one agent: where it works, and where it keeps what it makes. */
export interface AgentFolders {
  readonly home: string;
  readonly work: string;
  readonly data: string;
}

export interface StartedAgent {
  readonly child: ChildProcess;
  /** Everything until its end. */
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the agent without a screen, with nothing of this process's environment but the path. */
export function startAgent({ home, work, data }: AgentFolders, args: readonly string[]): StartedAgent {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [command, "-p", ...args], {
    cwd: work,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH, HOME: home, PALIMPSEST_HOME: data, ANTHROPIC_API_KEY: "any" },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

/** Every file below a folder with its text, by its path from there. */
export async function filesBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.toSorted().map(async (path) => [relative(folder, path), await readFile(path, "utf8")] as const),
  );
  return Object.fromEntries(texts);
}

export interface StoredTranscript {
  readonly directory: string;
  readonly id: string;
  readonly path: string;
}

/** The transcripts of an agent's sessions; none where it has stored nothing. */
export async function transcriptsIn({ data }: AgentFolders): Promise<readonly StoredTranscript[]> {
  const options = { withFileTypes: true, recursive: true } as const;
  const entries = await readdir(join(data, "projects"), options).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map(({ parentPath, name }) => ({
      directory: parentPath,
      id: name.slice(0, -".jsonl".length),
      path: join(parentPath, name),
    }));
}
