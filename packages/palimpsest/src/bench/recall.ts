import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { measureApart } from "./measure-apart.js";
import { recallQueries, type RecallQuery } from "./recall-queries.js";
import { writeLongTranscript } from "./recall-transcript.js";
import { makeTemporaryFolder } from "./temporary-folder.js";

/**
 * What it costs the agent's Recall to find one fact again in a transcript of 50 MB. Each figure comes from a process
 * of its own; the file is in the system's cache.
 */
export const recallBenchmark: Benchmark = {
  name: "recall",
  needsRecordings: false,
  async *run({ tell }): AsyncGenerator<Figure> {
    const folder = await makeTemporaryFolder("recall");
    try {
      const transcriptPath = join(folder.path, "session.jsonl");
      await writeLongTranscript(transcriptPath);
      const { byteLength } = await readFile(transcriptPath);
      yield { name: "recall.transcript", value: byteLength / (1024 * 1024), unit: "MB" };
      for (const query of Object.keys(recallQueries) as RecallQuery[]) {
        tell(`recall: ${query}`);
        const found = await measureApart({ kind: "search", transcriptPath, query });
        yield { name: `recall.${query}.first`, value: found.first, unit: "ms" };
        yield { name: `recall.${query}.median`, value: found.median, unit: "ms" };
        yield { name: `recall.${query}.fastest`, value: found.fastest, unit: "ms" };
        yield { name: `recall.${query}.cpu`, value: found.cpu, unit: "ms" };
        yield { name: `recall.${query}.growth`, value: found.growth, unit: "MB" };
      }
    } finally {
      await folder.remove();
    }
  },
};
