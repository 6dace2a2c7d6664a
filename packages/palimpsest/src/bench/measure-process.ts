import type { ApartTask } from "./measure-apart.js";

/** The program that `measureApart` starts: one task in its arguments, what was measured as JSON on stdout. */
async function measure(task: ApartTask): Promise<unknown> {
  if (task.kind === "reading") return (await import("./resume-reading.js")).measureReading(task);
  return (await import("./recall-search.js")).measureSearch(task);
}

const [, , text = ""] = process.argv;
process.stdout.write(JSON.stringify(await measure(JSON.parse(text) as ApartTask)));
