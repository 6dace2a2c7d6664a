import { fileSource } from "./byte-source.js";
import type { OpenFile } from "./file-system.js";
import { LINE_BREAK, type RawLine } from "./raw-line.js";
import { linesBackward } from "./read-backward.js";

/**
 * Makes the file end with a line break, and gives its length: a last line that is whole gets one, a torn
 * one is cut off, because nobody was ever told that it was stored. Only under the lock.
 */
export async function repairTail(file: OpenFile): Promise<number> {
  const { size } = await file.stat();
  if (size === 0) return 0;
  const source = fileSource(file);
  const [lastByte] = await source.read(size - 1, size);
  if (lastByte === LINE_BREAK) return size;
  const line = await lastLine(linesBackward(source, size));
  if (line !== undefined && isJson(line.bytes)) {
    await file.write(Buffer.of(LINE_BREAK), 0, 1);
    return size + 1;
  }
  const length = line?.start ?? 0;
  await file.truncate(length);
  return length;
}

async function lastLine(lists: AsyncIterable<readonly RawLine[]>): Promise<RawLine | undefined> {
  for await (const [line] of lists) if (line !== undefined) return line;
  return undefined;
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}
