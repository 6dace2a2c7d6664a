import type { Estimator } from "../../../ports/estimator.js";

/** What adding up rounded estimates may hide for each line. */
const ROUNDING = 0.5;

/** Tokens that may still be written. What a share uses is gone from the whole as well. */
export class Allowance {
  readonly estimator: Estimator;
  readonly #parent: Allowance | undefined;
  #left: number;

  constructor(tokens: number, estimator: Estimator, parent?: Allowance) {
    this.#left = tokens;
    this.estimator = estimator;
    this.#parent = parent;
  }

  get left(): number {
    return Math.min(this.#left, this.#parent?.left ?? this.#left);
  }

  /** At most so many of the tokens that are left. */
  share(tokens: number): Allowance {
    return new Allowance(Math.min(tokens, this.left), this.estimator, this);
  }

  costOf(line: string): number {
    return this.estimator.block(`${line}\n`) + ROUNDING;
  }

  /** Uses up what a line costs; false, and nothing is used, where it does not fit. */
  take(line: string): boolean {
    return this.takeAll([line]);
  }

  /** All of these lines, or none. */
  takeAll(lines: readonly string[]): boolean {
    const cost = lines.reduce((sum, line) => sum + this.costOf(line), 0);
    if (cost > this.left) return false;
    this.spend(cost);
    return true;
  }

  spend(tokens: number): void {
    this.#left -= tokens;
    this.#parent?.spend(tokens);
  }
}

/** So many things that do not fit end the search for one that does. */
export const MAX_MISSES = 8;

/** Something that was written down: its place in the list, and its lines. */
interface Written {
  readonly index: number;
  readonly lines: readonly string[];
}

/**
 * Of things in their order, the newest whose lines fit, still in their order. One that is too large is passed
 * over, and older ones are tried; one without lines is left out.
 */
export function newestWritten<Item>(
  items: readonly Item[],
  allowance: Allowance,
  write: (item: Item, index: number) => readonly string[],
): readonly Written[] {
  const taken: Written[] = [];
  let misses = 0;
  for (let index = items.length - 1; index >= 0 && allowance.left > 0 && misses < MAX_MISSES; index -= 1) {
    const lines = write(items[index] as Item, index);
    if (lines.length === 0) continue;
    if (allowance.takeAll(lines)) taken.push({ index, lines });
    else misses += 1;
  }
  return taken.toReversed();
}

/** The lines alone. */
export const newestThatFit = <Item>(
  items: readonly Item[],
  allowance: Allowance,
  write: (item: Item, index: number) => readonly string[],
): readonly string[] => newestWritten(items, allowance, write).flatMap(({ lines }) => lines);
