import { runApart, type RunEnd } from "./run-apart.js";
import type { Counts, SoakRun } from "./soak-run.js";

/** A run, and the address of the module that exports it in its `soakRuns`. */
export interface ListedRun extends Pick<SoakRun, "name" | "about" | "passes"> {
  readonly module: string;
}

export interface SoakOptions {
  /** Of the first pass of every run. */
  readonly seed: number;
  /** For all runs together; without, each is run once in full. */
  readonly minutes?: number;
  readonly patience: number;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** What became of a run. */
export interface SoakReport extends RunEnd {
  readonly name: string;
  readonly milliseconds: number;
}

/** Runs one after another and says of each what became of it; stopped, that of the current one is the last. */
export async function* runSoak(
  runs: readonly ListedRun[],
  { seed, minutes, patience, signal, tell }: SoakOptions,
): AsyncGenerator<SoakReport> {
  const endsAt = minutes === undefined ? undefined : performance.now() + minutes * 60_000;
  for (const [index, { name, module }] of runs.entries()) {
    if (signal.aborted) return;
    const startedAt = performance.now();
    // What one has left over is shared by those that follow.
    const share = endsAt === undefined ? undefined : Math.max(0, endsAt - startedAt) / (runs.length - index);
    tell(`${name} …`);
    const end = await runApart(
      { module, name, seed, ...(share === undefined ? {} : { milliseconds: share }) },
      {
        patience,
        signal,
        tell: ({ passes, counts }) => tell(`${name}: pass ${passes + 1}, ${formatCounts(counts)}`),
      },
    );
    yield { name, milliseconds: performance.now() - startedAt, ...end };
  }
}

const separated = new Intl.NumberFormat("en-US");

/** `1,250 turns, 3 compactions`. */
export const formatCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${separated.format(count)} ${name}`)
    .join(", ");
