import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { endianness } from "node:os";
import { dirname, join } from "node:path";

/** All tokens of a tokenizer, found by their bytes, and the pattern that cuts a text into pieces to be merged. */
export interface TokenTable {
  readonly pattern: RegExp;
  /** The rank of the token of exactly these bytes; -1 where there is none. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
}

const WORDS_BEFORE = 3;

/** Reads what scripts/token-table.mjs has written, which says how it is laid out. */
export function readTokenTable(): TokenTable {
  const root = dirname(createRequire(import.meta.url).resolve("palimpsest/package.json"));
  const file = readFileSync(join(root, "dist/token-table/o200k_base.bin"));
  const count = file.readUInt32LE(0);
  const slotCount = file.readUInt32LE(4);
  const patternLength = file.readUInt32LE(8);
  const words = WORDS_BEFORE + count + slotCount;
  const head = file.buffer.slice(file.byteOffset, file.byteOffset + words * 4);
  if (endianness() === "BE") Buffer.from(head).swap32();
  const ends = new Uint32Array(head, WORDS_BEFORE * 4, count);
  const slots = new Uint32Array(head, (WORDS_BEFORE + count) * 4, slotCount);
  const pattern = file.toString("utf8", words * 4, words * 4 + patternLength);
  const tokens = file.subarray(words * 4 + patternLength);
  return {
    pattern: new RegExp(pattern, "gu"),
    rankOf(bytes, start, end) {
      let slot = hash(bytes, start, end) & (slotCount - 1);
      for (;;) {
        const rank = (slots[slot] ?? 0) - 1;
        if (rank === -1) return -1;
        const from = rank === 0 ? 0 : (ends[rank - 1] ?? 0);
        if ((ends[rank] ?? 0) - from === end - start && isSame(tokens, from, bytes, start, end)) return rank;
        slot = (slot + 1) & (slotCount - 1);
      }
    },
  };
}

/** As the script has it. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at += 1) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

function isSame(tokens: Uint8Array, from: number, bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (tokens[from + at - start] !== bytes[at]) return false;
  return true;
}
