import { readFile, stat } from "node:fs/promises";
import { detectFormat, mayBeDocument, requireText, type FirstLines } from "./detect-format.js";
import { LineParser, parseDocument } from "./line-parser.js";
import { RecordingError, recordingErrorOf } from "./recording-error.js";
import type { Recording } from "./recording.js";

export { RecordingError, type RecordingErrorCode } from "./recording-error.js";

/** Reads a recorded conversation of any known format, told from its content. Throws `RecordingError`. */
export async function readRecording(path: string): Promise<Recording> {
  let bytes: Uint8Array;
  try {
    if (!(await stat(path)).isFile()) throw new RecordingError("not_a_file", "is not a file");
    bytes = await readFile(path);
  } catch (error) {
    throw recordingErrorOf(error);
  }
  return parseRecording(bytes);
}

/** The same for content at hand. */
export function parseRecording(bytes: Uint8Array): Recording {
  requireText(bytes);
  const parsed = parseLines(bytes);
  const { lines, damaged, torn } = parsed;
  const reader = detectFormat(parsed);
  const reading = reader.begin();
  if (reader.needsSurvey) for (const line of lines) reading.survey(line);
  const builder = reading.build();
  const messages = lines.flatMap((line) => builder.take(line)).concat(builder.end());
  if (messages.length === 0) throw new RecordingError("no_messages", "holds no messages");
  return {
    format: reader.format,
    messages,
    counts: builder.counts(),
    damaged: [...damaged, ...builder.damaged].toSorted((a, b) => a.line - b.line),
    ...(torn === undefined ? {} : { torn }),
  };
}

/** The lines, or one document over many of them. */
function parseLines(bytes: Uint8Array): FirstLines {
  const parser = new LineParser();
  const lines = [...parser.push(bytes), ...parser.end()];
  const { damaged, torn } = parser;
  if (mayBeDocument({ lines, damaged, torn })) {
    const whole = parseDocument(bytes);
    if (whole !== undefined && "value" in whole) {
      return { lines: [{ line: 1, offset: 0, bytes: 0, value: whole.value }], damaged: [], torn: undefined };
    }
  }
  return { lines, damaged, torn };
}
