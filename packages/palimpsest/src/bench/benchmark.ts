import type { Figure } from "./figure.js";

export interface BenchmarkContext {
  /** Files of recorded conversations that can be read; none for a benchmark that needs none. */
  readonly recordings: readonly string[];
  /** Says what is going on, for a line that is overwritten. */
  readonly tell: (text: string) => void;
}

export interface Benchmark {
  /** What the names of its figures begin with. */
  readonly name: string;
  readonly needsRecordings: boolean;
  /** Gives figures as they become known. Throws where what it measures does not do what it should. */
  readonly run: (context: BenchmarkContext) => Iterable<Figure> | AsyncIterable<Figure>;
}
