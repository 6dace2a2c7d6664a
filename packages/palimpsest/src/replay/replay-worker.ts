import { parentPort } from "node:worker_threads";
import { replayFile, type FilePlayed, type ReplayTask } from "./replay-file.js";

/** To a worker: one file to play. */
export interface WorkerTask {
  readonly file: string;
  readonly task: ReplayTask;
}

/** From a worker. */
export type WorkerReport =
  | { readonly kind: "progress"; readonly file: string; readonly round: number; readonly rounds: number }
  | { readonly kind: "played"; readonly played: FilePlayed }
  | { readonly kind: "error"; readonly message: string };

const PROGRESS_EVERY_MS = 100;

/** Plays files one after another, as they come. */
parentPort?.on("message", ({ file, task }: WorkerTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not of a window
  const tell = (report: WorkerReport): void => parentPort?.postMessage(report);
  let told = 0;
  const onProgress = (round: number, rounds: number): void => {
    const now = performance.now();
    if (now - told < PROGRESS_EVERY_MS) return;
    told = now;
    tell({ kind: "progress", file, round, rounds });
  };
  replayFile(file, task, { onProgress }).then(
    (played) => tell({ kind: "played", played }),
    (error: unknown) =>
      tell({ kind: "error", message: error instanceof Error ? error.message : String(error) }),
  );
});
