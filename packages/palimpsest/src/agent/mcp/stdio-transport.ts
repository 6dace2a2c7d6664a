import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { endProcessGroup } from "../base/process-group.js";
import { createMessageLines } from "./message-lines.js";
import { oneLine } from "../base/plain-text.js";
import type { McpTransport } from "./server-config.js";

/** What is told of the processes that are started, so that none of them outlives the host. */
export interface ProcessWatch {
  readonly started: (leader: number) => void;
  readonly ended: (leader: number) => void;
}

export interface StdioOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads one line; throws on what is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
  readonly watch: ProcessWatch;
  /** Between asking the server's processes to end and killing them. */
  readonly killGraceMs: number;
  readonly longestMessage: number;
}

export interface EndingTransport extends Transport {
  /** Why it is over, as the rest of a sentence about the server; empty while it is not. */
  readonly ending: () => string;
}

/** Variables that every server gets. Keys of the host are not among them. */
const SHARED_VARIABLES = `
  HOME LOGNAME PATH SHELL TERM USER LANG LC_ALL TZ TMPDIR
  APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES
  SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR
`
  .trim()
  .split(/\s+/);

const KEPT_STDERR = 2_000;
/** How long what a server wrote before its end may take to arrive. */
const DRAIN_MS = 100;
/** For a server to go by itself when its input is closed. */
const LEAVE_MS = 200;

/**
 * A server as a process with a group of its own, spoken to over its standard streams, one message a line. Lines
 * that are no messages are skipped. When it ends or is closed, whatever it started in its group ends too.
 */
export function createStdioTransport(
  server: Extract<McpTransport, { kind: "stdio" }>,
  options: StdioOptions,
): EndingTransport {
  let child: ChildProcessWithoutNullStreams | undefined;
  let ending = "";
  let isClosing = false;
  let stderr = "";
  let reaped: Promise<void> | undefined;
  const lines = createMessageLines(options.longestMessage);

  const transport: EndingTransport = {
    ending: () => ending,
    start: () =>
      new Promise((resolve, reject) => {
        const started = start(server, options);
        child = started;
        started.once("spawn", () => {
          if (started.pid !== undefined) options.watch.started(started.pid);
          resolve();
        });
        started.once("error", (error) => {
          ending = `it could not be started (${(error as NodeJS.ErrnoException).code ?? error.message})`;
          reject(error);
        });
        started.once("exit", (code, signal) => {
          const isOurDoing = isClosing && signal !== null;
          if (ending === "" && !isOurDoing) ending = describeExit(code, signal, stderr);
          void drained(started).then(() => reap(started));
        });
        for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on("error", () => {});
        started.stdout.on("data", receive);
        started.stderr.on("data", (chunk: Buffer) => {
          stderr = (stderr + chunk.toString("utf8")).slice(-KEPT_STDERR);
        });
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child === undefined || !child.stdin.writable) return reject(new Error("Not connected"));
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      }),
    async close() {
      if (child === undefined) return;
      isClosing = true;
      child.stdin.end();
      if (isRunning(child)) await Promise.race([ended(child), sleep(LEAVE_MS, undefined, { ref: false })]);
      await reap(child);
    },
  };

  /** Once for each process: its group is ended, and whoever listens is told. */
  function reap(process: ChildProcessWithoutNullStreams): Promise<void> {
    reaped ??= endAll(process, options).then(() => transport.onclose?.());
    return reaped;
  }

  function receive(chunk: Buffer): void {
    if (isClosing) return;
    try {
      for (const line of lines.add(chunk)) {
        const message = parsed(line, options.parse);
        if (message !== undefined) transport.onmessage?.(message);
      }
    } catch (error) {
      if (error instanceof RangeError && child !== undefined) {
        isClosing = true;
        ending = error.message;
        void reap(child);
      } else transport.onerror?.(error as Error);
    }
  }
  return transport;
}

function start(
  { command, args = [], env = {} }: Extract<McpTransport, { kind: "stdio" }>,
  { cwd, environment }: StdioOptions,
): ChildProcessWithoutNullStreams {
  const shared = SHARED_VARIABLES.map((name) => [name, environment[name]] as const);
  return spawn(command, args, {
    cwd,
    env: { ...Object.fromEntries(shared), ...env },
    stdio: "pipe",
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

function parsed(line: string, parse: StdioOptions["parse"]): JSONRPCMessage | undefined {
  if (line.trim() === "") return undefined;
  try {
    return parse(line);
  } catch {
    return undefined;
  }
}

const isRunning = ({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

const ended = (child: ChildProcessWithoutNullStreams): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });

/** Resolves when its outputs are closed; children of its own may hold them open for longer than is waited. */
const drained = (child: ChildProcessWithoutNullStreams): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });

async function endAll(
  child: ChildProcessWithoutNullStreams,
  { watch, killGraceMs }: StdioOptions,
): Promise<void> {
  const { pid } = child;
  if (pid !== undefined) {
    const left = isRunning(child) ? ended(child) : undefined;
    if (process.platform === "win32") child.kill();
    else await endProcessGroup(pid, killGraceMs);
    await left;
    watch.ended(pid);
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

function describeExit(code: number | null, signal: string | null, stderr: string): string {
  const how = code === null ? `it was ended by ${signal ?? "a signal"}` : `it exited with code ${code}`;
  const last = oneLine(stderr.trim().split("\n").at(-1) ?? "", 200);
  return last === "" ? how : `${how} (its last words: ${last})`;
}
