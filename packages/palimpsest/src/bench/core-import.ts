import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { median } from "./timing.js";

const RUNS = 15;
const NOTHING = "data:text/javascript,";
/** Says how many microseconds of CPU the process took until the module was there. */
const script =
  "await import(process.argv[1]); const { user, system } = process.cpuUsage(); console.log(user + system);";

/** Milliseconds of CPU of a process that imports this and nothing else. */
async function measure(address: string): Promise<number> {
  const parameters = ["--input-type=module", "--eval", script, address];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return Number(stdout) / 1000;
}

/** What it costs to import the core, beyond what a process that imports nothing costs. */
export const coreImportBenchmark: Benchmark = {
  name: "core.import",
  needsRecordings: false,
  async *run(): AsyncGenerator<Figure> {
    const core = import.meta.resolve("@palimpsest/core");
    const full: number[] = [];
    const empty: number[] = [];
    // In turn, so that a slow moment of the machine meets both alike.
    for (let run = 0; run < RUNS; run += 1) {
      empty.push(await measure(NOTHING));
      full.push(await measure(core));
    }
    yield { name: "core.import", value: Math.max(0, median(full) - median(empty)), unit: "ms" };
  },
};
