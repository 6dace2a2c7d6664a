import type { DamagedLine } from "@palimpsest/core";
import { readFile, stat } from "node:fs/promises";
import { claudeCodeReader } from "./claude-code.js";
import { codexReader } from "./codex.js";
import { geminiReader } from "./gemini.js";
import { piReader } from "./pi.js";
import { isFields, type FormatReader, type RecordedLine, type Recording } from "./recording.js";

const readers: readonly FormatReader[] = [geminiReader, codexReader, piReader, claudeCodeReader];

export type RecordingErrorCode =
  | "not_found"
  | "unreadable"
  | "not_a_file"
  | "empty"
  | "binary"
  | "unknown_format"
  | "no_messages";

/** Why a file is no recording; `message` continues a sentence that starts with the file's name. */
export class RecordingError extends Error {
  readonly code: RecordingErrorCode;

  constructor(code: RecordingErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "RecordingError";
    this.code = code;
  }
}

/** Reads a recorded conversation of any known format, told from its content. Throws `RecordingError`. */
export async function readRecording(path: string): Promise<Recording> {
  let bytes: Uint8Array;
  try {
    if (!(await stat(path)).isFile()) throw new RecordingError("not_a_file", "is not a file");
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new RecordingError("not_found", "does not exist", { cause: error });
    }
    throw new RecordingError("unreadable", `cannot be read (${code ?? message})`, { cause: error });
  }
  return parseRecording(bytes);
}

const KNOWN = "Claude Code, Codex, pi and Gemini CLI transcripts are known";
const DETECTION_LINES = 50;

/** The same for content at hand. */
export function parseRecording(bytes: Uint8Array): Recording {
  if (bytes.subarray(0, 8192).includes(0)) {
    throw new RecordingError("binary", "is a binary file, not a transcript");
  }
  const { lines, damaged, torn } = parseLines(bytes);
  if (lines.length === 0 && damaged.length === 0 && torn === undefined) {
    throw new RecordingError("empty", "is empty");
  }
  const reader = readers.find((candidate) => candidate.recognises(lines.slice(0, DETECTION_LINES)));
  if (reader === undefined) {
    const first = damaged[0] ?? torn;
    const why = lines.length === 0 && first !== undefined ? `line ${first.line} is ${first.reason}; ` : "";
    throw new RecordingError("unknown_format", `is not a transcript of a known format (${why}${KNOWN})`);
  }
  const read = reader.read(lines);
  if (read.messages.length === 0) throw new RecordingError("no_messages", "holds no messages");
  const allDamaged = [...damaged, ...(read.damaged ?? [])].toSorted((a, b) => a.line - b.line);
  return {
    format: reader.format,
    messages: read.messages,
    counts: read.counts,
    damaged: allDamaged,
    ...(torn === undefined ? {} : { torn }),
  };
}

interface ParsedLines {
  readonly lines: readonly RecordedLine[];
  readonly damaged: readonly DamagedLine[];
  /** A last line that a crash cut off. */
  readonly torn: DamagedLine | undefined;
}

function parseLines(bytes: Uint8Array): ParsedLines {
  const lines: RecordedLine[] = [];
  const damaged: DamagedLine[] = [];
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const parsed = parseJson(bytes.subarray(start, end));
    if (parsed !== undefined && "value" in parsed) lines.push({ line, offset: start, value: parsed.value });
    else if (parsed !== undefined) damaged.push({ line, offset: start, reason: parsed.reason });
    start = end + 1;
  }
  if (lines.length === 0 && damaged.length > 0) {
    const whole = parseJson(bytes);
    if (whole !== undefined && "value" in whole) {
      return { lines: [{ line: 1, offset: 0, value: whole.value }], damaged: [], torn: undefined };
    }
  }
  const last = damaged.at(-1);
  const isTorn = last !== undefined && last.offset > (lines.at(-1)?.offset ?? -1) && bytes.at(-1) !== 10;
  return isTorn ? { lines, damaged: damaged.slice(0, -1), torn: last } : { lines, damaged, torn: undefined };
}

/** Undefined for a blank line. */
function parseJson(
  bytes: Uint8Array,
): { readonly value: RecordedLine["value"] } | { readonly reason: string } | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { reason: "not valid UTF-8" };
  }
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { value } : { reason: "not a JSON object" };
  } catch {
    return { reason: "not valid JSON" };
  }
}
