import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { measureApart } from "./measure-apart.js";
import { writeTranscript } from "./resume-transcripts.js";
import { makeTemporaryFolder } from "./temporary-folder.js";
import { roundTo } from "./timing.js";

const MEGABYTE = 1024 * 1024;

async function* resumeFigures(directory: string, id: "boundary" | "segment"): AsyncGenerator<Figure> {
  await writeTranscript(directory, { id, hasSegment: id === "segment" });
  const name = `resume.${id}`;
  const { size } = await stat(join(directory, `${id}.jsonl`));
  yield { name: `${name}.file`, value: roundTo(size / MEGABYTE, 2), unit: "MB" };
  const live = await measureApart({ kind: "reading", directory, id, way: "live" });
  yield { name: `${name}.live.messages`, value: live.messages, unit: "messages" };
  yield { name: `${name}.live.median`, value: live.median, unit: "ms" };
  yield { name: `${name}.live.first`, value: live.first, unit: "ms" };
  yield { name: `${name}.live.peak`, value: live.peak, unit: "MB" };
  const all = await measureApart({ kind: "reading", directory, id, way: "all" });
  if (live.messages !== all.messages)
    throw new Error(`${live.messages} live messages were read of ${id}; ${all.messages} there are`);
  yield { name: `${name}.all.median`, value: all.median, unit: "ms" };
  yield { name: `${name}.all.peak`, value: all.peak, unit: "MB" };
  yield { name: `${name}.faster`, value: all.median / live.median, unit: "ratio" };
}

/**
 * What resuming a long conversation costs: reading what counts, against reading and linking everything. Each
 * figure comes from a process of its own; the files are in the system's cache.
 */
export const resumeBenchmark: Benchmark = {
  name: "resume",
  needsRecordings: false,
  async *run({ tell }): AsyncGenerator<Figure> {
    const folder = await makeTemporaryFolder("resume");
    try {
      const directory = folder.path;
      const idle = await measureApart({ kind: "reading", directory, id: "none", way: "nothing" });
      yield { name: "resume.idle.peak", value: idle.peak, unit: "MB" };
      for (const id of ["boundary", "segment"] as const) {
        tell(`resume: a transcript of 100 MB (${id})`);
        yield* resumeFigures(directory, id);
      }
    } finally {
      await folder.remove();
    }
  },
};
