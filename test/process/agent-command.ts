import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The built command. */
export const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** Folders of one test: where the agent works, and where it keeps what it makes. */
export interface Folders {
  readonly root: string;
  readonly work: string;
  readonly data: string;
  readonly remove: () => Promise<void>;
}

export async function makeFolders(name: string): Promise<Folders> {
  const root = await mkdtemp(join(tmpdir(), `palimpsest-${name}-`));
  const work = join(root, "work");
  await mkdir(work);
  return {
    root,
    work,
    data: join(root, "data"),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface StartedCommand {
  readonly child: ChildProcess;
  /** Everything until its end. */
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts the command in a test's folders, with nothing of this process's environment but the path. The folder is
 * trusted unless a test says otherwise.
 */
/** What the command is told of its machine, and no more. */
export const environmentOf = ({ root, data }: Pick<Folders, "root" | "data">): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: root,
  PALIMPSEST_HOME: data,
  ANTHROPIC_API_KEY: "any",
  PALIMPSEST_TRUST: "1",
});

export function startCommand(
  { root, work, data }: Folders,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input?: string,
): StartedCommand {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: work,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    env: { ...environmentOf({ root, data }), ...env },
  });
  child.stdin?.on("error", () => {}).end(input);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  return { child, ended };
}

/** What every run of the agent without a screen here has in common. */
export const agentArguments = ({
  url,
  window,
  model = "claude-sonnet-5",
}: {
  readonly url: string;
  readonly window?: number;
  readonly model?: string;
}): readonly string[] => [
  "--base-url",
  url,
  "--model",
  model,
  "--permission-mode",
  "bypassPermissions",
  "--output-format",
  "stream-json",
  ...(window === undefined ? [] : ["--window", String(window)]),
];

export const runCommand = (
  folders: Folders,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input?: string,
): Promise<Ended> => startCommand(folders, args, env, input).ended;

export type Line = Readonly<Record<string, unknown>>;

export const linesOf = (text: string): readonly Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

export interface RunningSimulator {
  readonly url: string;
  /** The records of its requests, the oldest first. */
  readonly requests: () => Promise<readonly SimulatedRequest[]>;
  readonly stop: () => Promise<void>;
}

interface SimulatedRequest {
  readonly sequence: number;
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly faults: readonly string[];
  readonly journey: string;
  readonly verdict: { readonly cacheRead: number; readonly input: number } | null;
}

/** `palimpsest simulate` on a port of its own. */
export async function startSimulate(args: readonly string[]): Promise<RunningSimulator> {
  const child = spawn(process.execPath, [main, "simulate", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close");
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([first]) => String(first)),
    ended.then(() => ""),
  ]);
  if (!line.startsWith("listening on ")) throw new Error(`the simulator did not start: ${stderr}`);
  const url = line.slice("listening on ".length);
  return {
    url,
    async requests() {
      const answer = (await (await fetch(`${url}/__sim/requests?since=0`)).json()) as {
        readonly requests: readonly SimulatedRequest[];
      };
      return answer.requests;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
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

/** The transcripts of a test's sessions. */
export async function transcriptsIn(
  data: string,
): Promise<readonly { readonly directory: string; readonly id: string; readonly path: string }[]> {
  const projects = join(data, "projects");
  const entries = await readdir(projects, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map(({ parentPath, name }) => ({
      directory: parentPath,
      id: name.slice(0, -".jsonl".length),
      path: join(parentPath, name),
    }));
}
