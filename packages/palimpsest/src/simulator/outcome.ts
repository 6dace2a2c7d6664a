import type { ModelResponse } from "@palimpsest/core";
import type { Delivery } from "./player.js";

/** One call to the simulated API, stripped of transport. */
export interface SimulatedCall {
  readonly endpoint: "messages" | "count_tokens";
  /** The parsed body: anything a client may send. */
  readonly body: unknown;
  /** Whose cache it is: derived from the API key. */
  readonly workspace: string;
  /** The names in the `anthropic-beta` header. */
  readonly betas: readonly string[];
  /** The `anthropic-version` header. */
  readonly apiVersion: string;
  /** Milliseconds by which the response is held back, whoever answers. */
  readonly delayMs?: number;
}

export type Outcome = MessageOutcome | CountOutcome | ErrorOutcome;

/** A call, and what came of it. */
export interface JudgedCall {
  readonly call: SimulatedCall;
  readonly outcome: Outcome;
}

export interface MessageOutcome {
  readonly kind: "message";
  /** The whole response body; the HTTP app streams it where the request asked for that. */
  readonly message: ModelResponse;
  readonly delivery: Delivery;
  readonly verdict: Verdict;
}

export interface CountOutcome {
  readonly kind: "count";
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ErrorOutcome {
  readonly kind: "error";
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly errorCode?: string;
  readonly delivery?: Delivery;
}

/** What the prompt cache did with a request, and what it cost. */
export interface Verdict {
  readonly model: string;
  /** Tokens of the whole prompt. */
  readonly promptTokens: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  /** Dollars, compactions of the server included. */
  readonly cost: number;
  /** The block up to which the prefix was read; null for none. */
  readonly hit: { readonly path: string; readonly tokens: number } | null;
  /** One for each marker whose own position was not found, with the reason. */
  readonly misses: readonly CacheMiss[];
  /** The marked positions that are in the cache afterwards, the last one first. */
  readonly cached: readonly { readonly path: string; readonly tokens: number }[];
}

export type MissReason =
  /** No marker in the request at all. */
  | "no-marker"
  /** The prefix is shorter than the model caches. */
  | "below-minimum"
  /** Such a prefix was written, but its time is over. */
  | "expired"
  /** Such a prefix is being written by a response that has not begun. */
  | "not-readable-yet"
  /** Such a prefix exists, but more than 20 blocks before the marker. */
  | "outside-lookback"
  /** It differs from every prefix known: tools, system, a setting, or a message changed. */
  | "tools-changed"
  | "system-changed"
  | "settings-changed"
  | "messages-changed"
  /** Nothing like it was sent before. */
  | "first-seen";

export interface CacheMiss {
  /** The marker. */
  readonly path: string;
  readonly reason: MissReason;
  /** The first block that differs, where one is known. */
  readonly changedPath?: string;
}
