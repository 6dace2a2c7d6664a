import type { BilledTokens } from "../../simulator/core/pricing.js";

/** A file that a call showed, as it came back. */
export interface ShownFile {
  /** `tool_use` that asked for it. */
  readonly call: string;
  /** Which file, and what it said: two that are alike have the same. */
  readonly key: string;
  readonly name: string;
  /** Of the result; and of the call. */
  readonly tokens: number;
  readonly callTokens: number;
}

/** A piece of what stands before the messages of a request: a tool, a block of the system prompt, a setting. */
export interface HeadPart {
  readonly kind: "tool" | "system" | "setting";
  /** Of the tool or the setting; of a system block its number, from 0. */
  readonly name: string;
  /** Two with the same are the same. */
  readonly id: string;
  readonly tokens: number;
}

/** What a recording that holds requests knows of one. */
export interface SentPrompt {
  /** Milliseconds. */
  readonly at: number;
  readonly parts: readonly HeadPart[];
  /** What its messages are, in their order: what has the same text is the same. Costs what the conversation is long. */
  readonly messages: () => readonly string[];
}

/** A request of a recording, as far as advice goes by it: figures and names, no contents. */
export interface AdvisedRequest {
  /** The conversation that it belongs to: a file's main one, or one of its subagents'. */
  readonly lane: string;
  /** Milliseconds; NaN where nobody knows. */
  readonly startedAt: number;
  readonly model: string;
  readonly usage: BilledTokens;
  /** `message.id` of its answer. */
  readonly response: string;
  /** What was cached before is not gone on with: the first one, or one after a compaction or a clearing. */
  readonly isFresh: boolean;
  /** Ids of the calls whose results were taken out of the context before it; `all` after a compaction. */
  readonly forgotten: readonly string[] | "all";
  /** Files whose contents came in with it. */
  readonly shown: readonly ShownFile[];
  /** The calls of its answer. */
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** Tools and system prompt as they were sent; undefined where the recording does not hold them. */
  readonly prompt: SentPrompt | undefined;
}
