import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { ReplayReport } from "./results/policy-result.js";
import { totalsOf } from "./results/totals.js";
import { replayFile, type FilePlayed, type ReplayTask } from "./replay-file.js";
import type { SummaryWriter } from "./summaries/summary-writer.js";
import type { WorkerReport, WorkerTask } from "./replay-worker.js";

export interface ReplayOptions extends ReplayTask {
  /** Files that are played at the same time. Default: one for each processor. 1: in this thread. */
  readonly workers?: number;
  readonly onProgress?: (progress: ReplayProgress) => void;
  /** Who answers calls beside the conversations, where it is not the simulator's player: then in this thread alone. */
  readonly summaries?: SummaryWriter;
}

export interface ReplayProgress {
  readonly filesDone: number;
  readonly files: number;
  /** The files at work, with their rounds. */
  readonly playing: readonly { readonly file: string; readonly round: number; readonly rounds: number }[];
}

/** Plays files through policies, several at a time, the largest first; the report has them in their order. */
export async function replayFiles(files: readonly string[], options: ReplayOptions): Promise<ReplayReport> {
  const { workers = availableParallelism(), onProgress, summaries, ...task } = options;
  const tracker = new Tracker(files.length, onProgress);
  const played = new Map<string, FilePlayed>();
  const queue = await largestFirst(files);
  const threads = summaries === undefined ? Math.min(workers, queue.length) : 1;
  const take = async (play: (file: string) => Promise<FilePlayed>): Promise<void> => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      played.set(file, await play(file).catch((error: unknown) => unplayable(file, error)));
      tracker.done(file);
    }
  };
  if (threads <= 1) {
    await take((file) =>
      replayFile(file, task, {
        onProgress: (round, rounds) => tracker.playing({ file, round, rounds }),
        ...(summaries === undefined ? {} : { summaries }),
      }),
    );
  } else {
    const pool = Array.from({ length: threads }, () => new PlayingWorker(tracker));
    try {
      await Promise.all(pool.map((worker) => take((file) => worker.play({ file, task }))));
    } finally {
      await Promise.all(pool.map((worker) => worker.end()));
    }
  }
  return reportOf(files.flatMap((file) => played.get(file) ?? []));
}

/** One file that nobody expected must not take the others with it. */
function unplayable(file: string, error: unknown): FilePlayed {
  const message = error instanceof Error ? error.message : String(error);
  return { failed: { file, error: `cannot be played (${message})` } };
}

/** The figures of all files, and of all together. */
function reportOf(played: readonly FilePlayed[]): ReplayReport {
  const files = played.map((file) => ("failed" in file ? file.failed : file.result));
  const whole = played.flatMap((file) => ("failed" in file ? [] : [file]));
  return {
    files,
    total: { files: whole.length, failed: files.length - whole.length, ...totalsOf(whole) },
  };
}

async function largestFirst(files: readonly string[]): Promise<string[]> {
  const sized = await Promise.all(
    [...new Set(files)].map(async (file) => ({
      file,
      size: (await stat(file).catch(() => undefined))?.size ?? 0,
    })),
  );
  return sized.toSorted((a, b) => b.size - a.size).map(({ file }) => file);
}

class Tracker {
  readonly #files: number;
  readonly #tell: ReplayOptions["onProgress"];
  readonly #playing = new Map<
    string,
    { readonly file: string; readonly round: number; readonly rounds: number }
  >();
  #done = 0;

  constructor(files: number, tell: ReplayOptions["onProgress"]) {
    this.#files = files;
    this.#tell = tell;
  }

  playing(at: { readonly file: string; readonly round: number; readonly rounds: number }): void {
    this.#playing.set(at.file, at);
    this.#report();
  }

  done(file: string): void {
    this.#playing.delete(file);
    this.#done += 1;
    this.#report();
  }

  #report(): void {
    this.#tell?.({ filesDone: this.#done, files: this.#files, playing: [...this.#playing.values()] });
  }
}

/** A thread that plays files; the one after a thread that broke down gets a new one. */
class PlayingWorker {
  readonly #tracker: Tracker;
  #worker: Worker | undefined;
  #waiting:
    | { readonly resolve: (played: FilePlayed) => void; readonly reject: (error: Error) => void }
    | undefined;

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
  }

  play(task: WorkerTask): Promise<FilePlayed> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker ??= this.#start();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage(task);
    });
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./replay-worker.js", import.meta.url));
    worker.on("message", (report: WorkerReport) => this.#take(report));
    worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => this.#fail(new Error("its thread ended")));
    return worker;
  }

  #fail(error: Error): void {
    this.#worker = undefined;
    this.#waiting?.reject(error);
  }

  #take(report: WorkerReport): void {
    if (report.kind === "progress") this.#tracker.playing(report);
    else if (report.kind === "played") this.#waiting?.resolve(report.played);
    else this.#waiting?.reject(new Error(report.message));
  }
}
