import type { Message } from "@palimpsest/core";
import { LineParser } from "../readers/line-parser.js";
import type { MessageBuilder, RecordingReading } from "../readers/recording.js";
import { openRecordingFile, type RecordingFile } from "./recording-file.js";

/** What one pass over a file goes through. */
export interface Pass {
  readonly parser: LineParser;
  readonly builder: MessageBuilder;
}

/**
 * All messages of a recording of any known format in its order, in lists of what one chunk completed: never all of a
 * long one at once. Throws `RecordingError` where `readRecording` would, but for one without messages.
 */
export async function* recordedMessages(path: string): AsyncGenerator<readonly Message[]> {
  const file = await openRecordingFile(path);
  const reading = await surveyed(file);
  yield* messagesOf(file, { parser: new LineParser(), builder: reading.build() });
}

/** A reading that knows what has to be known before the first message is built. */
export async function surveyed(file: RecordingFile): Promise<RecordingReading> {
  const reading = file.reader.begin();
  if (!file.reader.needsSurvey) return reading;
  for await (const lines of file.lines(new LineParser())) for (const line of lines) reading.survey(line);
  return reading;
}

/** All messages of the file in its order, in lists of what one chunk completed. */
export async function* messagesOf(
  file: RecordingFile,
  { parser, builder }: Pass,
): AsyncGenerator<readonly Message[]> {
  for await (const lines of file.lines(parser)) yield lines.flatMap((line) => builder.take(line));
  yield builder.end();
}
