import type { ToolDefinition } from "../../messages/call/request.js";
import type { RequestMessage } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { createNormaliser } from "../../messages/normalise/normaliser.js";
import type { CompactableTools } from "../clear/compactable-tools.js";
import { createResultIndex, type ResultIndex } from "../clear/result-index.js";
import { createMediaIndex, type MediaIndex } from "../media/media-index.js";
import { createStretchIndex } from "./stretch-index.js";
import type { Stretch } from "./early-threshold.js";
import { createContextMeter, type ContextMeterOptions, type ContextSize } from "../measure/context-meter.js";

/** The live messages and everything that is kept up to date with them. */
export interface LiveState {
  readonly live: readonly Message[];
  readonly last: Message | undefined;
  /** As they are sent. */
  readonly messages: readonly RequestMessage[];
  readonly size: ContextSize;
  readonly index: ResultIndex;
  readonly media: MediaIndex;
  /** Since the last boundary in the list. */
  readonly stretch: Stretch;
  /** Takes messages at the end; costs what is new. */
  append(messages: readonly Message[]): void;
  /** The list is another one from here on; costs all of it. */
  replace(live: readonly Message[]): void;
}

export interface LiveStateOptions {
  readonly estimator: ContextMeterOptions["estimator"];
  readonly tools: CompactableTools;
  /** Tools whose inputs are mended where a model got them wrong. */
  readonly declaredTools?: readonly ToolDefinition[] | undefined;
  /** Tokens of the system prompt and the tools, until a response shows them. */
  readonly overhead?: number | undefined;
  readonly resolvePath?: ((path: string) => string) | undefined;
  /** Told of every message that is taken in. */
  readonly see?: ((message: Message) => void) | undefined;
}

export function createLiveState(options: LiveStateOptions): LiveState {
  const { estimator, tools, declaredTools, resolvePath, see } = options;
  const normaliserOptions = declaredTools === undefined ? {} : { tools: declaredTools };
  let isReplaying = false;
  const { observe, scaled } = estimator;
  /** What was learned once is not learned again when the list is gone through anew, cleared results in it. */
  const learner: ContextMeterOptions["estimator"] = {
    name: estimator.name,
    block: estimator.block,
    message: estimator.message,
    pad: (tokens) => estimator.pad(tokens),
    ...(scaled === undefined ? {} : { scaled }),
    ...(observe === undefined
      ? {}
      : {
          observe: (growth) => {
            if (!isReplaying) observe(growth);
          },
        }),
  };
  const make = (overhead: number) => ({
    normaliser: createNormaliser(normaliserOptions),
    meter: createContextMeter({ estimator: learner, overhead }),
    media: createMediaIndex(),
    stretch: createStretchIndex(),
    index: createResultIndex({
      estimator,
      tools,
      ...(resolvePath === undefined ? {} : { resolvePath }),
    }),
  });
  let parts = make(options.overhead ?? 0);
  let all: Message[] = [];
  let shown: readonly Message[] | undefined;
  let messages: readonly RequestMessage[] = [];
  let size = parts.meter.append([]);
  const take = (added: readonly Message[]): void => {
    messages = parts.normaliser.append(added).messages;
    size = parts.meter.append(added);
    parts.index.append(added);
    parts.media.append(added);
    parts.stretch.append(added);
    if (see !== undefined) for (const message of added) see(message);
  };
  return {
    get live() {
      return (shown ??= all.slice());
    },
    get last() {
      return all.at(-1);
    },
    get messages() {
      return messages;
    },
    get size() {
      return size;
    },
    get media() {
      return parts.media;
    },
    get index() {
      return parts.index;
    },
    get stretch() {
      return parts.stretch.stretch;
    },
    append(added) {
      if (added.length === 0) return;
      for (const message of added) all.push(message);
      shown = undefined;
      take(added);
    },
    replace(next) {
      const overhead = size.shownOverhead === 0 ? (options.overhead ?? 0) : size.shownOverhead;
      parts = make(overhead);
      all = [...next];
      shown = next;
      isReplaying = true;
      take(next);
      isReplaying = false;
    },
  };
}
