import { isUtf8 } from "node:buffer";
import type { Message } from "@palimpsest/core";
import { decodeLine, type DecodedLine } from "@palimpsest/core/engine";

/** One line where it lies. */
export interface RawLine {
  readonly start: number;
  /** After its line break. */
  readonly end: number;
  /** Without the line break. */
  readonly bytes: Buffer;
}

/** A message, and the line it was read from. */
export interface PlacedMessage {
  readonly message: Message;
  readonly start: number;
  readonly end: number;
}

/** A line that could not be read, and where it starts. */
export interface PlacedDamage {
  readonly offset: number;
  readonly reason: string;
}

export const LINE_BREAK = 0x0a;

/** Whether the line lacks its line break: the file's last one, while it is written or after a crash. */
export const isUnfinished = (line: RawLine): boolean => line.end - line.start === line.bytes.length;

/** What the line holds; an unfinished line that cannot be read counts as blank, because nobody was told of it. */
export function decodeRawLine(line: RawLine): DecodedLine {
  const decoded = decodeBytes(line.bytes);
  return decoded.kind === "damaged" && isUnfinished(line) ? { kind: "blank" } : decoded;
}

function decodeBytes(bytes: Buffer): DecodedLine {
  if (!isUtf8(bytes)) return { kind: "damaged", reason: "not valid UTF-8" };
  let text: string;
  try {
    text = bytes.toString("utf8");
  } catch {
    return { kind: "damaged", reason: "too long to be read" };
  }
  return decodeLine(text.startsWith("\ufeff") ? text.slice(1) : text);
}
