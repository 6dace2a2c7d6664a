import { TranscriptError, type Message } from "@palimpsest/core";
import { encodeLine, decodeEntry } from "@palimpsest/core/engine";

/**
 * The message as one line, without the line break. Throws a `TranscriptError` of code `bad_message` for what
 * no reader could use: stored, it would be a damaged line.
 */
export function encodeMessage(message: Message): string {
  const decoded = decodeEntry(message as unknown as Readonly<Record<string, unknown>>);
  if (decoded.kind === "damaged") {
    throw new TranscriptError(
      "bad_message",
      `A message cannot be stored (${decoded.reason}); mend it and append its batch again.`,
    );
  }
  try {
    return encodeLine(message);
  } catch (cause) {
    throw new TranscriptError(
      "bad_message",
      `Message ${message.uuid} cannot be stored because it is not JSON; mend it and append its batch again.`,
      { cause },
    );
  }
}
