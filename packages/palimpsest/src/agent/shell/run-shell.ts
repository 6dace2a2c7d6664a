import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { endProcessGroup } from "../base/process-group.js";
import type { ShellGroups } from "./shell-groups.js";

/** A command for the shell, and what it is given. Its stdin is empty. */
export interface ShellRun {
  /** The shell's path. */
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Left out, it may run for as long as it likes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Between asking its processes to end and killing them. */
  readonly killGraceMs: number;
  /** Told stdout and stderr in the order in which they are written. While a promise is pending nothing is read. */
  readonly onOutput: (chunk: Buffer) => void | Promise<void>;
  /** Whether to ask where the shell stood when it ended. */
  readonly asksDirectory?: boolean;
  /** Knows the process group from its start until nobody of it can be heard any more. */
  readonly groups: ShellGroups;
}

export type ShellEnding =
  | { readonly kind: "exited"; readonly code: number; readonly directory?: string | undefined }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "not-started"; readonly code?: string | undefined; readonly message: string }
  | { readonly kind: "timed-out" }
  | { readonly kind: "aborted" };

/** How long outputs may be silent after the exit of a shell whose own children still hold them open. */
const SILENCE_MS = 100;
const MAX_DRAIN_MS = 2000;
const MAX_DIRECTORY_BYTES = 16_384;

/** The line before the command: one pipe for both outputs keeps their order. */
const PLAIN_START = "exec 2>&1\n";
const ASKING_START = "exec 2>&1; trap 'pwd -P >&3 2>/dev/null' EXIT\n";

/**
 * Runs a command in a process group of its own. Never rejects. When the time is over or the signal says so, the
 * whole group is ended. A shell that exits is done: what it leaves in the background runs on, unheard.
 */
export async function runShell(run: ShellRun): Promise<ShellEnding> {
  const { signal, killGraceMs, groups, asksDirectory = false } = run;
  if (signal?.aborted === true) return { kind: "aborted" };
  let child: ChildProcess;
  try {
    child = spawn(run.shell, ["-c", `${asksDirectory ? ASKING_START : PLAIN_START}${run.command}`], {
      cwd: run.cwd,
      env: run.env,
      stdio: asksDirectory ? ["ignore", "pipe", "ignore", "pipe"] : ["ignore", "pipe", "ignore"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: "not-started", code, message };
  }
  if (child.pid !== undefined) groups.add(child.pid);

  return new Promise((resolve) => {
    const directory: Buffer[] = [];
    let isOver = false;
    let isEnding = false;
    let silence: NodeJS.Timeout | undefined;
    let timer: NodeJS.Timeout | undefined;

    const output = child.stdout;
    const probe = asksDirectory ? (child.stdio[3] as Readable | null) : null;
    const finish = (ending: ShellEnding): void => {
      if (isOver) return;
      isOver = true;
      isEnding = true;
      clearTimeout(timer);
      clearTimeout(silence);
      signal?.removeEventListener("abort", onAbort);
      // Whoever still holds the pipes is not made to wait, and keeps nobody here.
      for (const stream of [output, probe]) {
        stream?.resume();
        (stream as { unref?: () => void } | null)?.unref?.();
      }
      child.unref();
      resolve(ending);
    };
    const end = (kind: "timed-out" | "aborted"): void => {
      if (isEnding) return;
      isEnding = true;
      void endChild(child, killGraceMs).then(() => finish({ kind }));
    };
    const onAbort = (): void => end("aborted");
    if (run.timeoutMs !== undefined) timer = setTimeout(() => end("timed-out"), run.timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });

    output?.on("error", () => {});
    output?.on("data", (chunk: Buffer) => {
      if (isOver) return;
      silence?.refresh();
      const taken = run.onOutput(chunk);
      if (taken === undefined) return;
      output.pause();
      void taken.finally(() => output.resume());
    });
    probe?.on("error", () => {});
    probe?.on("data", (chunk: Buffer) => {
      if (!isOver && directory.length < 16) directory.push(chunk.subarray(0, MAX_DIRECTORY_BYTES));
    });

    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) finish({ kind: "not-started", code: error.code, message: error.message });
    });
    child.on("exit", (code, signalName) => {
      if (isEnding) return;
      isEnding = true;
      const done = (): void =>
        finish(
          code === null
            ? { kind: "killed", signal: signalName ?? "a signal" }
            : { kind: "exited", code, directory: directoryIn(directory) },
        );
      child.once("close", done);
      silence = setTimeout(done, SILENCE_MS);
      clearTimeout(timer);
      timer = setTimeout(done, MAX_DRAIN_MS);
    });
    child.on("close", () => {
      if (child.pid !== undefined) groups.delete(child.pid);
    });
  });
}

async function endChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined) return;
  if (process.platform === "win32") child.kill();
  else await endProcessGroup(child.pid, graceMs);
}

function directoryIn(chunks: readonly Buffer[]): string | undefined {
  const text = Buffer.concat(chunks).toString().replace(/\n$/, "");
  return text.startsWith("/") ? text : undefined;
}
