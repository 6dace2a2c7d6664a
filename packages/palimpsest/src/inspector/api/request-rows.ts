import type { RequestRow } from "../contract.js";
import type { ConversationIndex } from "../index/conversation-index.js";
import { previewOf } from "../index/shortened.js";
import type { TracedRequest } from "../index/trace-requests.js";

const LABEL_CHARACTERS = 120;
const MOST_NAMES = 4;

/** A request as one line of a list. */
export function requestRow(index: ConversationIndex, request: TracedRequest): RequestRow {
  const { number, at, model, lane, usage, isOutputKnown, cost } = request;
  const found = index.breakOf.get(number);
  const compaction = index.compactions.find(({ mark }) => mark.request === number)?.mark;
  return {
    number,
    at: at === null ? null : new Date(at).toISOString(),
    model,
    lane: index.traced.lanes[lane]?.id ?? "main",
    label: labelOf(index, request),
    usage,
    isOutputKnown,
    cost,
    ...(found === undefined ? {} : { breakReason: found.detail }),
    ...(compaction === undefined ? {} : { compaction: compaction.id }),
  };
}

/** What the answer did, in a few words. */
function labelOf({ messages, traced }: ConversationIndex, { pieces, lane, context }: TracedRequest): string {
  const calls = new Map<string, number>();
  let words = "";
  for (const piece of pieces) {
    const { message, blocks } = messages[piece] ?? {};
    for (const { type, name = "unknown" } of blocks ?? []) {
      if (type.endsWith("tool_use")) calls.set(name, (calls.get(name) ?? 0) + 1);
    }
    const content = message?.type === "assistant" ? message.message.content : [];
    for (const block of content) if (words === "" && block?.type === "text") words = block.text;
  }
  const names = [...calls].map(([name, times]) => (times === 1 ? name : `${name} ×${times}`));
  const called = names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? " …" : "");
  if (called !== "") return previewOf(called, LABEL_CHARACTERS);
  if (context === undefined) return traced.lanes[lane]?.name ?? "";
  return previewOf(words.replaceAll(/\s+/g, " ").trim(), LABEL_CHARACTERS);
}
