import type { Accounting, Conversation, Share } from "@palimpsest/core";
import type { CommandResult } from "./command-result.js";
import { figure } from "./figures.js";

interface Category {
  readonly name: string;
  readonly tokens: number;
  readonly count?: number;
}

/** What is in the context, by category; where it is compacted; what would be done before the next request. */
export async function contextCommand(conversation: Conversation): Promise<CommandResult> {
  const plan = await conversation.plan();
  const size = conversation.size();
  const accounting = conversation.accounting();
  const { thresholds, compactAt, percentLeft, pressure } = size;
  const head = size.shownOverhead === 0 ? size.overhead : size.shownOverhead;
  const categories: readonly Category[] = [
    { name: "system prompt and tools", tokens: head },
    ...categoriesOf(accounting),
  ].filter(({ tokens }) => tokens > 0);
  // The API counts what stands between the messages too; an estimate may be off.
  const rest = size.tokens - categories.reduce((sum, { tokens }) => sum + tokens, 0);
  const limit = compactAt;
  const next = plan.held?.message ?? plan.steps.map(({ tier }) => tier).join(", ");
  const lines = [
    `${figure(size.tokens)} of ${figure(thresholds.contextWindow)} tokens · ${percentLeft}% left · ${conversation.model}`,
    "",
    ...categories.map(
      ({ name, tokens, count }) =>
        `${figure(tokens).padStart(10)}  ${share(tokens, size.tokens).padStart(6)}  ${name}${count === undefined ? "" : ` (${count})`}`,
    ),
    ...(Math.abs(rest) < 10
      ? []
      : [`${figure(rest).padStart(10)}  ${share(rest, size.tokens).padStart(6)}  estimates are off by`]),
    "",
    thresholds.isAutoCompactOn
      ? `compacted at ${figure(limit)} tokens; warned of from ${figure(thresholds.warnAt)} on; full at ${figure(thresholds.hardAt)}`
      : `automatic compaction is off; full at ${figure(thresholds.hardAt)}`,
    next === "" ? "before the next request nothing would be done" : `before the next request: ${next}`,
  ];
  return {
    kind: "done",
    text: lines.join("\n"),
    data: {
      model: conversation.model,
      tokens: size.tokens,
      percentLeft,
      pressure,
      compactAt,
      thresholds,
      size: {
        tokens: size.tokens,
        padded: size.padded,
        reported: size.reported,
        estimated: size.estimated,
        messageTokens: size.messageTokens,
        headTokens: head,
      },
      categories,
      unattributed: rest,
      accounting,
      plan,
    },
  };
}

const share = (tokens: number, all: number): string =>
  all === 0 ? "" : `${((100 * tokens) / all).toFixed(1)}%`;

const categoriesOf = (accounting: Accounting): readonly Category[] => [
  { name: "what people said", tokens: accounting.human },
  { name: "answers", tokens: accounting.assistant },
  ...named("calls of", accounting.toolRequests),
  ...named("results of", accounting.toolResults),
  ...named("attached:", accounting.attachments),
  { name: "output of commands of the person", tokens: accounting.localCommandOutput },
  { name: "pictures and documents", tokens: accounting.other },
];

const named = (word: string, shares: Readonly<Record<string, Share>>): readonly Category[] =>
  Object.entries(shares).map(([name, { tokens, count }]) => ({ name: `${word} ${name}`, tokens, count }));
