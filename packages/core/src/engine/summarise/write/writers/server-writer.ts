import type { ModelRequest } from "../../../../messages/call/request.js";
import type { SendableRequest } from "../../../../messages/call/sendable-request.js";
import type { CompactionBlock, RequestMessage } from "../../../../messages/content.js";
import type { ModelProvider } from "../../../ports/model-provider.js";
import { buildFork } from "../../../prompt/fork.js";
import { forkParameters } from "../../../prompt/fork-parameters.js";
import { COMPACTION_BETA, type CacheSafeParams } from "../../../prompt/request-builder.js";
import { askModel, type AskOptions, type ModelAnswer } from "../ask-model.js";

const MOST_INSTRUCTIONS = 16_384;

export interface ServerSummary {
  readonly provider: ModelProvider;
  readonly params: CacheSafeParams;
  /** Exactly the messages that the block takes the place of. */
  readonly prefix: readonly RequestMessage[];
  readonly instructions: string;
  readonly now: number;
  /** Told what is sent, before it is. */
  readonly onRequest?: ((request: ModelRequest, betas: readonly string[]) => void) | undefined;
}

/** Whether the provider would take the request, and on the conversation's cache. */
export const canAskServer = ({ capabilities, parameters }: CacheSafeParams): boolean =>
  capabilities.compactionBlocks &&
  parameters.context_management === undefined &&
  forkParameters(parameters, "text").isKeySame;

/** Asks the provider itself for a block that stands for the messages, thinking after it staying valid. */
export function askServer(summary: ServerSummary, options: AskOptions): Promise<ModelAnswer> {
  const { provider, params, prefix, instructions, now, onRequest } = summary;
  const built = buildFork(params, { source: "compact", prefix, messages: [], now, answer: "text" });
  const request: SendableRequest = {
    ...built.request,
    compaction: {
      type: "summarize",
      ...(instructions === "" ? {} : { instructions: instructions.slice(0, MOST_INSTRUCTIONS) }),
    },
  };
  const betas = [...new Set([...built.betas, COMPACTION_BETA])].toSorted();
  onRequest?.(request, betas);
  return askModel(provider, { request, betas }, options);
}

/** The block of an answer; undefined where the provider wrote none. */
export const compactionBlockOf = (answer: ModelAnswer): CompactionBlock | undefined =>
  answer.kind === "answer"
    ? answer.response.content.find(
        (block): block is CompactionBlock =>
          block.type === "compaction" && typeof block.content === "string" && block.content.trim() !== "",
      )
    : undefined;
