import type { ApiFailure, CacheBreak, EngineStep, Held, Message } from "@palimpsest/core";

/** What happens in an agent, told as it happens. */
export type AgentEvent =
  /** A message that is part of the conversation from now on, and stored. */
  | { readonly kind: "message"; readonly message: Message }
  /** The next piece of what the model says or thinks. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool-start"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly kind: "tool-end";
      readonly id: string;
      readonly name: string;
      readonly isError: boolean;
      /** It was not permitted. */
      readonly isDenied: boolean;
      readonly milliseconds: number;
    }
  /** The engine made room. Its messages come as messages too. */
  | { readonly kind: "step"; readonly step: EngineStep }
  | { readonly kind: "cache-break"; readonly cacheBreak: CacheBreak }
  /** A request failed and is sent again after a while. */
  | {
      readonly kind: "retry";
      readonly attempt: number;
      readonly waitMs: number;
      readonly failure: ApiFailure;
    }
  /** A sentence for the person. */
  | { readonly kind: "notice"; readonly text: string };

/** How a turn of the agent ended. */
export interface AgentResult {
  readonly reason:
    | "done"
    /** A limit on requests was reached. */
    | "max-turns"
    | "aborted"
    /** A hook ended it, or refused the prompt. */
    | "stopped"
    /** The conversation cannot go on as it is: nothing of it is lost. */
    | "held"
    | "failed";
  /** The last words of the model, or what went wrong in a sentence. */
  readonly text: string;
  /** Requests that were answered. */
  readonly turns: number;
  /** Why the model stopped last, in the API's words: `max_tokens` where the answer was cut off. */
  readonly stopReason?: string | null;
  /** Where it is held: why. */
  readonly heldBy?: Held["reason"];
}
