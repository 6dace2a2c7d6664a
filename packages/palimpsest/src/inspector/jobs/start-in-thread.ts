import { Worker } from "node:worker_threads";
import type { TaskReport } from "./inspector-worker.js";
import type { StartTask, Task, TaskResult } from "./task.js";

/** Does a task in a thread of its own, which ends with it: no parsing holds up whoever waits for an answer. */
export const startInThread: StartTask = <Kind extends Task["kind"]>(
  task: Extract<Task, { readonly kind: Kind }>,
  onProgress: (share: number) => void,
) => {
  const worker = new Worker(new URL("./inspector-worker.js", import.meta.url), { workerData: task });
  const result = new Promise<TaskResult<Kind>>((resolve, reject) => {
    worker.on("message", (report: TaskReport) => {
      if (report.kind === "progress") return onProgress(report.share);
      if (report.kind === "done") resolve(report.result as TaskResult<Kind>);
      else reject(new Error(report.message));
      void worker.terminate();
    });
    worker.once("error", (error) => reject(error instanceof Error ? error : new Error(String(error))));
    worker.once("exit", () => reject(new Error("Its thread has ended.")));
  });
  return { result, end: () => void worker.terminate() };
};
