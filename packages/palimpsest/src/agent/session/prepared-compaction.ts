import {
  accountOf,
  accountTotal,
  isCompactBoundary,
  type BilledCall,
  type CompactionStage,
  type Conversation,
  type Settings,
} from "@palimpsest/core";
import {
  earlyThreshold,
  type ColdSummary,
  type PreparedSummary,
  type CostFacts,
} from "@palimpsest/core/engine";
import type { CompactionFailed } from "@palimpsest/core/compaction";
import type { TakenUp } from "../loop/agent.js";
import { afterPreCompact, writeBeside, type SummaryJob } from "./summary-beside.js";

/** What came of writing a summary while nobody was there. */
export interface WrittenBeside {
  readonly isReady: boolean;
  readonly dollars: number;
  /** Tokens that were read from the cache: its lifetime has begun anew. */
  readonly tokensRead: number;
}

/**
 * A compaction whose summary is written while the cache is warm and which takes effect once it is cold. There is one at most,
 * it is kept in memory, and nothing of the conversation changes before it is taken up.
 */
export interface PreparedCompaction {
  /** To be handed to the conversation in place of the stage that it was made with. */
  readonly stage: CompactionStage;
  /** What one would cost and leave, roughly; undefined where none may be made or one is there. */
  readonly expected: (cost: CostFacts) => ColdSummary | undefined;
  /** The same by a plan of the compaction; undefined where nobody would write it on the conversation's cache. */
  readonly planned: () => Promise<ColdSummary | undefined>;
  /** Writes the summary for at most so many dollars, on what a request then left in the cache. Never rejects. */
  readonly prepare: (given: {
    readonly dollarsLeft: number;
    readonly requestAt: number;
    readonly signal: AbortSignal;
  }) => Promise<WrittenBeside>;
  /** Somebody speaks: with a cold cache it takes effect, else it is thrown away. Rejects as the store does. */
  readonly takeUp: (now: {
    readonly isCold: boolean;
    readonly signal: AbortSignal;
  }) => Promise<TakenUp | undefined>;
}

interface Held extends WrittenBeside, Omit<PreparedSummary, "division"> {
  /** Uuids of what the summary is about, in their order. */
  readonly covered: readonly string[];
}

type Running = Parameters<CompactionStage["perform"]>[0];

type Job = SummaryJob | { readonly kind: "swap"; readonly held: Held };

const MILLION = 1_000_000;
/** What a summary usually has, and with what comes back after it. */
const SUMMARY_TOKENS = 3500;
const AFTER_SUMMARY_TOKENS = 15_000;
/** Replaced by the stage: with a scope nothing else is done before it has its turn. */
const placeholder = { kind: "up_to", pivot: "" } as const;

const inDollars = (amount: number): string => `$${amount.toFixed(4)}`;

export function createPreparedCompaction(
  conversation: () => Conversation,
  { inner, settings }: { readonly inner: CompactionStage; readonly settings: Settings },
): PreparedCompaction {
  /** By the signals that they were asked for with: whatever else waits for its turn is not one of them. */
  const jobs = new WeakMap<AbortSignal, Job>();
  let held: Held | undefined;

  /**
   * For the conversation as it is now. What came since is kept, and so is what a compaction would keep now, though the summary
   * tells of it too. Undefined where the conversation no longer begins with what the summary is about.
   */
  const preparedFor = async (
    { summary, writer, mended, covered }: Held,
    running: Running,
  ): Promise<PreparedSummary | undefined> => {
    const plan = await inner.plan(running, {});
    const { live } = running.state.context;
    if (covered.some((uuid, at) => live[at]?.uuid !== uuid)) return undefined;
    const last = plan.kind === "plan" ? plan.summarised.at(-1) : undefined;
    const cut = live.findIndex(({ uuid }) => uuid === last) + 1;
    const at = cut === 0 ? covered.length : Math.min(cut, covered.length);
    const kept = live.slice(at).filter((message) => !isCompactBoundary(message));
    // What is only noted beside the conversation is no reason to keep a tail.
    const division = kept.some(({ type }) => type !== "system")
      ? ({ variant: "up_to", summarised: live.slice(0, at), kept } as const)
      : ({ variant: "full", summarised: live, kept: [] } as const);
    return { summary, division, ...(writer && { writer }), ...(mended && { mended }) };
  };

  const stage: CompactionStage = {
    ...inner,
    async perform(running, request) {
      const { signal } = request;
      const job = signal && jobs.get(signal);
      if (job?.kind === "prepare") return writeBeside(inner, running, { job, signal });
      if (job !== undefined) {
        const prepared = await preparedFor(job.held, running);
        if (prepared === undefined) return anotherOne;
        return inner.perform(afterPreCompact(running), { trigger: "auto", signal, prepared });
      }
      const prepared = held && isUnasked(request) ? await preparedFor(held, running) : undefined;
      if (prepared === undefined) return inner.perform(running, request);
      held = undefined;
      const used = await inner.perform(afterPreCompact(running), { ...request, usesNotes: false, prepared });
      return used.kind === "compacted" || used.reason === "aborted" ? used : inner.perform(running, request);
    },
  };

  const run = async (job: Job, signal: AbortSignal) => {
    const own = AbortSignal.any(job.kind === "prepare" ? [signal, job.stop.signal] : [signal]);
    jobs.set(own, job);
    return conversation().compact({ scope: placeholder, signal: own });
  };

  return {
    stage,
    expected({ prices, cache }) {
      const { notes, compactFork, compactServerWriter, disableCompact, keepRecentTokens } = settings;
      // With notes a summary costs no call.
      if (held !== undefined || disableCompact || notes || !compactFork || compactServerWriter)
        return undefined;
      const talk = conversation();
      // What was called off, or waits for an answer, is not over.
      if (talk.live.findLast(({ type }) => type === "user" || type === "assistant")?.type !== "assistant")
        return undefined;
      const size = talk.size();
      const { tokens, thresholds, shownOverhead } = size;
      // Automatic compaction is off, or the breaker holds it back.
      if (!(size.compactAt < thresholds.hardAt)) return undefined;
      const overhead = shownOverhead === 0 ? size.overhead : shownOverhead;
      const least = earlyThreshold({
        thresholds,
        settings,
        // The summary is paid for by then.
        cost: { prices: { ...prices, input: 0, output: 0 }, cache: { ...cache, state: "cold" } },
        tokens,
        overhead,
        stretch: { startTokens: undefined, responses: 0, redone: 0, cleared: 0 },
      });
      if (tokens < least) return undefined;
      return {
        dollars: (tokens * prices.cacheRead + SUMMARY_TOKENS * prices.output) / MILLION,
        tokensAfter: overhead + keepRecentTokens + AFTER_SUMMARY_TOKENS,
      };
    },
    async planned() {
      const { steps } = await conversation().plan({ instructions: "" });
      const [step] = steps;
      if (step?.tier !== "full" || step.plan.kind === "none") return undefined;
      const { writer, cost, tokensAfter } = step.plan;
      return writer === "fork" && cost !== undefined ? { dollars: cost.call, tokensAfter } : undefined;
    },
    async prepare({ dollarsLeft, requestAt, signal }) {
      const calls: BilledCall[] = [];
      const stop = new AbortController();
      const job: SummaryJob = { kind: "prepare", dollarsLeft, requestAt, stop, calls, live: [] };
      const outcome = await run(job, signal).catch(() => undefined);
      const { dollars, cacheReadTokens: tokensRead } = accountTotal(accountOf(calls));
      const paid = { dollars, tokensRead };
      if (outcome?.kind !== "compacted" || signal.aborted) return { isReady: false, ...paid };
      const { summary, writer, mended, boundary } = outcome;
      const count = Number(boundary.compactMetadata?.messagesSummarized ?? 0);
      const covered = job.live.slice(0, count).map(({ uuid }) => uuid);
      held = { isReady: true, ...paid, summary, writer, mended, covered };
      return held;
    },
    async takeUp({ isCold, signal }) {
      const one = held;
      held = undefined;
      if (one === undefined) return undefined;
      const unused = `The summary that was prepared while you were away (${inDollars(one.dollars)}) is not used:`;
      if (!isCold) return { notice: `${unused} The cache is still warm.` };
      const outcome = await run({ kind: "swap", held: one }, signal);
      if (outcome.kind === "failed") return { notice: `${unused} ${outcome.message}` };
      const { stored: added, tokensBefore, tokensAfter, messageForPerson } = outcome;
      const [line = ""] = messageForPerson.split("\n");
      const text = `${line} · prepared while you were away for ${inDollars(one.dollars)}`;
      return { step: { tier: "full", added, tokensBefore, tokensAfter, text, compacted: outcome } };
    },
  };
}

const anotherOne: CompactionFailed = {
  kind: "failed",
  reason: "not_enough_messages",
  message: "The conversation is another one now.",
  failedAttempts: [],
  calls: [],
};

type Request = Parameters<CompactionStage["perform"]>[1];

/** Nobody wants anything of it that the prepared one does not have. */
const isUnasked = ({ scope, instructions, toFit, isRefused }: Request): boolean =>
  scope === undefined && instructions === undefined && toFit === undefined && isRefused !== true;
