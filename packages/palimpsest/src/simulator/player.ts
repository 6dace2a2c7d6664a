import type { ModelRequest } from "@palimpsest/core";

/** What a player is asked: the request as the simulated API accepted it. */
export interface PlayerPrompt {
  readonly request: ModelRequest;
  /** The messages that the model sees: after context edits, from the last compaction block on. */
  readonly messages: ModelRequest["messages"];
  /** `compaction`: the API itself wants a summary of the messages (threshold or on-demand compaction). */
  readonly kind: "message" | "compaction";
  /** The instructions of a compaction, where the client gave any. */
  readonly instructions?: string;
  /** The simulated time, in milliseconds. */
  readonly now: number;
  /** How many requests this simulator has answered before: distinct per answer. */
  readonly sequence: number;
}

export type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "thinking";
      readonly thinking: string;
      /** How many tokens it counts at least: its text may be shown shortened, or not at all. */
      readonly hiddenTokens?: number;
    }
  | {
      readonly type: "tool_use";
      /** Without one the simulator makes a unique id. */
      readonly id?: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/** What the model says, or how the API fails instead, and how it reaches the client. */
export interface Answer {
  readonly content: readonly AnswerBlock[];
  /** Derived from the content (tool_use, end_turn) and the limits (max_tokens …) where it is absent. */
  readonly stopReason?: string;
  /** An API error instead of an answer. */
  readonly error?: { readonly status: number; readonly type: string; readonly message: string };
  readonly delivery?: Delivery;
}

/** How a response travels; the pure core only looks at the delay, the HTTP app does the rest. */
export interface Delivery {
  /** Milliseconds until the response begins; a prompt cache entry is readable from then on. */
  readonly delayMs?: number;
  /** Milliseconds between two streamed events. */
  readonly eventDelayMs?: number;
  /** The connection is cut after this many streamed events. */
  readonly cutAfterEvents?: number;
  /** An `error` event ends the stream after this many events. */
  readonly errorAfterEvents?: { readonly events: number; readonly type: string; readonly message: string };
}

/**
 * Plays the model. Pure: what it has to remember from one answer to the next it returns as its memory, which
 * is handed back with the next prompt (undefined at first).
 */
export interface Player {
  answer(prompt: PlayerPrompt, memory: unknown): { readonly answer: Answer; readonly memory: unknown };
}
