const FIRST_BLOCK = 16_384;

/** Output of a process: the beginning and the end of it, in a bounded amount of memory. */
export interface BoundedOutput {
  readonly add: (chunk: Uint8Array) => void;
  /** Everything, or the two ends with a line between them that says what was dropped. */
  readonly text: () => string;
}

/** Keeps at most `maxBytes`; memory follows what comes. */
export function createBoundedOutput(maxBytes: number): BoundedOutput {
  const headLimit = Math.ceil(maxBytes / 2);
  const tailLimit = Math.max(1, maxBytes - headLimit);
  let head = Buffer.alloc(0);
  let headBytes = 0;
  /** A ring: the oldest byte stands at `tailBytes % tailLimit` once it is full. */
  let tail: Buffer | undefined;
  let tailBytes = 0;

  const addHead = (chunk: Uint8Array): void => {
    const needed = headBytes + chunk.length;
    if (needed > head.length) {
      const larger = Buffer.allocUnsafe(Math.min(headLimit, Math.max(FIRST_BLOCK, needed, head.length * 2)));
      head.copy(larger, 0, 0, headBytes);
      head = larger;
    }
    head.set(chunk, headBytes);
    headBytes = needed;
  };
  const addTail = (chunk: Uint8Array): void => {
    tail ??= Buffer.allocUnsafe(tailLimit);
    const kept = chunk.length > tailLimit ? chunk.subarray(chunk.length - tailLimit) : chunk;
    tailBytes += chunk.length - kept.length;
    const at = tailBytes % tailLimit;
    const room = tailLimit - at;
    tail.set(kept.subarray(0, room), at);
    if (kept.length > room) tail.set(kept.subarray(room), 0);
    tailBytes += kept.length;
  };
  const tailEnd = (): Buffer => {
    if (tail === undefined) return Buffer.alloc(0);
    if (tailBytes <= tailLimit) return tail.subarray(0, tailBytes);
    const at = tailBytes % tailLimit;
    return Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
  };

  return {
    add(chunk) {
      const room = headLimit - headBytes;
      if (room >= chunk.length) return addHead(chunk);
      if (room > 0) addHead(chunk.subarray(0, room));
      addTail(chunk.subarray(Math.max(0, room)));
    },
    text() {
      const start = head.subarray(0, headBytes);
      const dropped = tailBytes - tailLimit;
      if (dropped <= 0)
        return tailBytes === 0 ? start.toString() : Buffer.concat([start, tailEnd()]).toString();
      const note = `[… ${dropped.toLocaleString("en-US")} bytes were too many to keep …]`;
      return `${withoutCutEnd(start)}\n${note}\n${withoutCutStart(tailEnd())}`;
    },
  };
}

/** As a stream, so that a character cut in two is left out. */
const withoutCutEnd = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true });

function withoutCutStart(bytes: Buffer): string {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}
