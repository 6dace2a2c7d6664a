import type { RequestMessage } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { createNormaliser } from "../../messages/normalise/normaliser.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import { createResultIndex, type ResultIndex } from "../clear/result-index.js";
import { createMediaIndex, type MediaIndex } from "../media/media-index.js";
import { createContextMeter, type ContextSize } from "../measure/context-meter.js";
import type { Estimator } from "../ports/estimator.js";
import { createMeasuredSizes } from "../measure/measured-sizes.js";
import type { Stretch } from "./early-threshold.js";
import { createStretchIndex } from "./stretch-index.js";

/**
 * The live messages, and everything that is kept up to date with them. A value: what is added makes another one, and
 * whoever holds this one keeps it. Adding to the newest costs what is added; adding to an older one costs its list.
 */
export interface Context {
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
  /** The same with structures of its own, so that what is added to it leaves this one the newest. Costs the list. */
  fork(): Context;
  /** With messages at the end. */
  append(messages: readonly Message[]): Context;
  /** System prompt and tools by estimate; 0 where nobody has said so. */
  readonly head: number;
  /** With another list; costs all of it. What responses report in it was learned before. */
  replace(live: readonly Message[], known?: KnownHead): Context;
  /** The API has refused the messages as having so many tokens, system prompt and tools included. */
  refused(tokens: number): Context;
  /** System prompt and tools are estimated at so many tokens from here on. */
  useHead(tokens: number): Context;
}

export interface ContextOptions {
  readonly estimator: Estimator;
  readonly tools: CompactableTools;
  /** Tokens of the system prompt and the tools, until a response shows them. */
  readonly overhead?: number | undefined;
  readonly resolvePath?: ((path: string) => string) | undefined;
  /** Told of every message that is taken in. */
  readonly see?: ((message: Message) => void) | undefined;
}

export const createContext = (options: ContextOptions): Context => {
  const { estimator, overhead = 0 } = options;
  const sizes = createMeasuredSizes(estimator);
  return new FoldedContext(
    new Folds({ ...options, estimator: sizes }, { overhead, isShown: false, head: 0 }),
  );
};

/** What a new list goes on with: system prompt and tools, as far as they are known. */
export interface KnownHead {
  readonly overhead: number;
  readonly isShown: boolean;
  /** By estimate; 0 where nobody has said so. */
  readonly head: number;
}

const shows = (message: Message | undefined): boolean =>
  message?.type === "assistant" && message.message?.usage !== undefined;

/** Growing structures over one list. The newest value has them; older ones make their own where they need them. */
class Folds {
  readonly options: ContextOptions;
  readonly all: Message[] = [];
  readonly index: ResultIndex;
  readonly media = createMediaIndex();
  /** Of the value that may go on with these. */
  version = 0;
  head: number;
  readonly #normaliser;
  readonly #meter;
  readonly #stretch = createStretchIndex();
  #isReplaying = false;
  messages: readonly RequestMessage[] = [];
  size: ContextSize;

  constructor(options: ContextOptions, { overhead, isShown, head }: KnownHead) {
    const { estimator, tools, resolvePath } = options;
    this.options = options;
    this.head = head;
    this.#normaliser = createNormaliser();
    this.index = createResultIndex({
      estimator,
      tools,
      resolvePath,
    });
    this.#meter = createContextMeter({
      estimator,
      overhead,
      isOverheadShown: isShown,
      head,
      // What was learned once is not learned again when the list is gone through anew.
      canMeasure: () => !this.#isReplaying,
      onMeasured: (messages) => this.index.remeasure(messages),
    });
    this.size = this.#meter.append([]);
  }

  get stretch(): Stretch {
    return this.#stretch.stretch;
  }

  get isOverheadShown(): boolean {
    return this.#meter.isOverheadShown;
  }

  get isRefused(): boolean {
    return this.#meter.isRefused;
  }

  take(added: readonly Message[]): void {
    for (const message of added) this.all.push(message);
    this.messages = this.#normaliser.append(added).messages;
    // What a response shows is known for what comes after it, however much is taken at once.
    for (let from = 0, at = 1; at <= added.length; at += 1) {
      if (at < added.length && !shows(added[at - 1]) && !shows(added[at])) continue;
      const part = added.slice(from, at);
      // The meter first: it remembers what it has counted.
      this.size = this.#meter.append(part);
      this.index.append(part);
      from = at;
    }
    this.media.append(added);
    this.#stretch.append(added);
    const { see } = this.options;
    if (see !== undefined) for (const message of added) see(message);
  }

  /** A list that was gone through before, or is what is left of one. */
  takeAgain(live: readonly Message[]): void {
    this.#isReplaying = true;
    try {
      this.take(live);
    } finally {
      this.#isReplaying = false;
    }
  }

  refused(tokens: number): void {
    this.size = this.#meter.refused(tokens);
  }

  useHead(tokens: number): void {
    this.head = tokens;
    this.size = this.#meter.useHead(tokens);
  }
}

class FoldedContext implements Context {
  #folds: Folds;
  #version: number;
  readonly #length: number;
  readonly head: number;
  #live: readonly Message[] | undefined;
  readonly messages: readonly RequestMessage[];
  readonly size: ContextSize;
  readonly stretch: Stretch;
  readonly isOverheadShown: boolean;
  readonly isRefused: boolean;

  constructor(folds: Folds) {
    this.#folds = folds;
    this.#version = folds.version;
    this.#length = folds.all.length;
    this.head = folds.head;
    this.messages = folds.messages;
    this.size = folds.size;
    this.stretch = folds.stretch;
    this.isOverheadShown = folds.isOverheadShown;
    this.isRefused = folds.isRefused;
  }

  get live(): readonly Message[] {
    return (this.#live ??= this.#folds.all.slice(0, this.#length));
  }

  get last(): Message | undefined {
    return this.#folds.all[this.#length - 1];
  }

  get index(): ResultIndex {
    return this.#own().index;
  }

  get media(): MediaIndex {
    return this.#own().media;
  }

  fork(): Context {
    return this.replace(this.live);
  }

  append(messages: readonly Message[]): Context {
    return messages.length === 0 ? this : this.#next((folds) => folds.take(messages));
  }

  replace(live: readonly Message[], known = this.#knownHead()): Context {
    return new FoldedContext(this.#again(live, known));
  }

  refused(tokens: number): Context {
    return this.#next((folds) => folds.refused(tokens));
  }

  useHead(tokens: number): Context {
    return tokens === this.head ? this : this.#next((folds) => folds.useHead(tokens));
  }

  #next(change: (folds: Folds) => void): Context {
    const folds = this.#own();
    change(folds);
    folds.version += 1;
    return new FoldedContext(folds);
  }

  /** The structures as they are for this list: those of the newest value, or others like them. */
  #own(): Folds {
    if (this.#folds.version !== this.#version) {
      this.#folds = this.#again(this.live, this.#knownHead());
      this.#version = this.#folds.version;
    }
    return this.#folds;
  }

  #again(live: readonly Message[], known: KnownHead): Folds {
    const folds = new Folds(this.#folds.options, known);
    folds.takeAgain(live);
    return folds;
  }

  #knownHead(): KnownHead {
    return { overhead: this.size.shownOverhead, isShown: this.isOverheadShown, head: this.head };
  }
}
