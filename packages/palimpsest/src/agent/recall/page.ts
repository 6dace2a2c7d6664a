import { numbered, numberedLines } from "./numbered-lines.js";

/** Something to read, under a heading of ours. */
export interface PagePart {
  readonly heading: string;
  readonly text: string;
}

export interface PageOptions {
  /** The first line, from 1 on; lines are counted through all parts. */
  readonly offset: number;
  readonly limit: number;
}

export interface Page {
  readonly text: string;
  /** Which lines it holds, and of how many; `last` is before `first` where there is none. */
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

const MAX_CHARACTERS = 30_000;

/** As many lines as are asked for and have room, each after its number. At least one, where there is one. */
export function pageOf(parts: readonly PagePart[], { offset, limit }: PageOptions): Page {
  const rows: string[] = [];
  let total = 0;
  let last = offset - 1;
  let room = MAX_CHARACTERS;
  let isOpen = true;
  for (const { heading, text } of parts) {
    const lines = numberedLines(text);
    for (let number = Math.max(1, offset - total); isOpen && number <= lines.count; number += 1) {
      if (last - offset + 1 >= limit) isOpen = false;
      const row = numbered(total + number, lines.line(number));
      const isFirst = number === 1 || last < offset;
      room -= row.length + 1 + (isFirst ? heading.length + 1 : 0);
      if (room < 0 && last >= offset) isOpen = false;
      if (!isOpen) break;
      if (isFirst) rows.push(heading);
      rows.push(row);
      last = total + number;
    }
    total += lines.count;
  }
  return { text: rows.join("\n"), first: offset, last, total };
}
