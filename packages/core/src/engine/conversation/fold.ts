import { isLateAnswer } from "../../messages/late-answer.js";
import type { Message } from "../../messages/message.js";
import { isWholeTotals } from "../../messages/totals-record.js";
import { heldHeadIn } from "../prompt/request-state.js";
import { resumedTtlState } from "../prompt/ttl/resumed-ttl.js";
import { apply } from "./apply.js";
import { eventsOf } from "./resume.js";
import type { Setup } from "./stages.js";
import { emptyState, type ConversationState } from "./state.js";

/** What a conversation is by the messages of its transcript: what they tell of, applied in its order. */
export function foldMessages(
  setup: Setup,
  messages: readonly Message[],
  { model, maxTokens }: Pick<ConversationState, "model" | "maxTokens">,
): ConversationState {
  const start = emptyState(setup.contextFor(model), { model, maxTokens, stretchId: setup.ids.next() });
  if (messages.length === 0) return start;
  const folded = eventsOf(messages).reduce<ConversationState>(
    (state, event) => apply(setup, state, event),
    start,
  );
  const ttl = resumedTtlState(folded.context.live, setup.ttlFacts(folded.model));
  const stored = messages.at(-1);
  const tip = stored !== undefined && isLateAnswer(stored) ? stored.uuid : undefined;
  const head = heldHeadIn(folded.context.live);
  const isHeadStored = head !== undefined;
  // Whoever wrote messages without totals may have had other system prompt and tools: those of this conversation count.
  const isForeign = folded.context.isOverheadShown && !messages.some(isWholeTotals);
  const context = isForeign ? folded.context.useHead(start.context.size.overhead) : folded.context;
  return { ...folded, context, tip, head, isHeadStored, cache: { ...folded.cache, ttl } };
}
