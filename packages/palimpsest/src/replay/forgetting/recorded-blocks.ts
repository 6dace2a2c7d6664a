import type { Message } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import { blockTexts } from "../measures/shown-texts.js";
import { jsonTexts } from "../measures/json-texts.js";
import { asFieldsList, asText, isFields, type Fields } from "../readers/recording.js";
import { callPieces } from "./call-pieces.js";
import type { FileNames } from "./file-names.js";
import { callSource, fileSource, wordsSource, type Block, type Source } from "./sources.js";

/** A text of a block with what it is from; a patch has texts of several files. */
export interface SourcedText {
  readonly text: string;
  readonly from: Block;
}

/** Goes through the blocks of a conversation and says what each is from. Blocks are numbered in their order. */
export interface RecordedBlocks {
  /** What was said to the model at this turn: people's words, results, attachments. */
  readonly incoming: (messages: readonly Message[], turn: number) => readonly SourcedText[];
  /** What the model said at this turn. Thinking is nobody's source: it cannot be quoted again. */
  readonly response: (content: readonly AnswerBlock[], turn: number) => readonly SourcedText[];
}

/** Calls that wait for their results; some never get one. */
const MOST_PENDING_CALLS = 1024;

export function createRecordedBlocks(names: FileNames): RecordedBlocks {
  const pending = new Map<string, Source>();
  let block = -1;

  const message = (one: Fields, turn: number): readonly SourcedText[] => {
    if (one["type"] === "attachment") {
      block += 1;
      const attachment = isFields(one["attachment"]) ? one["attachment"] : {};
      const from = { ...attachmentSource(attachment, { block, names }), block, turn };
      return jsonTexts(attachment).map((text) => ({ text, from }));
    }
    const content = one["type"] === "user" && isFields(one["message"]) ? one["message"]["content"] : [];
    const blocks: readonly unknown[] =
      typeof content === "string" ? [{ type: "text", text: content }] : asFieldsList(content);
    return blocks.flatMap((inner) => {
      block += 1;
      const id = isFields(inner) && inner["type"] === "tool_result" ? asText(inner["tool_use_id"]) : "";
      const from = { ...(pending.get(id) ?? wordsSource("what was said", block)), block, turn };
      pending.delete(id);
      return blockTexts(inner).map((text) => ({ text, from }));
    });
  };

  const answer = (one: AnswerBlock, turn: number): readonly SourcedText[] => {
    block += 1;
    if (one.type === "thinking") return [];
    if (one.type === "text") {
      return [{ text: one.text, from: { ...wordsSource("the agent's own words", block), block, turn } }];
    }
    const { id, name, input } = one;
    const source = callSource({ name, input, block }, names);
    if (id !== undefined) pending.set(id, source);
    for (const oldest of pending.keys()) {
      if (pending.size <= MOST_PENDING_CALLS) break;
      pending.delete(oldest);
    }
    return callPieces(input).map(({ text, path, directory }) => {
      const from = path === undefined ? source : fileSource(path, directory ?? "", names);
      return { text, from: { ...from, block, turn } };
    });
  };

  return {
    incoming: (messages, turn) => asFieldsList(messages).flatMap((one) => message(one, turn)),
    response: (content, turn) => content.flatMap((one) => answer(one, turn)),
  };
}

/** A file that the program showed by itself, or a note of its own. */
function attachmentSource(
  attachment: Fields,
  { block, names }: { readonly block: number; readonly names: FileNames },
): Source {
  const path = attachment["path"] ?? attachment["filename"];
  const isFile = attachment["type"] === "file" || attachment["type"] === "edited_text_file";
  return isFile && typeof path === "string"
    ? fileSource(path, "", names)
    : wordsSource("what the program said", block);
}
