import { findModel } from "../../models/table.js";
import { pricesAt } from "../money/cost-rule.js";
import { forkParameters } from "../prompt/fork-parameters.js";
import type { Restored, RestoredItem, SkippedItem } from "../restore/restored.js";
import { summaryBudgets } from "./divide/budgets.js";
import { createCandidate } from "./accept/candidate.js";
import { USUAL_SUMMARY_TOKENS } from "./write/fork-price.js";
import type { CompactInput, CompactPorts, CompactRun } from "./run/compact-run.js";
import type { CompactionFailureReason, WriterName } from "../events/compaction-terms.js";
import { divideFor, whyUndivided } from "./divide/pivot.js";
import { quoteHumanTexts } from "./people/quote-human-texts.js";
import { withPins } from "./divide/pins.js";
import { hasContent } from "./divide/rounds.js";
import { sectionTitles, USER_MESSAGES_SECTION } from "./shape/sections.js";
import type { SummaryVariant } from "../events/summary-variant.js";
import { textsToQuote } from "./write/texts-to-quote.js";
import { extractiveSummary, isForkTooLong, writersFor } from "./write-summary.js";
import type { WrittenSummary } from "./run/written-summary.js";

/** What a compaction would do now. */
export interface CompactionPlan {
  readonly kind: "plan";
  readonly variant: SummaryVariant;
  /** Who would write the summary, if all goes well. */
  readonly writer: WriterName;
  /** Who would be asked in turn, where one fails. */
  readonly writers: readonly WriterName[];
  /** Uuids, in order. */
  readonly summarised: readonly string[];
  readonly kept: readonly string[];
  readonly restored: readonly RestoredItem[];
  readonly notRestored: readonly SkippedItem[];
  readonly tokensBefore: number;
  /** By the estimator. What a model writes is not known yet: its usual length is assumed. */
  readonly tokensAfter: number;
  /** Tokens of messages that were cached and are read no more. */
  readonly cacheTokensLost: number;
  /** In dollars; absent for models without known prices. */
  readonly cost?: PlannedCost;
}

export interface PlannedCost {
  /** The summary call, with an answer of the usual length. */
  readonly call: number;
  /** Of that, what is sent. */
  readonly input: number;
  /** The longest answer that it may have. */
  readonly mostOutput: number;
  /** Writing the new messages into the cache. */
  readonly rewrite: number;
  /** What each later request costs less. */
  readonly savedPerRequest: number;
}

export interface NoPlan {
  readonly kind: "none";
  readonly reason: CompactionFailureReason;
}

/** Says what `compact` would do with the same input, without a model call and without changing anything. */
export async function planCompaction(
  input: CompactInput,
  ports: CompactPorts,
): Promise<CompactionPlan | NoPlan> {
  const divided = hasContent(input.live) ? (input.prepared?.division ?? divideFor(input, ports)) : undefined;
  const division = divided && withPins(divided);
  if (division === undefined) return { kind: "none", reason: whyUndivided(input.live, input.scope) };
  const run: CompactRun = {
    input,
    ports,
    division,
    instructions: input.instructions === undefined ? [] : [input.instructions],
    calls: [],
    failedAttempts: [],
    onAttempt: () => {},
    onText: () => {},
  };
  const writers = writersFor(run);
  const writer = writers.find((one) => one !== "fork" || !isForkTooLong(run));
  if (writer === undefined) return { kind: "none", reason: "no_writer" };
  const written = expectedSummary(run, writer);
  const restored = await gather(run);
  const candidate = createCandidate(run, written, restored);
  if (candidate.kind === "refused") return { kind: "none", reason: candidate.reason };
  const { tokensAfter } = candidate;
  const { pinned = [] } = division;
  const lost = (division.variant === "from" ? division.summarised : input.live).reduce(
    (sum, message) => sum + ports.estimator.message(message),
    0,
  );
  const cost = costOf(run, {
    writer,
    lost,
    tokensAfter,
    summaryTokens: ports.estimator.block({ type: "text", text: written.summary }),
  });
  return {
    kind: "plan",
    variant: division.variant,
    writer,
    writers: writers.slice(writers.indexOf(writer)),
    summarised: division.summarised.filter((one) => !pinned.includes(one)).map(({ uuid }) => uuid),
    kept: [...pinned, ...division.kept].map(({ uuid }) => uuid),
    restored: candidate.restored?.attachments ?? [],
    notRestored: candidate.restored?.skipped ?? [],
    tokensBefore: input.size.tokensBefore,
    tokensAfter,
    cacheTokensLost: lost,
    ...(cost === undefined ? {} : { cost }),
  };
}

async function gather({ ports, division }: CompactRun): Promise<Restored | undefined> {
  const { kept: keptMessages, variant } = division;
  try {
    return await ports.restore?.({ keptMessages, variant, signal: ports.signal });
  } catch {
    return undefined;
  }
}

function expectedSummary(run: CompactRun, writer: WriterName): WrittenSummary {
  const { prepared } = run.input;
  if (prepared !== undefined) return { writer, summary: prepared.summary, mended: nothingMended };
  return writer === "extractive" ? extractiveSummary(run) : usualSummary(run, writer);
}

const nothingMended = { sectionsAdded: [], messagesAdded: 0, pathsUnknown: [] } as const;

/** A text of the length that a model's summary usually has, what people said included. */
function usualSummary(run: CompactRun, writer: WriterName): WrittenSummary {
  const { ports, division } = run;
  const { estimator } = ports;
  const quotes = quoteHumanTexts(textsToQuote(run), { estimator, ...summaryBudgets(run) });
  const line = "words of a summary that nobody has written yet\n";
  const perLine = Math.max(1, estimator.block({ type: "text", text: line.repeat(100) }) / 100);
  const filler = line.repeat(Math.ceil(USUAL_SUMMARY_TOKENS / perLine));
  const titles = sectionTitles(division.variant).map((title, index) =>
    index + 1 === USER_MESSAGES_SECTION ? `${index + 1}. ${title}:\n${quotes}` : `${index + 1}. ${title}:`,
  );
  return { writer, summary: `${titles.join("\n")}\n${filler}`, mended: nothingMended };
}

function costOf(
  { input, ports }: CompactRun,
  facts: {
    readonly writer: WriterName;
    readonly lost: number;
    readonly tokensAfter: number;
    readonly summaryTokens: number;
  },
): PlannedCost | undefined {
  const model = findModel(
    facts.writer === "streaming" ? (ports.settings.compactModel ?? input.model) : input.model,
  );
  if (model === undefined) return undefined;
  const { tokensBefore, overhead } = input.size;
  const prices = pricesAt(model, tokensBefore);
  const perToken = (price: number): number => price / 1_000_000;
  const isShared = input.params !== undefined && forkParameters(input.params.parameters, "text").isKeySame;
  const read = facts.writer === "fork" ? (isShared ? tokensBefore : overhead) : 0;
  const asked = perToken(prices.cacheRead) * read + perToken(prices.input) * (tokensBefore - read);
  const written = perToken(prices.output) * facts.summaryTokens;
  const isFree = facts.writer === "extractive" || facts.writer === "notes";
  return {
    call: isFree ? 0 : asked + written,
    input: isFree ? 0 : asked,
    mostOutput: isFree ? 0 : perToken(prices.output) * ports.settings.compactOutputTokens,
    rewrite: perToken(prices.cacheWrite5m) * Math.max(0, facts.tokensAfter - overhead),
    savedPerRequest: perToken(prices.cacheRead) * Math.max(0, tokensBefore - facts.tokensAfter),
  };
}
