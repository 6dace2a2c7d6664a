import { parentPort, workerData } from "node:worker_threads";
import { RecordingError } from "../../replay/readers/recording-error.js";
import { performTask } from "./perform-task.js";
import type { Task, TaskResult } from "./task.js";

/** From the thread. */
export type TaskReport =
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "done"; readonly result: TaskResult<Task["kind"]> }
  | { readonly kind: "failed"; readonly message: string };

const PROGRESS_EVERY_MS = 100;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not of a window
const tell = (report: TaskReport): void => parentPort?.postMessage(report);

let told = Number.NEGATIVE_INFINITY;
const onProgress = (share: number): void => {
  const now = performance.now();
  if (now - told < PROGRESS_EVERY_MS) return;
  told = now;
  tell({ kind: "progress", share });
};

/** Does the one task that it was started with. */
performTask(workerData as Task, onProgress).then(
  (result) => tell({ kind: "done", result }),
  (error: unknown) => tell({ kind: "failed", message: sentenceOf(error) }),
);

function sentenceOf(error: unknown): string {
  if (error instanceof RecordingError) return `The recording ${error.message}.`;
  return error instanceof Error ? error.message : String(error);
}
