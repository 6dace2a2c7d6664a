import type { RequestMessage } from "@palimpsest/core";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { createContextTexts, type ContextTexts } from "./context-texts.js";
import { jsonTexts } from "./json-texts.js";
import { createOccurrences } from "./occurrences.js";
import type { ReferenceKind } from "./reference-spans.js";
import { extractReferences, type Reference } from "./references.js";
import { blockTexts, messageTexts } from "./shown-texts.js";
import { createTextIndex, type IndexedText, type TextIndex } from "./text-index.js";

/** A reference that the recorded action took from further back than the last message. */
export interface CountedReference {
  readonly kind: ReferenceKind;
  readonly text: string;
  /** The tool whose input names it. */
  readonly tool: string;
}

/** Says what each recorded response had to remember. One for a conversation, whatever the policies. */
export interface RecallJudge {
  /**
   * The references in the response's tool inputs that occurred earlier in the conversation and not in what the round
   * brought in; each text once. Rounds come in their order; the round belongs to the conversation from now on.
   */
  readonly turn: (round: RecordedRound) => readonly CountedReference[];
}

/** Keeps no texts: what it holds of a conversation is bounded (`occurrences.ts`). */
export function createRecallJudge(): RecallJudge {
  const earlier = createOccurrences();

  return {
    turn: ({ incoming, response }) => {
      const last = createTextIndex();
      for (const message of incoming) {
        const texts = message.type === "attachment" ? jsonTexts(message.attachment) : messageTexts(message);
        for (const text of texts) last.add(text);
      }
      const counted = new Map<string, CountedReference>();
      for (const block of response.content) {
        if (block.type !== "tool_use") continue;
        for (const { kind, text } of remembered(extractReferences(block.input), earlier)) {
          const isNew = !counted.has(text) && last.findWhole(text) === undefined;
          if (isNew) counted.set(text, { kind, text, tool: block.name });
        }
      }
      for (const message of incoming) messageTexts(message).forEach(earlier.remember);
      for (const block of response.content) blockTexts(block).forEach(earlier.remember);
      return [...counted.values()];
    },
  };
}

/** Those that occurred; of a quoted string that did not, those inside it that did. */
function remembered(
  references: readonly Reference[],
  earlier: { readonly has: (text: string) => boolean },
): readonly Reference[] {
  return references.flatMap((reference) =>
    earlier.has(reference.text) ? [reference] : remembered(reference.parts ?? [], earlier),
  );
}

/** Says what a context no longer holds. One for each policy and conversation. */
export interface ContextReader {
  /**
   * The references that do not stand in the messages as a whole. `messages` are what the model saw: after the edits of
   * the API, from its own compaction on.
   */
  readonly missing: (
    references: readonly CountedReference[],
    messages: readonly RequestMessage[],
  ) => readonly CountedReference[];
}

/** Places that were found and are likely to be asked for again. */
const MAX_FOUND = 10_000;

export function createContextReader(context: ContextTexts = createContextTexts()): ContextReader {
  const found = new Map<string, IndexedText>();

  function isPresent(text: string, texts: Pick<TextIndex, "findWhole">): boolean {
    const place = found.get(text);
    if (place !== undefined && place.uses > 0) return true;
    const next = texts.findWhole(text);
    if (next === undefined) {
      found.delete(text);
      return false;
    }
    if (found.size >= MAX_FOUND) found.clear();
    found.set(text, next);
    return true;
  }

  return {
    missing: (references, messages) => {
      const texts = context.of(messages);
      return references.filter(({ text }) => !isPresent(text, texts));
    },
  };
}
