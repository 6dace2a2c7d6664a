import type { Benchmark, BenchmarkContext } from "./benchmark.js";
import type { Figure } from "./figure.js";

interface RunOptions extends BenchmarkContext {
  /** Only figures whose names begin with one of these; all without. */
  readonly prefixes?: readonly string[];
}

/** Runs benchmarks one after another and gives their figures as they become known. */
export async function* runBenchmarks(
  benchmarks: readonly Benchmark[],
  { prefixes, ...context }: RunOptions,
): AsyncGenerator<Figure> {
  for (const { name, run } of benchmarks) {
    context.tell(`${name} …`);
    for await (const figure of run(context)) {
      if (!Number.isFinite(figure.value)) throw new Error(`${figure.name} is not a number`);
      if (prefixes === undefined || prefixes.some((prefix) => figure.name.startsWith(prefix))) yield figure;
    }
  }
}
