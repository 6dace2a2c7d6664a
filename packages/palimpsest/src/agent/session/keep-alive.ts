import { accountOf, accountTotal, findModel, type Conversation, type ModelProvider } from "@palimpsest/core";
import {
  billCall,
  buildFork,
  createCallMeter,
  createDefaultEstimator,
  decideKeepAlive,
  keepAliveRequest,
  pricesAt,
  type KeepAliveSettings,
} from "@palimpsest/core/engine";
import { setTimeout } from "node:timers/promises";

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
}

/** Keeps the cache of a conversation warm in its pauses, as far as that pays and as many dollars as are allowed. */
export interface KeepAlive {
  /** Until the signal is aborted, because the person is back or the program ends. Never rejects. */
  readonly during: (signal: AbortSignal) => Promise<void>;
  /** When the last such request began; undefined where none did since the conversation's own. */
  readonly lastAt: () => number | undefined;
}

const sleep: NonNullable<KeepAliveOptions["wait"]> = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});

const inDollars = (amount: number): string => `$${amount.toFixed(4)}`;

const keptSentence = ({ tokens, dollars: cost, dollarsSoFar }: KeptAlive, most: number): string =>
  `The cache was kept warm: ${tokens.toLocaleString("en-US")} tokens were read for ${inDollars(cost)} (${inDollars(dollarsSoFar)} of at most ${inDollars(most)}).`;

const usageOf = (conversation: Conversation): number => {
  const last = conversation.live.findLast((message) => message.type === "assistant");
  const usage = last?.type === "assistant" ? last.message.usage : undefined;
  return (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
};

export function createKeepAlive(conversation: () => Conversation, options: KeepAliveOptions): KeepAlive {
  const { provider, settings, now, wait = sleep, onKept } = options;
  let spent = 0;
  let lastPingAt: number | undefined;
  let lastRequestAt: number | undefined;

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
    async during(signal) {
      const talk = conversation();
      const model = findModel(talk.model);
      const begun = talk.ttl.state().lastRequestAt;
      if (model === undefined || begun === undefined) return;
      if (begun !== lastRequestAt) lastPingAt = undefined;
      lastRequestAt = begun;
      for (let pingsSoFar = 0; !signal.aborted;) {
        const cachedTokens = usageOf(talk);
        const prices = pricesAt(model, cachedTokens);
        const one = (cachedTokens * prices.cacheRead) / 1_000_000;
        if (spent + one > settings.cacheKeepAliveDollars) return;
        const decision = decideKeepAlive({
          settings,
          ttl: talk.ttl.decision().ttl,
          now: now(),
          lastRequestAt: begun,
          ...(lastPingAt === undefined ? {} : { lastPingAt }),
          pingsSoFar,
          cachedTokens,
          prices,
          gaps: talk.ttl.gaps(),
        });
        if (decision.kind === "stop") return;
        if (decision.kind === "wait") {
          await wait(decision.until - now(), signal);
          continue;
        }
        if (!(await ping(begun, signal).catch(() => false))) return;
        pingsSoFar += 1;
      }
    },
  };
}
