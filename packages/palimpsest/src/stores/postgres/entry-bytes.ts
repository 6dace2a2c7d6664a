import { isUtf8 } from "node:buffer";

/** A line as a row holds it. */
export interface EntryRow {
  readonly seq: number;
  readonly size: number;
  readonly form: number;
  readonly line: string;
}

/** 0: the line is text. Otherwise base64 of bytes that a database does not take as text; and either may lack its line break. */
const BASE64 = 1;
const UNFINISHED = 2;

/** The bytes of one line, its line break included where it has one, as a row holds them. */
export function encodeEntry(bytes: Buffer): {
  readonly size: number;
  readonly form: number;
  readonly line: string;
} {
  const isFinished = bytes.at(-1) === 0x0a;
  const content = isFinished ? bytes.subarray(0, -1) : bytes;
  const isText = isUtf8(content) && !content.includes(0);
  return {
    size: bytes.length,
    form: (isText ? 0 : BASE64) + (isFinished ? 0 : UNFINISHED),
    line: isText ? content.toString("utf8") : content.toString("base64"),
  };
}

/** The bytes that `encodeEntry` was given. */
export function decodeEntry({ form, line }: Pick<EntryRow, "form" | "line">): Buffer {
  const content = Buffer.from(line, (form & BASE64) === 0 ? "utf8" : "base64");
  return (form & UNFINISHED) === 0 ? Buffer.concat([content, Buffer.from("\n")]) : content;
}

/** The line without its line break; bytes that are not UTF-8 are replaced. */
export const textOf = ({ form, line }: Pick<EntryRow, "form" | "line">): string =>
  (form & BASE64) === 0 ? line : Buffer.from(line, "base64").toString("utf8");

/** A row as the client gives it: numbers of eight bytes come as text. */
export function readRow(row: Readonly<Record<string, unknown>>): EntryRow {
  return {
    seq: Number(row["seq"]),
    size: Number(row["size"]),
    form: Number(row["form"]),
    line: String(row["line"]),
  };
}
