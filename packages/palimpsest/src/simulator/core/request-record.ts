import type { MessageChain } from "./message-chain.js";
import type { Prompt } from "./prompt.js";

/** What is remembered of an answered request: enough to tell what the next one changed. */
export interface RequestRecord {
  readonly messageId: string;
  readonly workspace: string;
  readonly model: string;
  readonly speed: unknown;
  readonly toolsDigest: string;
  readonly systemDigest: string;
  readonly scopes: Prompt["scopes"];
  /** Of the prefix at the end of each message. */
  readonly messages: readonly string[];
  /** Tokens of the prompt that were in the cache afterwards. */
  readonly cachedTokens: number;
}

export function recordOf(
  prompt: Prompt,
  chain: MessageChain,
  rest: Pick<RequestRecord, "messageId" | "workspace" | "model" | "speed" | "cachedTokens">,
): RequestRecord {
  return {
    ...rest,
    toolsDigest: prompt.toolsDigest,
    systemDigest: prompt.systemDigest,
    scopes: prompt.scopes,
    messages: chain.entries.map((entry) => entry.digest),
  };
}

export type Difference =
  | { readonly kind: "none" }
  | { readonly kind: "model" | "tools" | "system" | "settings" }
  | { readonly kind: "messages"; readonly message: number };

/** The first thing, in the order of the prompt, in which a request departs from an earlier one. */
export function differenceFrom(
  earlier: RequestRecord,
  now: {
    readonly prompt: Prompt;
    readonly chain: MessageChain;
    readonly model: string;
    readonly speed: unknown;
  },
): Difference {
  const { prompt, chain } = now;
  if (earlier.model !== now.model || earlier.speed !== now.speed) return { kind: "model" };
  if (earlier.toolsDigest !== prompt.toolsDigest) return { kind: "tools" };
  if (earlier.systemDigest !== prompt.systemDigest) return { kind: "system" };
  if (earlier.scopes.messages !== prompt.scopes.messages) return { kind: "settings" };
  const message = commonMessages(earlier.messages, chain);
  return message < earlier.messages.length ? { kind: "messages", message } : { kind: "none" };
}

/** How many messages two requests have in common from the start. */
export function commonMessages(earlier: readonly string[], chain: MessageChain): number {
  // A prefix digest covers all before it: equal here means equal up to here.
  let low = 0;
  let high = Math.min(earlier.length, chain.entries.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (earlier[middle - 1] === chain.entries[middle - 1]?.digest) low = middle;
    else high = middle - 1;
  }
  return low;
}
