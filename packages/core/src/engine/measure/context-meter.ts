import type { Message, Usage } from "../../messages/message.js";
import { isCompactBoundary, isSyntheticError } from "../../messages/predicates.js";
import { removesContent, type MicrocompactBoundary } from "../clear/microcompact-boundary.js";
import type { Estimator } from "./estimator.js";
import { countedUsage, inputTokensOf } from "./growth.js";

export interface ContextSize {
  /** Tokens now in the context: what the API last reported plus the estimate of what came since. */
  readonly tokens: number;
  /** The same with the estimated part padded, for comparing with a limit. */
  readonly padded: number;
  /** What the API reported; 0 where nothing of it counts any more. */
  readonly reported: number;
  readonly estimated: number;
  /** System prompt and tools, as far as they are not part of what was reported. */
  readonly overhead: number;
}

/** Measures a growing conversation: each call costs what is new. */
export interface ContextMeter {
  append(messages: readonly Message[]): ContextSize;
}

export interface ContextMeterOptions {
  readonly estimator: Estimator & {
    /** Where the estimator learns: its estimates in the model's own tokens, and what a response showed. */
    readonly scaled?: (tokens: number) => number;
    readonly observe?: (growth: { readonly estimated: number; readonly actual: number }) => void;
  };
  /** Tokens of the system prompt and the tools, until a response shows them. */
  readonly overhead?: number;
}

/** The response whose usage counts, from its first piece on. */
interface Anchor {
  readonly id: string;
  readonly inputTokens: number;
  /** Undefined while only placeholders were seen: then its own pieces are estimated. */
  outputTokens: number | undefined;
  /** The estimate of its pieces. */
  ownEstimate: number;
  /** The estimate of everything that is not part of it and came after its first piece. */
  since: number;
  /** Nothing but the results of its calls so far: then the next response shows how good the estimate was. */
  isPlain: boolean;
}

class FoldingMeter implements ContextMeter {
  readonly #estimator: ContextMeterOptions["estimator"];
  #overhead: number;
  /** The estimate of every message since the last boundary. */
  #total = 0;
  #anchor: Anchor | undefined;

  constructor({ estimator, overhead = 0 }: ContextMeterOptions) {
    this.#estimator = estimator;
    this.#overhead = overhead;
  }

  append(messages: readonly Message[]): ContextSize {
    for (const message of messages) this.#take(message);
    return this.#size();
  }

  #take(message: Message): void {
    if (isCompactBoundary(message)) {
      this.#total = 0;
      this.#anchor = undefined;
    }
    if (removesContent(message)) this.#takeClearing(message);
    const tokens = this.#estimator.message(message);
    if (message.type === "assistant" && !isSyntheticError(message)) this.#takeResponse(message, tokens);
    else if (this.#anchor !== undefined) {
      this.#anchor.since += tokens;
      this.#anchor.isPlain &&= message.type !== "attachment" && message.type !== "assistant";
    }
    this.#total += tokens;
  }

  /**
   * Usage from before a clearing does not describe what is there now. What the provider deletes inside its
   * cache stays in the messages; what it clears by itself, the response that tells of it has counted already.
   */
  #takeClearing({ microcompactMetadata }: MicrocompactBoundary): void {
    const { variant, tokensBefore, tokensAfter } = microcompactMetadata;
    if (variant === "api-native") return;
    this.#anchor = undefined;
    if (variant === "cached") this.#total = Math.max(0, this.#total - (tokensBefore - tokensAfter));
  }

  #takeResponse(message: Extract<Message, { type: "assistant" }>, tokens: number): void {
    const { id, usage, stop_reason } = message.message;
    const anchor = this.#anchor;
    const isPiece = anchor !== undefined && id === anchor.id;
    const outputTokens =
      typeof stop_reason === "string" && usage !== undefined ? countedUsage(usage).output_tokens : undefined;
    if (isPiece) {
      anchor.ownEstimate += tokens;
      anchor.outputTokens = outputTokens ?? anchor.outputTokens;
    } else if (usage !== undefined && inputTokensOf(usage) > 0) {
      this.#moveAnchor({ id, usage, outputTokens, tokens });
    } else if (anchor !== undefined) {
      anchor.since += tokens;
      anchor.isPlain = false;
    }
  }

  #moveAnchor(next: {
    readonly id: string;
    readonly usage: Usage;
    readonly outputTokens: number | undefined;
    readonly tokens: number;
  }): void {
    const inputTokens = inputTokensOf(next.usage);
    const before = this.#anchor;
    if (before?.outputTokens !== undefined && before.isPlain && before.since > 0) {
      const actual = inputTokens - before.inputTokens - before.outputTokens;
      this.#estimator.observe?.({ estimated: before.since, actual });
    }
    this.#overhead = Math.max(0, inputTokens - this.#scaled(this.#total));
    this.#anchor = {
      id: next.id,
      inputTokens,
      outputTokens: next.outputTokens,
      ownEstimate: next.tokens,
      since: 0,
      isPlain: true,
    };
  }

  #scaled(tokens: number): number {
    return this.#estimator.scaled?.(tokens) ?? tokens;
  }

  #size(): ContextSize {
    const anchor = this.#anchor;
    const output = anchor?.outputTokens ?? 0;
    const unreported = anchor !== undefined && anchor.outputTokens === undefined ? anchor.ownEstimate : 0;
    const reported = anchor === undefined ? 0 : anchor.inputTokens + output;
    const estimated = this.#scaled(anchor === undefined ? this.#total : anchor.since + unreported);
    const overhead = anchor === undefined ? this.#overhead : 0;
    return {
      tokens: reported + overhead + estimated,
      padded: reported + overhead + this.#estimator.pad(estimated),
      reported,
      estimated,
      overhead,
    };
  }
}

/** A meter for a conversation that grows at its end. For any other change, make a new one. */
export function createContextMeter(options: ContextMeterOptions): ContextMeter {
  return new FoldingMeter(options);
}
