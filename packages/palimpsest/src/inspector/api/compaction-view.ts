import { isCompactBoundary, type Message } from "@palimpsest/core";
import { isFields } from "../../replay/readers/recording.js";
import { callsToldIn } from "../../replay/recorded-calls.js";
import { costOfCalls } from "../../replay/recorded-cost.js";
import type { CompactionItem, CompactionView } from "../contract.js";
import type { ConversationIndex } from "../index/conversation-index.js";
import { beginningOf, previewOf } from "../index/shortened.js";
import type { Standing } from "../index/trace-lane.js";
import { wordsOf } from "./block-words.js";
import { attachmentWords } from "./attachment-words.js";
import { blocksOfRequest, type PlacedBlock } from "./context-blocks.js";
import type { OpenConversation } from "./conversations.js";

/** The items of a side, at most: of more the largest, in their order. */
const MOST_ITEMS = 1500;
const PREVIEW_CHARACTERS = 200;
const SUMMARY_CHARACTERS = 200_000;

/** What a compaction made of the conversation; undefined where there is none of this id. */
export async function compactionView(
  conversation: OpenConversation,
  id: string,
): Promise<CompactionView | undefined> {
  const { index, canUndo } = conversation;
  const found = index.compactions.find(({ mark }) => mark.id === id);
  if (found === undefined) return undefined;
  const { mark, boundary } = found;
  const before = blocksAt(index, index.traced.beforeBoundary.get(boundary));
  const after = blocksAt(index, standingAfter(index, boundary));
  const [stood, stands] = [ordinalsOf(before), ordinalsOf(after)];
  const summaries = after.filter(({ ordinal }) => isSummary(index.messages[ordinal]?.message));
  const message = index.messages[boundary]?.message;
  const calls = message === undefined ? [] : (callsToldIn(message)?.calls ?? []);
  const words = await wordsOf(conversation, summaries);
  return {
    ...mark,
    cost: calls.length === 0 ? null : costOfCalls(calls).dollars,
    writer: writerOf(message, new Set(calls.map(({ model }) => model))),
    summary: beginningOf(words.join("\n\n"), SUMMARY_CHARACTERS),
    findings: findingsOf(message),
    before: itemsOf(index, before, ({ ordinal, facts }) => {
      if (stands.has(ordinal)) return "kept";
      // The summary before goes into the new one; what programs put beside messages does not.
      if (isSummary(index.messages[ordinal]?.message)) return "summarised";
      return facts.kind === "attachments" ? "dropped" : "summarised";
    }),
    after: itemsOf(index, after, ({ ordinal }) =>
      stood.has(ordinal) ? "kept" : isSummary(index.messages[ordinal]?.message) ? "summary" : "restored",
    ),
    canUndo: canUndo && found === index.compactions.at(-1),
  };
}

/** What stands after a boundary, up to the first answer that came then. */
function standingAfter({ traced, messages }: ConversationIndex, boundary: number): Standing | undefined {
  const next = traced.requests[traced.requestAfter[boundary] ?? -1];
  if (next?.context !== undefined) return next.context;
  const isLast = !messages.slice(boundary + 1).some(({ message }) => isCompactBoundary(message));
  return isLast ? traced.standings[0] : undefined;
}

const blocksAt = (index: ConversationIndex, context: Standing | undefined): readonly PlacedBlock[] =>
  context === undefined ? [] : blocksOfRequest(index, { context });

const ordinalsOf = (blocks: readonly PlacedBlock[]): ReadonlySet<number> =>
  new Set(blocks.map(({ ordinal }) => ordinal));

const isSummary = (message: Message | undefined): boolean =>
  message?.type === "user" && message.isCompactSummary === true;

/** In words: who wrote it, and the models that were called for it. */
function writerOf(message: Message | undefined, models: ReadonlySet<string>): string {
  const name = message !== undefined && isCompactBoundary(message) ? message.compactMetadata?.["writer"] : "";
  const writer = typeof name === "string" ? beginningOf(name, WRITER_CHARACTERS) : "";
  const called = [...models].join(", ");
  if (writer === "" || called === "") return writer || called || "not recorded";
  return `${writer} (${called})`;
}

/** What the boundary itself tells of how its summary was checked. */
function findingsOf(message: Message | undefined): readonly string[] {
  if (message === undefined || !isCompactBoundary(message)) return [];
  const mended: unknown = message.compactMetadata?.["mended"];
  if (!isFields(mended)) return [];
  return MENDED.flatMap(([what, one, many]) => {
    const found = mended[what];
    const count = Array.isArray(found) ? found.length : found;
    if (typeof count !== "number" || !(count > 0)) return [];
    return [count === 1 ? `1 ${one}` : `${count} ${many}`];
  });
}

const WRITER_CHARACTERS = 60;

/** In the order in which they are shown. */
const MENDED = [
  ["sectionsAdded", "section was missing and was added", "sections were missing and were added"],
  [
    "messagesAdded",
    "message of a person was missing and was added",
    "messages of people were missing and were added",
  ],
  [
    "pathsUnknown",
    "path is named that was not in the conversation",
    "paths are named that were not in the conversation",
  ],
] as const;

function itemsOf(
  index: ConversationIndex,
  blocks: readonly PlacedBlock[],
  fateOf: (block: PlacedBlock) => CompactionItem["fate"],
): readonly CompactionItem[] {
  const least = blocks.map(({ facts }) => facts.tokens).toSorted((a, b) => b - a)[MOST_ITEMS] ?? -1;
  return blocks
    .filter(({ facts }) => facts.tokens > least)
    .map((placed) => ({
      block: `${placed.ordinal}-${placed.block}`,
      kind: placed.facts.kind,
      tokens: placed.isCleared ? 0 : placed.facts.tokens,
      preview: previewOf(lightWords(index, placed), PREVIEW_CHARACTERS),
      fate: fateOf(placed),
    }));
}

/** The first words of a block, as the index has them. */
function lightWords({ messages }: ConversationIndex, { ordinal, block, facts }: PlacedBlock): string {
  const message = messages[ordinal]?.message;
  if (message?.type === "attachment") return attachmentWords(message.attachment);
  const content = message?.type === "user" || message?.type === "assistant" ? message.message.content : [];
  const value: unknown = typeof content === "string" ? content : content[block];
  const { text, thinking, content: result, input } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof text === "string") return text;
  if (typeof thinking === "string") return thinking === "" ? facts.type : `${facts.type}: ${thinking}`;
  if (typeof result === "string") return result;
  return input === undefined ? (facts.name ?? facts.type) : `${facts.name ?? ""} ${JSON.stringify(input)}`;
}
