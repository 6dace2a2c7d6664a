import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Counts } from "./soak-run.js";
import type { SoakNews, SoakTask } from "./soak-task.js";

/** Seconds that a run which was told to stop has for it. */
const GRACE = 10;

export interface ApartOptions {
  /** Seconds without a sign of progress after which the run has failed. */
  readonly patience: number;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
}

interface Progress {
  /** Rounds that were done to their end. */
  readonly passes: number;
  /** Of the pass that is under way. */
  readonly seed: number;
  readonly counts: Counts;
}

export interface RunEnd extends Progress {
  readonly end: "complete" | "time" | "failed" | "interrupted";
  /** Why it failed; empty where it did not. */
  readonly message: string;
  readonly stack: string;
}

/**
 * Runs a task in a process of its own, with a limit for each step of progress and none for the whole: what hangs,
 * crashes or eats all memory is a failure like any other, and no other run suffers from it. Never rejects.
 */
export function runApart(task: SoakTask, { patience, signal, tell }: ApartOptions): Promise<RunEnd> {
  const script = fileURLToPath(new URL("./soak-process.js", import.meta.url));
  // With a group of its own: it can be ended together with all that it has started.
  const child = fork(script, [], { detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let progress: Progress = { passes: 0, seed: task.seed, counts: {} };
  let outcome: Pick<RunEnd, "end" | "message" | "stack"> | undefined;
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  const fail = (message: string, stack = ""): void => {
    outcome ??= signal.aborted
      ? { end: "interrupted", message: "", stack: "" }
      : { end: "failed", message, stack };
  };
  const onStuck = (): void => {
    fail(`no progress for ${patience} seconds`);
    endGroup(child);
  };
  let watchdog = setTimeout(onStuck, patience * 1000);
  const hear = (news: SoakNews): void => {
    clearTimeout(watchdog);
    watchdog = setTimeout(onStuck, patience * 1000);
    if (news.kind === "progress") {
      progress = { passes: news.passes, seed: news.seed, counts: news.counts };
      tell(progress);
    } else if (news.kind === "failed") fail(news.message, news.stack);
    else outcome ??= { end: endOf(news.isWhole, signal), message: "", stack: "" };
  };
  const onAbort = (): void => {
    if (child.connected) child.send("stop");
    clearTimeout(watchdog);
    watchdog = setTimeout(() => endGroup(child), GRACE * 1000);
  };
  return new Promise((resolve) => {
    const finish = (code: number | null, how: string | null): void => {
      clearTimeout(watchdog);
      signal.removeEventListener("abort", onAbort);
      // Whatever it has started goes with it.
      endGroup(child);
      fail(`its process ended (${how ?? `exit code ${code}`}): ${lastSentence(complaints)}`, complaints);
      resolve({ ...progress, ...(outcome as Pick<RunEnd, "end" | "message" | "stack">) });
    };
    child.on("message", (news) => hear(news as SoakNews));
    child.once("error", (error) => fail(`its process could not be started: ${error.message}`));
    child.once("close", finish);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    child.send(task);
  });
}

const endOf = (isWhole: boolean, signal: AbortSignal): RunEnd["end"] => {
  if (signal.aborted) return "interrupted";
  return isWhole ? "complete" : "time";
};

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of it has ended, or there are no groups here.
    child.kill("SIGKILL");
  }
}

/** What a crash says: the line with the error where there is one. */
const lastSentence = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (
    lines.findLast((line) => /^\w*Error\b|^FATAL/.test(line)) ??
    lines.at(-1) ??
    "it said nothing"
  ).trim();
};
