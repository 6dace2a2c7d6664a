import type { ToolDefinition } from "../../messages/call/request.js";
import type { RequestMessage } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { createNormaliser } from "../../messages/normalise/normaliser.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import { createResultIndex, type ResultIndex } from "../clear/result-index.js";
import { createMediaIndex, type MediaIndex } from "../media/media-index.js";
import { createStretchIndex } from "./stretch-index.js";
import type { Stretch } from "./early-threshold.js";
import { createContextMeter, type ContextSize } from "../measure/context-meter.js";
import type { Estimator } from "../ports/estimator.js";
import { createMeasuredSizes } from "../measure/measured-sizes.js";

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
  /** Whether a response has shown what system prompt and tools have. */
  readonly isOverheadShown: boolean;
  /** Whether the size is what the API has refused. */
  readonly isRefused: boolean;
  /** Takes messages at the end; costs what is new. */
  append(messages: readonly Message[]): void;
  /** The list is another one from here on; costs all of it. */
  replace(live: readonly Message[]): void;
  /**
   * The list of a conversation that is resumed: what its responses report is learned from. `isAltered` says of a
   * message that they have read it in another form.
   */
  resume(live: readonly Message[], isAltered: (message: Message) => boolean): void;
  /** The API has refused the messages as having so many tokens, system prompt and tools included. */
  refused(tokens: number): void;
  /** System prompt and tools are estimated at so many tokens from here on. */
  useHead(tokens: number): void;
}

export interface LiveStateOptions {
  readonly estimator: Estimator;
  readonly tools: CompactableTools;
  /** Tools whose inputs are mended where a model got them wrong. */
  readonly declaredTools?: readonly ToolDefinition[] | undefined;
  /** Tokens of the system prompt and the tools, until a response shows them. */
  readonly overhead?: number | undefined;
  readonly isOverheadShown?: boolean | undefined;
  readonly resolvePath?: ((path: string) => string) | undefined;
  /** Told of every message that is taken in. */
  readonly see?: ((message: Message) => void) | undefined;
}

export function createLiveState(options: LiveStateOptions): LiveState {
  const { estimator, tools, declaredTools, resolvePath, see } = options;
  const normaliserOptions = declaredTools === undefined ? {} : { tools: declaredTools };
  const sizes = createMeasuredSizes(estimator);
  let isReplaying = false;
  let isAltered: ((message: Message) => boolean) | undefined;
  let head = 0;
  const make = (overhead: number, isOverheadShown: boolean) => {
    const index = createResultIndex({
      estimator: sizes,
      tools,
      ...(resolvePath === undefined ? {} : { resolvePath }),
    });
    const meter = createContextMeter({
      estimator: sizes,
      overhead,
      isOverheadShown,
      isAltered: (message) => isAltered?.(message) ?? false,
      // What was learned once is not learned again when the list is gone through anew.
      canMeasure: () => !isReplaying,
      onMeasured: (messages) => index.remeasure(messages),
    });
    if (head > 0) meter.useHead(head);
    return {
      normaliser: createNormaliser(normaliserOptions),
      meter,
      index,
      media: createMediaIndex(),
      stretch: createStretchIndex(),
    };
  };
  let parts = make(options.overhead ?? 0, options.isOverheadShown ?? false);
  let all: Message[] = [];
  let shown: readonly Message[] | undefined;
  let messages: readonly RequestMessage[] = [];
  let size = parts.meter.append([]);
  const take = (added: readonly Message[]): void => {
    messages = parts.normaliser.append(added).messages;
    parts.index.append(added);
    size = parts.meter.append(added);
    parts.media.append(added);
    parts.stretch.append(added);
    if (see !== undefined) for (const message of added) see(message);
  };
  const begin = (next: readonly Message[]): void => {
    const isShown = parts.meter.isOverheadShown;
    parts = make(isShown ? size.shownOverhead : (options.overhead ?? 0), isShown);
    all = [...next];
    shown = next;
    take(next);
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
      isReplaying = true;
      begin(next);
      isReplaying = false;
    },
    resume(next, isRead) {
      isAltered = isRead;
      begin(next);
      isAltered = undefined;
    },
    refused(tokens) {
      size = parts.meter.refused(tokens);
    },
    useHead(tokens) {
      if (tokens === head) return;
      head = tokens;
      size = parts.meter.useHead(tokens);
    },
    get isRefused() {
      return parts.meter.isRefused;
    },
    get isOverheadShown() {
      return parts.meter.isOverheadShown;
    },
  };
}
