import { liveMessages } from "@palimpsest/core/engine";
import { createJsonlStore } from "../stores/jsonl/store.js";
import { median } from "./timing.js";

export interface ReadingTask {
  readonly kind: "reading";
  readonly directory: string;
  readonly id: string;
  /** `live`: what counts. `all`: everything, linked. `nothing`: what the process itself takes. */
  readonly way: "live" | "all" | "nothing";
}

export interface ReadingMeasured {
  readonly messages: number;
  /** Milliseconds. */
  readonly median: number;
  readonly first: number;
  /** Megabytes. */
  readonly peak: number;
}

const RUNS = { live: 15, all: 5, nothing: 1 };

/** To be called in a process of its own. */
export async function measureReading({ directory, id, way }: ReadingTask): Promise<ReadingMeasured> {
  const store = createJsonlStore({ directory });
  const read = {
    live: async () => (await store.readLive(id)).messages.length,
    all: async () => liveMessages((await store.readAll(id)).messages).length,
    nothing: async () => 0,
  }[way];
  const times: number[] = [];
  let messages = 0;
  for (let run = 0; run < RUNS[way]; run += 1) {
    const started = performance.now();
    messages = await read();
    times.push(performance.now() - started);
  }
  const peak = process.resourceUsage().maxRSS / 1024;
  return { messages, median: median(times), first: times[0] ?? 0, peak };
}
