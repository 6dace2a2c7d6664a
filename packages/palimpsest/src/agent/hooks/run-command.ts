import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { LONGEST_TIMER } from "../../providers/interruptible.js";
import { endProcessGroup } from "../base/process-group.js";

/** A command, and what it is given. */
export interface CommandRun {
  /** For the shell; with `args` the program to start, without one. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For stdin, which is closed after it. Whoever does not read it is not made to. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Between asking its processes to end and killing them. */
  readonly killGraceMs: number;
}

/** How it ended. */
export type CommandEnding =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "killed"; readonly signal: string; readonly stderr: string }
  | { readonly kind: "not-started"; readonly message: string }
  | { readonly kind: "timed-out" }
  | { readonly kind: "aborted" };

/** How much of each output is kept; the rest is read and thrown away. */
const MAX_OUTPUT_BYTES = 1_000_000;

/** How long outputs may be silent after the exit of a command whose own children still hold them open. */
const SILENCE_MS = 100;
const MAX_DRAIN_MS = 2_000;

/**
 * Runs a command in a process group of its own. Never rejects. When the time is over or the signal says so, the
 * whole group is ended. A command that exits is done: what it leaves in the background runs on, unheard.
 */
export function runCommand(run: CommandRun): Promise<CommandEnding> {
  if (run.signal?.aborted === true) return Promise.resolve({ kind: "aborted" });
  let child: ChildProcessWithoutNullStreams;
  try {
    child = start(run);
  } catch (error) {
    return Promise.resolve({ kind: "not-started", message: (error as Error).message });
  }
  return new Promise((resolve) => {
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    let isEnding = false;

    const finish = (ending: CommandEnding): void => {
      isEnding = true;
      clearTimeout(timer);
      run.signal?.removeEventListener("abort", onAbort);
      child.stdin.destroy();
      stdout.release();
      stderr.release();
      child.unref();
      resolve(ending);
    };
    const end = (kind: "timed-out" | "aborted"): void => {
      if (isEnding) return;
      isEnding = true;
      void endGroup(child, run.killGraceMs).then(() => finish({ kind }));
    };
    const onAbort = (): void => end("aborted");
    const timer = setTimeout(() => end("timed-out"), Math.min(run.timeoutMs, LONGEST_TIMER));
    run.signal?.addEventListener("abort", onAbort, { once: true });

    child.on("error", ({ message }) => {
      if (!isEnding) finish({ kind: "not-started", message });
    });
    child.on("exit", (code, signal) => {
      if (isEnding) return;
      isEnding = true;
      void drained(child, [stdout, stderr]).then(() =>
        finish(
          code === null
            ? { kind: "killed", signal: signal ?? "a signal", stderr: stderr.text() }
            : { kind: "exited", code, stdout: stdout.text(), stderr: stderr.text() },
        ),
      );
    });
    // A command that does not read its input closes the pipe; that is its right.
    child.stdin.on("error", () => {});
    child.stdin.end(run.input);
  });
}

function start({ command, args, cwd, env }: CommandRun): ChildProcessWithoutNullStreams {
  const isWindows = process.platform === "win32";
  const options = { cwd, env, stdio: "pipe", detached: !isWindows, windowsHide: true } as const;
  if (args !== undefined) return spawn(command, args, options);
  return isWindows ? spawn(command, { ...options, shell: true }) : spawn("/bin/sh", ["-c", command], options);
}

async function endGroup(child: ChildProcessWithoutNullStreams, graceMs: number): Promise<void> {
  if (child.pid === undefined) return;
  if (process.platform === "win32") child.kill();
  else await endProcessGroup(child.pid, graceMs);
}

interface Collected {
  readonly text: () => string;
  /** Bytes so far, kept or not. */
  readonly bytes: () => number;
  /** What comes from now on is thrown away, and holds nobody up. */
  readonly release: () => void;
}

function collect(stream: Readable): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let kept = 0;
  let isReleased = false;
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (isReleased || kept >= MAX_OUTPUT_BYTES) return;
    const part = chunk.subarray(0, MAX_OUTPUT_BYTES - kept);
    kept += part.length;
    chunks.push(part);
  });
  return {
    // As a stream, so that a character cut in two at the end is left out.
    text: () => new TextDecoder().decode(Buffer.concat(chunks), { stream: bytes > kept }),
    bytes: () => bytes,
    release() {
      isReleased = true;
      if (stream instanceof Socket) stream.unref();
    },
  };
}

/** Resolves when the outputs are closed, or nothing has come for a while. */
function drained(child: ChildProcessWithoutNullStreams, outputs: readonly Collected[]): Promise<void> {
  return new Promise((resolve) => {
    const bytes = (): number => outputs.reduce((sum, output) => sum + output.bytes(), 0);
    const until = Date.now() + MAX_DRAIN_MS;
    let before = bytes();
    let timer: NodeJS.Timeout;
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    // What waits in the pipes is read before the silence is judged.
    const check = (): void => void setImmediate(() => setImmediate(judge));
    const judge = (): void => {
      const now = bytes();
      if (now === before || Date.now() >= until) return done();
      before = now;
      timer = setTimeout(check, SILENCE_MS);
    };
    timer = setTimeout(check, SILENCE_MS);
    child.once("close", done);
  });
}
