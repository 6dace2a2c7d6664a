import { open, readFile, stat } from "node:fs/promises";
import {
  DETECTION_LINES,
  detectFormat,
  mayBeDocument,
  requireText,
  TEXT_CHECK_BYTES,
} from "../readers/detect-format.js";
import { claudeCodeReader } from "../readers/claude-code.js";
import { LineParser, parseDocument } from "../readers/line-parser.js";
import { RecordingError, recordingErrorOf } from "../readers/recording-error.js";
import type { FormatReader, RecordedLine } from "../readers/recording.js";
import { repositoryOf } from "./repository.js";

const CHUNK_BYTES = 256 * 1024;
/** Where lines are long, fewer of them tell the format. */
const DETECTION_BYTES = 8 * 1024 * 1024;

/** What a conversation is read from. */
export type RecordedLines = Pick<RecordingFile, "reader" | "repository" | "lines">;

/** A recording whose lines can be read as often as they are needed, a chunk at a time. */
export interface RecordingFile {
  readonly reader: FormatReader;
  /** What it is about, by name. */
  readonly repository: string;
  /** What the file held when it was opened; what is appended later is not read. */
  readonly size: number;
  /** One value over many lines: it is read whole. */
  readonly isDocument: boolean;
  /** All lines from the one that `parser` starts with, in lists of what one chunk completed; it is told of damage. */
  lines(parser: LineParser): AsyncIterable<readonly RecordedLine[]>;
}

/** Throws `RecordingError`, as `readRecording` would. What is appended to the file later is not seen. */
export async function openRecordingFile(path: string): Promise<RecordingFile> {
  const size = await sizeOf(path);
  const lines = (parser: LineParser) => linesOf({ path, size }, parser);
  const parser = new LineParser();
  const first: RecordedLine[] = [];
  for await (const some of lines(parser)) {
    first.push(...some);
    if (first.length >= DETECTION_LINES || (first.length > 0 && parser.offset > DETECTION_BYTES)) break;
  }
  const { damaged, torn } = parser;
  const beginning = { lines: first, damaged, torn };
  const document = mayBeDocument(beginning) ? await readDocument(path) : undefined;
  const repository = repositoryOf(document === undefined ? first : [document], path);
  if (document === undefined) {
    return { reader: detectFormat(beginning), repository, size, isDocument: false, lines };
  }
  return {
    reader: detectFormat({ lines: [document], damaged: [], torn: undefined }),
    repository,
    size,
    isDocument: true,
    lines: () => documentLines(path),
  };
}

/** A transcript of this project's own whose lines are in memory. */
export const transcriptInMemory = (lines: () => Iterable<Uint8Array>): RecordedLines => ({
  reader: claudeCodeReader,
  repository: "",
  async *lines(parser) {
    for (const line of lines()) yield parser.push(line);
    yield parser.end();
  },
});

async function sizeOf(path: string): Promise<number> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw new RecordingError("not_a_file", "is not a file");
    return stats.size;
  } catch (error) {
    throw recordingErrorOf(error);
  }
}

interface FilePart {
  readonly path: string;
  /** What lies after it is not read. */
  readonly size: number;
}

async function* linesOf(part: FilePart, parser: LineParser): AsyncGenerator<readonly RecordedLine[]> {
  for await (const chunk of chunksOf(part, parser.offset)) yield parser.push(chunk);
  yield parser.end();
}

/** Each chunk is the same piece of memory: it holds until the next one is asked for. */
async function* chunksOf({ path, size }: FilePart, from: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  const file = await open(path).catch((error: unknown) => {
    throw recordingErrorOf(error);
  });
  try {
    for (let position = from; position < size;) {
      const wanted = Math.min(buffer.length, size - position);
      const { bytesRead } = await file.read(buffer, 0, wanted, position).catch((error: unknown) => {
        throw recordingErrorOf(error);
      });
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      if (position < TEXT_CHECK_BYTES) requireText(chunk);
      position += bytesRead;
      yield chunk;
    }
  } finally {
    await file.close();
  }
}

/** The whole file as one JSON object: a document that is written over many lines. */
async function readDocument(path: string): Promise<RecordedLine | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw recordingErrorOf(error);
  });
  const parsed = parseDocument(bytes);
  return parsed !== undefined && "value" in parsed
    ? { line: 1, offset: 0, bytes: 0, value: parsed.value }
    : undefined;
}

async function* documentLines(path: string): AsyncGenerator<readonly RecordedLine[]> {
  const document = await readDocument(path);
  if (document !== undefined) yield [document];
}
