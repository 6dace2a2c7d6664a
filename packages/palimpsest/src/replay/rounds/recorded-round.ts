import type { Message, Usage } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import type { RecordingFormat } from "../readers/recording.js";

/** One request of a recorded conversation: what was added for it, and what came back. */
export interface RecordedRound {
  /** Since the response before it: what people said, results, attachments, in order. */
  readonly incoming: readonly Message[];
  /** When the request went out, in milliseconds. Never before the response of the round before. */
  readonly at: number;
  readonly response: RecordedResponse;
  /** The recorded conversation had been compacted when this request went out. */
  readonly isAfterCompaction?: true;
  /** The recording's own compaction that was undone before this request, if there was one. */
  readonly compacted?: RecordedCompactionOfRound;
  /** The calls whose results the recording had cleared before this request; they are played whole. */
  readonly cleared?: readonly string[];
}

/** What a recorded compaction made of the conversation. */
export interface RecordedCompactionOfRound {
  /** So many messages of `incoming` came before it. */
  readonly after: number;
  /** What it put in the place of everything before it: summaries and what was brought back. */
  readonly messages: readonly Message[];
  /** What it kept word for word: the last so many responses before it, with what followed them … */
  readonly keptResponses: number;
  /** … and so many messages right before the first of those. */
  readonly keptMessages: number;
}

export interface RecordedResponse {
  readonly id: string;
  /** Empty where the recording does not say. */
  readonly model: string;
  /** When it was complete. Never before its request. */
  readonly at: number;
  /**
   * All pieces of the response in their order, as the simulator plays them. Empty thinking carries the tokens
   * that its signature tells.
   */
  readonly content: readonly AnswerBlock[];
  readonly usage?: Usage;
  /** The usage has the output that was billed: older recordings have a placeholder, and no reason to stop. */
  readonly isUsageFinal?: boolean;
}

/** What has to be known of a conversation before its first round is played. */
export interface ConversationOverview {
  readonly format: RecordingFormat;
  /** What it is about, by name: of its remote, or of a folder. */
  readonly repository: string;
  readonly rounds: number;
  /** Every model of a response with the number of its responses, the most used first. */
  readonly models: readonly { readonly model: string; readonly responses: number }[];
  /** The names of all tools that were called, or that results point to, in the order of their first mention. */
  readonly tools: readonly string[];
  readonly hasThinking: boolean;
  /** Input tokens of the first response that reports any, and the round (from 0) that it belongs to. */
  readonly firstUsage?: { readonly round: number; readonly inputTokens: number };
  /** Recorded compactions whose original messages are there: their summaries are left out. */
  readonly undoneCompactions: number;
  /** Recorded compactions whose originals are not there: their summaries are played as what was said. */
  readonly keptCompactions: number;
  readonly damagedLines: number;
}

/** A recorded conversation that is read round by round: never all of it at once. */
export interface RecordedConversation {
  readonly overview: ConversationOverview;
  /** From the start, each time. */
  rounds(): AsyncIterable<RecordedRound>;
}
