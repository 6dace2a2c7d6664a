import type { Message } from "@palimpsest/core";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { LineParser, type LineStart } from "../../replay/readers/line-parser.js";
import { RecordingError } from "../../replay/readers/recording-error.js";
import type { RecordingFormat } from "../../replay/readers/recording.js";
import { openRecordingFile, type RecordingFile } from "../../replay/rounds/recording-file.js";
import { HeadCollector, type RecordedHeads } from "./recorded-heads.js";
import { indexMessage, type IndexedMessage } from "./indexed-message.js";

/** What one pass over a recording gives: everything that its figures are made of. */
export interface ScannedRecording {
  readonly format: RecordingFormat;
  /** All lines of it make its messages together: none can be read by itself. */
  readonly isWhole: boolean;
  /** The model whose tokens were estimated. */
  readonly model: string;
  readonly messages: readonly IndexedMessage[];
  readonly damagedLines: number;
  /** Of the requests whose bodies stand in it. */
  readonly heads: RecordedHeads;
  /** So many bytes were there. */
  readonly size: number;
  /** Tells whether the file has only grown since; where somebody has looked. */
  readonly print?: string;
  /** Of the file, when the index was last kept. */
  readonly keptSize?: number;
  /** Where reading goes on once the file has grown; absent where it has to be read again from its start. */
  readonly next?: ScanPoint;
}

/** The start of the first line that had not come to its end, and what was made of all lines before it. */
interface ScanPoint extends LineStart {
  readonly messages: number;
  readonly damagedLines: number;
}

export interface ScanOptions {
  /** What was scanned of the same file before it grew. */
  readonly earlier?: ScannedRecording | undefined;
  readonly onProgress?: (bytesRead: number, bytes: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads a recording once, or what was appended to it. Of its words no more than a chunk and a line are in memory, but for formats
 * that are one document. Throws `RecordingError`, and what the signal was aborted with.
 */
export async function scanRecording(path: string, options: ScanOptions = {}): Promise<ScannedRecording> {
  const file = await openRecordingFile(path);
  const model = options.earlier?.model ?? (await firstModel(file));
  const scanned = await scanAs(file, model, options);
  const last = scanned.messages.findLast(({ message }) => namesModel(message))?.message;
  const now = last?.type === "assistant" ? last.message.model : model;
  // Tokens of another tokenizer: what was estimated has to be estimated again.
  if (
    createDefaultEstimator({ model: now }).block(SAMPLE) === createDefaultEstimator({ model }).block(SAMPLE)
  ) {
    return scanned;
  }
  const { earlier: _, ...again } = options;
  return scanAs(file, now, again);
}

/** Text whose tokens differ by tokenizer. */
const SAMPLE = { type: "text", text: "The quick brown fox, 1234 times: Über den Zaun!\n".repeat(20) };

const namesModel = (message: Message): boolean =>
  message.type === "assistant" && message.message.model !== "" && message.message.usage !== undefined;

async function scanAs(
  file: RecordingFile,
  model: string,
  { earlier, onProgress, signal }: ScanOptions,
): Promise<ScannedRecording> {
  const { reader, size } = file;
  const isWhole = file.isDocument || reader.format === "gemini-cli";
  const from = isWhole || reader.needsSurvey || earlier?.format !== reader.format ? undefined : earlier.next;
  const estimator = createDefaultEstimator({ model });
  const reading = reader.begin();
  if (reader.needsSurvey) {
    const parser = new LineParser();
    for await (const lines of file.lines(parser)) {
      signal?.throwIfAborted();
      for (const line of lines) reading.survey(line);
      onProgress?.(parser.offset / 2, size);
    }
  }
  const builder = reading.build();
  const parser = new LineParser(from);
  const heads = new HeadCollector(estimator, from === undefined ? undefined : earlier?.heads);
  const messages = from === undefined ? [] : (earlier?.messages.slice(0, from.messages) ?? []);
  const damagedBefore = from?.damagedLines ?? 0;
  const damagedLines = (): number => damagedBefore + parser.damaged.length + builder.damaged.length;
  let next: ScanPoint = { line: 1, offset: 0, messages: 0, damagedLines: 0, ...from };
  for await (const lines of file.lines(parser)) {
    signal?.throwIfAborted();
    let ended = messages.length;
    for (const line of lines) {
      const place = { offset: line.offset, bytes: line.bytes };
      if (line.offset < parser.offset) heads.take(line);
      for (const [sub, message] of builder.take(line).entries()) {
        messages.push(indexMessage(message, { ...place, sub: isWhole ? messages.length : sub }, estimator));
      }
      // What stands in a line that has not ended is taken again once it has.
      if (line.offset < parser.offset) ended = messages.length;
    }
    next = { line: parser.line, offset: parser.offset, messages: ended, damagedLines: damagedLines() };
    onProgress?.(reader.needsSurvey ? (parser.offset + size) / 2 : parser.offset, size);
  }
  for (const message of builder.end()) {
    messages.push(indexMessage(message, { offset: 0, bytes: 0, sub: messages.length }, estimator));
  }
  if (messages.length === 0) throw new RecordingError("no_messages", "holds no messages");
  const canGrow = !isWhole && !reader.needsSurvey;
  return {
    format: reader.format,
    isWhole,
    model,
    messages,
    damagedLines: damagedLines(),
    heads: heads.result(),
    size,
    ...(canGrow ? { next } : {}),
  };
}

/** The model that is named first: most conversations have only one. */
async function firstModel(file: RecordingFile): Promise<string> {
  const reading = file.reader.begin();
  const parser = new LineParser();
  for await (const lines of file.lines(parser)) {
    if (file.reader.needsSurvey) for (const line of lines) reading.survey(line);
    const builder = reading.build();
    const messages = [...lines.flatMap((line) => builder.take(line)), ...builder.end()];
    const named = messages.find((message) => message.type === "assistant" && message.message?.model !== "");
    if (named?.type === "assistant" && typeof named.message.model === "string") return named.message.model;
    if (parser.offset > FIRST_MODEL_BYTES) break;
  }
  return "";
}

const FIRST_MODEL_BYTES = 4 * 1024 * 1024;
