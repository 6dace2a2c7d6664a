import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "./byte-source.js";
import type { RawLine } from "./raw-line.js";
import { linesBackward } from "./read-backward.js";
import { linesForward } from "./read-forward.js";

const sourceOf = (bytes: Buffer): ByteSource => ({
  read: async (start, end) => Buffer.from(bytes.subarray(start, end)),
});

async function collect(lists: AsyncIterable<readonly RawLine[]>): Promise<RawLine[]> {
  const lines: RawLine[] = [];
  for await (const list of lists) lines.push(...list);
  return lines;
}

/** The lines of a file, by definition. */
function split(bytes: Buffer): readonly RawLine[] {
  const lines: RawLine[] = [];
  for (let start = 0; start < bytes.length;) {
    const at = bytes.indexOf(0x0a, start);
    const end = at < 0 ? bytes.length : at + 1;
    lines.push({ start, end, bytes: bytes.subarray(start, at < 0 ? end : at) });
    start = end;
  }
  return lines;
}

const shown = (lines: readonly RawLine[]): unknown =>
  lines.map(({ start, end, bytes }) => ({ start, end, text: bytes.toString("latin1") }));

describe("linesBackward", () => {
  it("gives the lines of any bytes, whatever the chunks, last line first", async () => {
    const text = fc.array(
      fc.oneof(fc.constant("\n"), fc.constant("\r\n"), fc.string({ unit: "binary" }), fc.constant("ä漢👩")),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (parts, first, largest) => {
          const bytes = Buffer.from(parts.join(""));
          const lines = await collect(linesBackward(sourceOf(bytes), bytes.length, { first, largest }));
          expect(shown(lines.toReversed())).toEqual(shown(split(bytes)));
          const forward = await collect(linesForward(sourceOf(bytes), { start: 0, end: bytes.length }));
          expect(shown(forward)).toEqual(shown(split(bytes)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("reads no further back than it is asked to", async () => {
    const bytes = Buffer.from("x".repeat(999).concat("\n").repeat(1000));
    let read = 0;
    const source: ByteSource = {
      read: async (start, end) => {
        read += end - start;
        return bytes.subarray(start, end);
      },
    };
    for await (const lines of linesBackward(source, bytes.length)) if (lines.length > 0) break;
    expect(read).toBe(64 * 1024);
  });
});
