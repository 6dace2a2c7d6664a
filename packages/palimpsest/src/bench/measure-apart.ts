import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SearchMeasured, SearchTask } from "./recall-search.js";
import { whenStopped } from "./when-stopped.js";
import type { ReadingMeasured, ReadingTask } from "./resume-reading.js";

/** What is measured in a process of its own, so that peak memory is that of the one thing; plain data. */
export type ApartTask = ReadingTask | SearchTask;

interface Measured {
  readonly reading: ReadingMeasured;
  readonly search: SearchMeasured;
}

export async function measureApart<Task extends ApartTask>(task: Task): Promise<Measured[Task["kind"]]> {
  const script = fileURLToPath(new URL("./measure-process.js", import.meta.url));
  const running = promisify(execFile)(process.execPath, [script, JSON.stringify(task)]);
  const forget = whenStopped(() => running.child.kill("SIGKILL"));
  try {
    return JSON.parse((await running).stdout) as Measured[Task["kind"]];
  } finally {
    forget();
  }
}
