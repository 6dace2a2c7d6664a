import { accountOf, accountTotal, findModel, type Conversation, type ModelProvider } from "@palimpsest/core";
import {
  billCall,
  buildFork,
  createCallMeter,
  createDefaultEstimator,
  decideKeepAlive,
  keepAliveRequest,
  pricesAt,
  type ColdSummary,
  type KeepAliveFacts,
  type KeepAliveSettings,
} from "@palimpsest/core/engine";
import { setTimeout } from "node:timers/promises";
import type { PreparedCompaction, WrittenBeside } from "./prepared-compaction.js";

/** What was paid to keep the cache of a conversation warm while its person is away. */
export interface KeptAlive {
  /** Tokens that were read. */
  readonly tokens: number;
  readonly dollars: number;
  /** Of all in this conversation. */
  readonly dollarsSoFar: number;
}

export interface KeepAliveOptions {
  readonly provider: ModelProvider;
  readonly settings: KeepAliveSettings & { readonly cacheKeepAliveDollars: number };
  readonly now: () => number;
  /** Resolves after so many milliseconds, or once the signal is aborted. Default: as the machine's clock goes. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly onKept?: (sentence: string, kept: KeptAlive) => void;
  /** Written on the last warm minute where the pause is likely to outlast the cache. Default: never. */
  readonly prepared?: Pick<PreparedCompaction, "expected" | "planned" | "prepare">;
  readonly onPrepared?: (sentence: string, written: WrittenBeside) => void;
}

/** Keeps the cache of a conversation warm in its pauses, as far as that pays and as many dollars as are allowed. */
export interface KeepAlive {
  /** Until the signal is aborted, because the person is back or the program ends. Never rejects. */
  readonly during: (signal: AbortSignal) => Promise<void>;
  /** When the last request began that kept it warm; undefined where none did since the conversation's own. */
  readonly lastAt: () => number | undefined;
  /** What the last request left in the cache has ended. */
  readonly isCold: () => boolean;
}

const sleep: NonNullable<KeepAliveOptions["wait"]> = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});

const inDollars = (amount: number): string => `$${amount.toFixed(4)}`;

const keptSentence = ({ tokens, dollars: cost, dollarsSoFar }: KeptAlive, most: number): string =>
  `The cache was kept warm: ${tokens.toLocaleString("en-US")} tokens were read for ${inDollars(cost)} (${inDollars(dollarsSoFar)} of at most ${inDollars(most)}).`;

const preparedSentence = (
  { isReady, dollars }: WrittenBeside,
  { dollarsSoFar, most }: { readonly dollarsSoFar: number; readonly most: number },
): string => {
  const sums = `${inDollars(dollars)} (${inDollars(dollarsSoFar)} of at most ${inDollars(most)})`;
  return isReady
    ? `A summary was prepared on the warm cache for ${sums}: it is used if you come back after the cache has ended.`
    : `A summary that was begun on the warm cache came to nothing, for ${sums}.`;
};

const usageOf = (conversation: Conversation): number => {
  const last = conversation.live.findLast((message) => message.type === "assistant");
  const usage = last?.type === "assistant" ? last.message.usage : undefined;
  return (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
};

export function createKeepAlive(conversation: () => Conversation, options: KeepAliveOptions): KeepAlive {
  const { provider, settings, now, wait = sleep, onKept, prepared, onPrepared } = options;
  let spent = 0;
  let lastPingAt: number | undefined;
  let lastRequestAt: number | undefined;
  /** The request after which a summary was tried to be prepared, and the one after which that is ready: once in a pause. */
  let triedAfter: number | undefined;
  let readyAfter: number | undefined;

  /** Undefined where there is nothing to decide by. */
  const factsNow = (pingsSoFar: number): KeepAliveFacts | undefined => {
    const talk = conversation();
    const model = findModel(talk.model);
    const begun = talk.ttl.state().lastRequestAt;
    if (model === undefined || begun === undefined) return undefined;
    if (begun !== lastRequestAt) lastPingAt = undefined;
    lastRequestAt = begun;
    const cachedTokens = usageOf(talk);
    return {
      settings,
      ttl: talk.ttl.decision().ttl,
      now: now(),
      lastRequestAt: begun,
      ...(lastPingAt === undefined ? {} : { lastPingAt }),
      pingsSoFar,
      cachedTokens,
      prices: pricesAt(model, cachedTokens),
      gaps: talk.ttl.gaps(),
      dollarsLeft: settings.cacheKeepAliveDollars - spent,
    };
  };

  const prepare = async (begun: number, signal: AbortSignal): Promise<void> => {
    triedAfter = begun;
    const at = now();
    const most = settings.cacheKeepAliveDollars;
    const written = await prepared?.prepare({ dollarsLeft: most - spent, requestAt: begun, signal });
    if (written === undefined) return;
    spent += written.dollars;
    if (written.isReady) readyAfter = begun;
    if (written.tokensRead > 0) lastPingAt = at;
    if (written.isReady || written.dollars > 0)
      onPrepared?.(preparedSentence(written, { dollarsSoFar: spent, most }), written);
  };

  /** Whether something was read. */
  const ping = async (begun: number, signal: AbortSignal): Promise<boolean> => {
    const talk = conversation();
    const params = talk.cacheSafeParams();
    if (params === undefined) return false;
    const at = now();
    // What the last request left is alive, however long ago that was.
    const shared = buildFork(params, { source: "keep_alive", messages: [], now: begun });
    const request = keepAliveRequest(shared.request);
    if (request === undefined) return false;
    const meter = createCallMeter(request);
    const call = { request: request as typeof shared.request, betas: shared.betas };
    for await (const output of provider.stream(call, { signal, ...meter })) {
      meter.see(output);
    }
    const estimator = createDefaultEstimator({ model: talk.model });
    const bills = meter.sent().map((sent) => billCall(sent, { source: "keep_alive", estimator }));
    await talk.charge(...bills);
    const { dollars, cacheReadTokens } = accountTotal(accountOf(bills));
    spent += dollars;
    if (bills.length > 0) {
      const kept = { tokens: cacheReadTokens, dollars, dollarsSoFar: spent };
      onKept?.(keptSentence(kept, settings.cacheKeepAliveDollars), kept);
    }
    if (cacheReadTokens > 0) lastPingAt = at;
    return cacheReadTokens > 0;
  };

  return {
    lastAt: () => lastPingAt,
    isCold() {
      const facts = factsNow(0);
      const decision = facts && decideKeepAlive(facts);
      return decision?.kind === "stop" && decision.reason === "expired";
    },
    async during(signal) {
      let plan: ColdSummary | undefined;
      for (let pingsSoFar = 0; !signal.aborted;) {
        const facts = factsNow(pingsSoFar);
        // With a summary at hand the cache may end.
        if (facts === undefined || facts.lastRequestAt === readyAfter) return;
        const { lastRequestAt: begun, prices, ttl } = facts;
        const summary =
          triedAfter === begun
            ? undefined
            : (plan ?? prepared?.expected({ prices, cache: { state: "cold", ttl } }));
        const decision = decideKeepAlive({ ...facts, ...(summary && { summary }) });
        switch (decision.kind) {
          case "stop":
            return;
          case "wait":
            plan = undefined;
            await wait(decision.until - now(), signal);
            break;
          case "prepare":
            if (plan === undefined) {
              // By now it is worth looking more closely.
              plan = await prepared?.planned().catch(() => undefined);
              if (plan === undefined) triedAfter = begun;
            } else await prepare(begun, signal);
            break;
          case "ping":
            if (!(await ping(begun, signal).catch(() => false))) return;
            pingsSoFar += 1;
        }
      }
    },
  };
}
