import type { Message } from "../../messages/message.js";
import type { Estimator } from "../ports/estimator.js";
import { sentBlocks } from "./sent-blocks.js";

/**
 * An estimator that remembers what was shown of messages: the size of those is no guess any more. An error lands on
 * the messages that caused it, and stays with them whatever becomes of the rest of the conversation.
 */
export interface MeasuredSizes extends Estimator {
  /** Together these have so many tokens: what is not known of them yet is scaled so that it adds up. */
  readonly measure: (messages: readonly Message[], tokens: number) => Measurement;
  readonly isMeasured: (message: Message) => boolean;
  /** What is learned of all text. */
  readonly base: Estimator;
  /** What was shown of messages and of blocks. */
  readonly shown: WeakMap<object, number>;
  /** What was said of others when they came. */
  readonly guessed: WeakMap<object, number>;
}

interface Measurement {
  /** By which the messages together have turned out to be larger, or smaller, than was said so far. */
  readonly difference: number;
  /** Those whose size has changed. */
  readonly changed: readonly Message[];
}

/** What a message may turn out to be, compared with its estimate: beyond that something else was counted. */
const SMALLEST_RATIO = 0.1;
const LARGEST_RATIO = 500;

const nothing: Measurement = { difference: 0, changed: [] };

/** An estimator that remembers: hand it to a meter, and ask it afterwards what each message and block has. */
export function createMeasuredSizes(base: Estimator): MeasuredSizes {
  if (isMeasuring(base)) return base;
  const shown = new WeakMap<object, number>();
  const guessed = new WeakMap<object, number>();
  const known = (value: unknown): number | undefined =>
    typeof value === "object" && value !== null ? (shown.get(value) ?? guessed.get(value)) : undefined;
  const block = (value: unknown): number => known(value) ?? base.block(value);
  const message = (value: Message): number => {
    let tokens = known(value);
    if (tokens === undefined) {
      const blocks = sentBlocks(value);
      tokens = blocks.some((item) => known(item) !== undefined)
        ? blocks.reduce<number>((sum, item) => sum + block(item), 0)
        : base.message(value);
      guessed.set(value, tokens);
    }
    return tokens;
  };
  return {
    base,
    shown,
    guessed,
    name: base.name,
    block,
    message,
    pad: (tokens) => base.pad(tokens),
    isMeasured: (value) => shown.has(value),
    measure(messages, tokens) {
      const unknown = messages.filter((value) => !shown.has(value) && message(value) > 0);
      const estimated = sum(unknown, message);
      const actual = tokens - sum(messages, message) + estimated;
      const ratio = actual / estimated;
      if (!(ratio >= SMALLEST_RATIO && ratio <= LARGEST_RATIO)) return nothing;
      base.learn?.({ messages: unknown, estimated, actual });
      for (const value of unknown) {
        for (const item of sentBlocks(value)) {
          if (typeof item === "object" && item !== null) shown.set(item, Math.round(block(item) * ratio));
        }
        shown.set(value, Math.round(message(value) * ratio));
      }
      return { difference: sum(unknown, message) - estimated, changed: unknown };
    },
  };
}

const isMeasuring = (estimator: Estimator): estimator is MeasuredSizes => "measure" in estimator;

const sum = (messages: readonly Message[], of: (message: Message) => number): number =>
  messages.reduce((total, message) => total + of(message), 0);
