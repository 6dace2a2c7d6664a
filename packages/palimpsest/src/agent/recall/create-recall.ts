import {
  isPalimpsestError,
  PalimpsestError,
  type ConversationTool,
  type Message,
  type TranscriptStore,
} from "@palimpsest/core";
import { encodeLine, recallTool } from "@palimpsest/core/engine";
import { isFields, type Fields } from "../base/fields.js";
import { answerFrom, type OpenTranscript } from "./answer.js";
import { withTranscript, type TranscriptFile } from "./transcript-file.js";

/** Where what left the context is found again: a conversation in a store, or its file, of which only what is needed is read. */
export type RecallOptions =
  | { readonly store: Pick<TranscriptStore, "readAll">; readonly id: string }
  | { readonly transcriptPath: string };

/** Recall, as `createConversation` takes it among its tools; own loops send `definition` and answer its calls with `run`. */
export interface RecallTool extends ConversationTool {
  readonly definition: typeof recallTool;
  /** Carries out a call. What cannot be found or was asked wrongly rejects, with a sentence for the model. */
  readonly run: (input: Fields, call?: { readonly signal?: AbortSignal }) => Promise<string>;
}

/**
 * The tool by which a model finds again, word for word, what was summarised or cleared. Hand `recallHint` and `droppedHint` of
 * `@palimpsest/core/engine` to the conversation too, so that the model is told of it where something is missing.
 */
export function createRecall(options: RecallOptions): RecallTool {
  const open = openerOf(options);
  return {
    definition: recallTool,
    async run(input, { signal = new AbortController().signal } = {}) {
      const { content, isError } = await answerFrom(input, { open, isSidechain: false, signal });
      const text = typeof content === "string" ? content : JSON.stringify(content);
      if (isError === true) throw new Error(text);
      return text;
    },
  };
}

function openerOf(options: RecallOptions): OpenTranscript {
  const given: Fields = isFields(options) ? options : {};
  const { transcriptPath, id } = given;
  if (typeof transcriptPath === "string") return (use) => withTranscript(transcriptPath, use);
  const store = given["store"] as Pick<TranscriptStore, "readAll"> | undefined;
  if (typeof store?.readAll !== "function" || typeof id !== "string") {
    throw new PalimpsestError("bad_option", "createRecall: takes `{ store, id }` or `{ transcriptPath }`");
  }
  return async (use) => {
    try {
      const { messages } = await store.readAll(id);
      return await use(fileOf(messages));
    } catch (error) {
      if (isPalimpsestError(error, "not_found")) return undefined;
      throw error;
    }
  };
}

/** Messages as the file that they would be. */
function fileOf(messages: readonly Message[]): TranscriptFile {
  const bytes = Buffer.from(messages.map((message) => `${encodeLine(message)}\n`).join(""));
  return {
    size: bytes.length,
    async fill(buffer, start) {
      bytes.copy(buffer, 0, start, start + buffer.length);
    },
  };
}
