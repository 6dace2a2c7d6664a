import { createMemoryReadState } from "@palimpsest/core/restore";
import { createRecallTool } from "../agent/tools/recall.js";
import type { ToolContext } from "../agent/base/tool.js";
import { recallQueries, type RecallQuery } from "./recall-queries.js";
import { median } from "./timing.js";

const MEGABYTE = 1024 * 1024;
const RUNS = 9;

export interface SearchTask {
  readonly kind: "search";
  readonly transcriptPath: string;
  readonly query: RecallQuery;
}

/** Milliseconds; `growth` in megabytes. */
export interface SearchMeasured {
  readonly first: number;
  readonly median: number;
  readonly fastest: number;
  readonly cpu: number;
  readonly growth: number;
}

/** To be called in a process of its own. Throws where the search finds something else than it should. */
export async function measureSearch({ transcriptPath, query }: SearchTask): Promise<SearchMeasured> {
  const { input, finds = "Nothing in the transcript" } = recallQueries[query];
  const tool = createRecallTool({ transcriptPath });
  const context: ToolContext = {
    toolUseId: "toolu_bench",
    signal: new AbortController().signal,
    now: Date.now,
    readState: createMemoryReadState(),
    touch: () => {},
  };
  // Loads the code, as a session has done; nothing is read.
  await tool.run({}, context);
  const before = process.memoryUsage().rss;
  const times: number[] = [];
  const cpu: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const started = performance.now();
    const cpuStarted = process.cpuUsage();
    const { content } = await tool.run(input, context);
    times.push(performance.now() - started);
    const { user, system } = process.cpuUsage(cpuStarted);
    cpu.push((user + system) / 1000);
    if (typeof content !== "string" || !content.includes(finds))
      throw new Error(`${query}: ${JSON.stringify(content)}`);
  }
  return {
    first: times[0] ?? 0,
    median: median(times),
    fastest: Math.min(...times),
    cpu: median(cpu),
    growth: (process.resourceUsage().maxRSS * 1024 - before) / MEGABYTE,
  };
}
