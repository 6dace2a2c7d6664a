import type { Message } from "@palimpsest/core";
import { conversationBuilder, type ConversationBuilder } from "@palimpsest/core/testing";
import { createJsonlStore } from "../stores/jsonl/store.js";

const MEGABYTE = 1024 * 1024;
const FILE_SIZE = 100 * MEGABYTE;
const LIVE_SIZE = 400 * 1024;

interface Transcript {
  readonly id: string;
  /** What the last boundary keeps lies in the middle of the file. */
  readonly hasSegment: boolean;
}

/** Writes a transcript of 100 MB with a boundary near its end. */
export async function writeTranscript(directory: string, { id, hasSegment }: Transcript): Promise<void> {
  const talk = conversationBuilder();
  const writer = await createJsonlStore({ directory }).open(id);
  const fill = async (size: number): Promise<void> => {
    for (let bytes = 0; bytes < size; bytes += MEGABYTE) await writer.append(chatter(talk, MEGABYTE));
  };
  await fill(FILE_SIZE / 2);
  await writer.append(talk.compaction());
  const kept = chatter(talk, LIVE_SIZE / 2);
  await writer.append(kept);
  await fill(FILE_SIZE / 2);
  const [head, tail] = [kept[0], kept.at(-1)];
  if (head === undefined || tail === undefined) throw new Error("unreachable");
  await writer.append(talk.compaction(hasSegment ? { head, tail, place: "before-boundary" } : undefined));
  await writer.append(chatter(talk, hasSegment ? LIVE_SIZE / 2 : LIVE_SIZE));
  await writer.close();
}

/** Text that is not one letter over and over, so that it parses like text. */
const paragraph = (seed: number): string =>
  `Line ${seed}: the quick brown "fox" jumps över\n\tthe lazy dog. `.repeat(25);

function chatter(talk: ConversationBuilder, size: number): readonly Message[] {
  const messages: Message[] = [];
  for (let bytes = 0, count = 0; bytes < size; count += 1) {
    const message = count % 2 === 0 ? talk.user(paragraph(count)) : talk.assistant(paragraph(count));
    messages.push(message);
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
  }
  return messages;
}
