/** Something at a place in the conversation that may shrink or vanish later. */
export interface Mark {
  /** Which message, counted as they came. */
  readonly message: number;
  /** Tokens of everything before it, as things stand now. */
  readonly before: number;
  readonly tokens: number;
}

interface MutableMark extends Mark {
  before: number;
  tokens: number;
}

/** Tokens along a conversation: how many there are in all, and how many stand before each mark. */
export class TokenLine {
  readonly #marks: MutableMark[] = [];
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Tokens at the end that nobody will ask for again. */
  add(tokens: number): void {
    this.#total += tokens;
  }

  mark(message: number, tokens: number): Mark {
    const mark = { message, before: this.#total, tokens };
    this.#marks.push(mark);
    this.#total += tokens;
    return mark;
  }

  /** Gives marks new sizes; those after them move up. Costs the number of marks, once per clearing. */
  resize(sizes: ReadonlyMap<Mark, number>): void {
    let freed = 0;
    for (const mark of this.#marks) {
      mark.before -= freed;
      const size = sizes.get(mark);
      if (size === undefined) continue;
      freed += mark.tokens - size;
      mark.tokens = size;
    }
    this.#total -= freed;
  }
}
