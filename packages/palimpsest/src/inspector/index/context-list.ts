/** How many kinds of parts a request has. */
const KINDS = 7;

/**
 * A list of messages that grows at its end: one state of a conversation after another. A list that goes on from a place of another
 * one shares its beginning with it. Messages are named by their ordinals.
 */
export class ContextList {
  /** Grows from list to list: what goes on from another has a greater one. */
  readonly id: number;
  readonly #from: { readonly list: ContextList; readonly length: number } | undefined;
  readonly #own: number[] = [];
  /** After each own message, the estimated tokens of each kind in all of the list. */
  readonly #sums: number[] = [];

  constructor(id: number, from?: { readonly list: ContextList; readonly length: number }) {
    this.id = id;
    // What shares nothing of a list goes on from the one before it.
    this.#from = from !== undefined && from.length > 0 ? from : undefined;
  }

  get length(): number {
    return (this.#from?.length ?? 0) + this.#own.length;
  }

  /** Adds a message that changes the sums by so much. */
  push(ordinal: number, change: Readonly<Record<number, number>>): void {
    const before = this.sums(this.length);
    this.#own.push(ordinal);
    for (let kind = 0; kind < KINDS; kind += 1) {
      this.#sums.push(Math.max(0, (before[kind] ?? 0) + (change[kind] ?? 0)));
    }
  }

  /** Estimated tokens of each kind in the first so many messages. */
  sums(length: number): readonly number[] {
    let left = length;
    for (const list of this.#chain()) {
      const start = list.#from?.length ?? 0;
      if (left > start) {
        const at = Math.min(left - start, list.#own.length) * KINDS;
        return list.#sums.slice(at - KINDS, at);
      }
      left = Math.min(left, start);
    }
    return Array.from({ length: KINDS }, () => 0);
  }

  /** The messages from one place to another. */
  slice(from = 0, to = this.length): readonly number[] {
    const parts: (readonly number[])[] = [];
    let end = Math.min(to, this.length);
    for (const list of this.#chain()) {
      const start = list.#from?.length ?? 0;
      if (end <= from) break;
      if (end > start) parts.push(list.#own.slice(Math.max(0, from - start), end - start));
      end = Math.min(end, start);
    }
    return parts.toReversed().flat();
  }

  at(place: number): number | undefined {
    return this.slice(place, place + 1)[0];
  }

  /** Own messages with their places: those that another list does not have. */
  *own(): Generator<readonly [place: number, ordinal: number]> {
    const start = this.#from?.length ?? 0;
    for (const [index, ordinal] of this.#own.entries()) yield [start + index, ordinal];
  }

  /** It, what it goes on from, and so on to the first. */
  *#chain(): Generator<ContextList> {
    yield this;
    for (let from = this.#from; from !== undefined; from = from.list.#from) yield from.list;
  }

  /** What it goes on from. */
  get from(): { readonly list: ContextList; readonly length: number } | undefined {
    return this.#from;
  }
}
