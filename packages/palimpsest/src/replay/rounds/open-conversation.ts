import type { Message } from "@palimpsest/core";
import { isClearingBoundary } from "@palimpsest/core/engine";
import { LineParser } from "../readers/line-parser.js";
import { RecordingError } from "../readers/recording-error.js";
import type { RecordingReading } from "../readers/recording.js";
import { overviewOf } from "./overview.js";
import { messagesOf, surveyed } from "./recorded-messages.js";
import type { RecordedConversation, RecordedRound } from "./recorded-round.js";
import { openRecordingFile, type RecordedLines } from "./recording-file.js";
import { RoundBuilder } from "./round-builder.js";
import { CompactionUndoer, type PlayedMessages } from "./undo-compactions.js";

/**
 * Opens a recorded conversation of any known format, to be played from its start as if it had never been
 * compacted. Throws `RecordingError` where `readRecording` would. Subagents, abandoned branches, and errors that
 * the program wrote are left out.
 *
 * The file is read again for each `rounds()`: of its content no more than a round and a chunk is in memory (but
 * all of it for Gemini CLI, whose log says at its end what holds, and for what is one document: SWE-agent, OpenCode, lists).
 */
export const openConversation = async (path: string): Promise<RecordedConversation> =>
  conversationIn(await openRecordingFile(path));

/** The same for lines that are at hand. Throws `RecordingError` where there are no messages. */
export async function conversationIn(file: RecordedLines): Promise<RecordedConversation> {
  const reading = await surveyed(file);
  const { played, damagedLines } = await choosePlayed(file, reading);
  const rounds = () =>
    playRounds(messagesOf(file, { builder: reading.build(), parser: new LineParser() }), played);
  const { undoneCompactions, keptCompactions } = played;
  return {
    overview: {
      format: file.reader.format,
      repository: file.repository,
      ...(await overviewOf(rounds())),
      undoneCompactions,
      keptCompactions,
      damagedLines,
    },
    rounds,
  };
}

interface Chosen {
  readonly played: PlayedMessages;
  readonly damagedLines: number;
}

async function choosePlayed(file: RecordedLines, reading: RecordingReading): Promise<Chosen> {
  const parser = new LineParser();
  const builder = reading.build();
  const undoer = new CompactionUndoer();
  for await (const messages of messagesOf(file, { builder, parser })) {
    for (const message of messages) undoer.add(message);
  }
  if (undoer.count === 0) throw new RecordingError("no_messages", "holds no messages");
  return { played: undoer.finish(), damagedLines: parser.damaged.length + builder.damaged.length };
}

async function* playRounds(
  batches: AsyncIterable<readonly Message[]>,
  played: PlayedMessages,
): AsyncGenerator<RecordedRound> {
  const builder = new RoundBuilder();
  let ordinal = 0;
  for await (const messages of batches) {
    for (const message of messages) {
      if (ordinal >= played.compactedFrom) builder.compacted();
      const kept = played.keptBy(ordinal);
      if (kept !== undefined) builder.compact(kept);
      if (played.isReplacement(ordinal)) builder.replace(message);
      if (played.isClearing(ordinal) && isClearingBoundary(message)) {
        builder.clear(message.microcompactMetadata.toolUseIds);
      }
      if (played.isPlayed(ordinal)) yield* builder.take(message, played.endsResponse(ordinal));
      ordinal += 1;
    }
  }
}
