import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Writes the tokenizer's table as it is used: one file that is read into memory and needs no more work, where making
 * it of the package's two hundred thousand texts takes a fifth of a second of every process that counts tokens.
 *
 * 32-bit words, the lowest byte first: how many tokens, how many slots (a power of two), bytes of the pattern;
 * where each token ends among the bytes; the slots (a token's rank plus one, or 0), each token in the first free one
 * from its hash on. Then the pattern that cuts texts into pieces, then the bytes of all tokens.
 * packages/palimpsest/src/simulator/tokens/token-table.ts reads it.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "packages/palimpsest/dist/token-table/o200k_base.bin");
const require = createRequire(import.meta.url);

/** Does nothing where the file is newer than what it is made from. */
export function writeTokenTable() {
  const sources = [fileURLToPath(import.meta.url), require.resolve("gpt-tokenizer/package.json")];
  if (existsSync(target) && sources.every((path) => statSync(path).mtimeMs < statSync(target).mtimeMs))
    return;
  const { default: tokens } = require("gpt-tokenizer/bpeRanks/o200k_base");
  const { O200K_TOKEN_SPLIT_REGEX: pattern } = require("gpt-tokenizer/encodingParams/constants");
  const fresh = `${target}.${process.pid}`;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(fresh, packTokens(tokens, pattern.source));
  renameSync(fresh, target);
}

function packTokens(tokens, pattern) {
  const texts = Array.from(tokens, (token) => Buffer.from(token ?? []));
  const slotCount = 2 ** Math.ceil(Math.log2(texts.length * 2));
  const slots = new Uint32Array(slotCount);
  for (const [rank, bytes] of texts.entries()) {
    if (bytes.length === 0) continue;
    let slot = hash(bytes) & (slotCount - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = rank + 1;
  }
  let end = 0;
  const ends = texts.map((bytes) => (end += bytes.length));
  const cut = Buffer.from(pattern);
  const words = [texts.length, slotCount, cut.length, ...ends, ...slots];
  const head = Buffer.alloc(words.length * 4);
  for (const [at, word] of words.entries()) head.writeUInt32LE(word, at * 4);
  return Buffer.concat([head, cut, ...texts]);
}

/** FNV-1a, mixed once more: the lowest bits choose the slot. */
function hash(bytes) {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeTokenTable();
