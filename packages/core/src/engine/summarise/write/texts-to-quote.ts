import { asText, contentText } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import { isCompactBoundary } from "../../../messages/predicates.js";
import { summaryBudgets } from "../divide/budgets.js";
import type { CompactRun } from "../run/compact-run.js";
import type { HumanText } from "../people/human-text.js";
import { humanTextsOf } from "../people/human-texts.js";
import { humanQuotes } from "../people/quote-human-texts.js";
import { USER_MESSAGES_SECTION } from "../shape/sections.js";
import { findSections, sectionBody } from "../shape/summary-sections.js";
import { createTextFinder } from "../people/text-finder.js";

/**
 * What people said that the summary has to quote, because nothing that is kept shows it any more. Where the summary
 * takes the place of an earlier one, that is also what the earlier one quoted: the boundary that carries those words
 * may stand anywhere in the conversation.
 */
export function textsToQuote(run: CompactRun): readonly HumanText[] {
  const { summarised, kept, pinned = [] } = run.division;
  const keptUuids = new Set([...kept, ...pinned].map(({ uuid }) => uuid));
  if (!summarised.some((message) => isCompactBoundary(message) || quotedIn(message) !== undefined)) {
    return humanTextsOf(summarised).filter(({ uuid }) => !keptUuids.has(uuid));
  }
  const isQuoted = createQuoteFinder(run);
  return humanTextsOf(run.input.live).filter((said) => !keptUuids.has(said.uuid) && !isQuoted(said));
}

/** Tells whether a kept summary quotes a text, as whole as this one could. */
function createQuoteFinder(run: CompactRun): (said: HumanText) => boolean {
  const quoted = run.division.kept.map((message) => quotedIn(message) ?? "").join("\n");
  if (quoted.trim() === "") return () => false;
  const { estimator } = run.ports;
  const { perMessageTokens } = summaryBudgets(run);
  const isThere = createTextFinder(quoted);
  return (said) =>
    humanQuotes([said], { estimator, perMessageTokens, totalTokens: Infinity }).quotes.some(
      ({ pieces }) => pieces.length > 0 && pieces.every((piece) => isThere(piece)),
    );
}

/** What a compaction before has quoted in a message; undefined where the message is none of its own. */
function quotedIn(message: Message): string | undefined {
  if (message.type === "attachment") {
    const { type, content } = message.attachment ?? {};
    return type === "earlier_user_messages" ? asText(content) : undefined;
  }
  if (message.type !== "user" || message.isCompactSummary !== true) return undefined;
  const text = contentText(message.message.content);
  return sectionBody(text, findSections(text), USER_MESSAGES_SECTION);
}
