import type { Message } from "@palimpsest/core";
import { LineParser } from "../readers/line-parser.js";
import type { MessageBuilder, RecordingReading } from "../readers/recording.js";
import type { RecordedLines } from "./recording-file.js";

/** What one pass over a file goes through. */
interface Pass {
  readonly parser: LineParser;
  readonly builder: MessageBuilder;
}

/** A reading that knows what has to be known before the first message is built. */
export async function surveyed(file: RecordedLines): Promise<RecordingReading> {
  const reading = file.reader.begin();
  if (!file.reader.needsSurvey) return reading;
  for await (const lines of file.lines(new LineParser())) for (const line of lines) reading.survey(line);
  return reading;
}

/** All messages of the file in its order, in lists of what one chunk completed. */
export async function* messagesOf(
  file: RecordedLines,
  { parser, builder }: Pass,
): AsyncGenerator<readonly Message[]> {
  for await (const lines of file.lines(parser)) yield lines.flatMap((line) => builder.take(line));
  yield builder.end();
}
