/** Bytes as they come, cut into lines. */
export interface MessageLines {
  /** The lines that are now complete. Throws a `RangeError` when one becomes too long. */
  readonly add: (chunk: Buffer) => readonly string[];
}

const LINE_FEED = 10;

/** Costs what comes in, however many pieces a line comes in. */
export function createMessageLines(longest: number): MessageLines {
  let pieces: Buffer[] = [];
  let length = 0;
  const hold = (piece: Buffer): void => {
    length += piece.length;
    if (length > longest) {
      pieces = [];
      length = 0;
      throw new RangeError(`it sent a message of more than ${longest.toLocaleString("en-US")} bytes`);
    }
    if (piece.length > 0) pieces.push(piece);
  };
  return {
    add(chunk) {
      const lines: string[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
        hold(chunk.subarray(from, end));
        lines.push(Buffer.concat(pieces).toString("utf8"));
        pieces = [];
        length = 0;
        from = end + 1;
      }
      hold(chunk.subarray(from));
      return lines;
    },
  };
}
