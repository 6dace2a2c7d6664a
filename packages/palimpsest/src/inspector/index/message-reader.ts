import type { Message } from "@palimpsest/core";
import { open, type FileHandle } from "node:fs/promises";
import { LineParser } from "../../replay/readers/line-parser.js";
import { openRecordingFile, type RecordingFile } from "../../replay/rounds/recording-file.js";
import type { Place } from "./indexed-message.js";
import type { ScannedRecording } from "./scan-recording.js";

/** Reads messages with all their words from their places in a file. */
export interface MessageReader {
  /** In the order of the places; undefined for what is not there any more, because the file was written anew. */
  read(places: readonly Place[]): Promise<readonly (Message | undefined)[]>;
}

/** Bytes of a whole document whose messages are kept for the next question. */
const MOST_KEPT_BYTES = 32 * 1024 * 1024;

export function createMessageReader(path: string, scanned: Pick<ScannedRecording, "isWhole">): MessageReader {
  let opened: Promise<RecordingFile> | undefined;
  let whole: Promise<readonly Message[]> | undefined;
  const file = (): Promise<RecordingFile> => (opened ??= openRecordingFile(path));

  const readWhole = async (): Promise<readonly Message[]> => {
    if (whole !== undefined) return whole;
    const recording = await file();
    const messages = allMessages(recording);
    if (recording.size <= MOST_KEPT_BYTES) whole = messages;
    return messages;
  };

  return {
    async read(places) {
      if (scanned.isWhole) {
        const messages = await readWhole();
        return places.map(({ sub }) => messages[sub]);
      }
      const { reader } = await file();
      const handle = await open(path, "r");
      try {
        const found: (Message | undefined)[] = [];
        let line: { readonly offset: number; readonly messages: readonly Message[] } | undefined;
        for (const { offset, bytes, sub } of places) {
          if (line?.offset !== offset)
            line = { offset, messages: await messagesAt(handle, { offset, bytes }, reader) };
          found.push(line.messages[sub]);
        }
        return found;
      } finally {
        await handle.close();
      }
    },
  };
}

/** Reads from whichever of several files a place is in. */
export function createFilesReader(readers: readonly MessageReader[]): MessageReader {
  return {
    async read(places) {
      const found: (Message | undefined)[] = [];
      for (let from = 0; from < places.length;) {
        const file = places[from]?.file ?? 0;
        let to = from + 1;
        while (to < places.length && (places[to]?.file ?? 0) === file) to += 1;
        const some = places.slice(from, to);
        found.push(...((await readers[file]?.read(some)) ?? some.map(() => undefined)));
        from = to;
      }
      return found;
    },
  };
}

/** The messages of one line, which are made of it alone. */
async function messagesAt(
  handle: FileHandle,
  { offset, bytes }: Pick<Place, "offset" | "bytes">,
  reader: RecordingFile["reader"],
): Promise<readonly Message[]> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, offset);
  const parser = new LineParser();
  const lines = [...parser.push(buffer.subarray(0, bytesRead)), ...parser.end()];
  const reading = reader.begin();
  if (reader.needsSurvey) {
    // Whoever surveys takes the first line for a header.
    for (const line of lines) reading.survey({ ...line, line: 0, value: {} });
    for (const line of lines) reading.survey(line);
  }
  const builder = reading.build();
  return lines.flatMap((line) => builder.take(line));
}

async function allMessages(file: RecordingFile): Promise<readonly Message[]> {
  const reading = file.reader.begin();
  for await (const lines of file.lines(new LineParser())) for (const line of lines) reading.survey(line);
  const builder = reading.build();
  const messages: Message[] = [];
  for await (const lines of file.lines(new LineParser())) {
    for (const line of lines) messages.push(...builder.take(line));
  }
  return [...messages, ...builder.end()];
}
