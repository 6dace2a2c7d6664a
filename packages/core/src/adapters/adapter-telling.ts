import type { BilledCall } from "../messages/billed-calls.js";
import type { EngineStep } from "../engine/conversation/conversation-api.js";
import type { EventEmitter, EventIds } from "../engine/events/emitter.js";
import { roundedTokens } from "../engine/measure/rounded-tokens.js";
import { tellObserver } from "../engine/summarise/run/tell-observer.js";

/** What was done to a conversation of an adapter, and to which one. */
export interface AdapterStep extends EngineStep {
  /** Of the conversation. */
  readonly sessionId: string;
  /** What the caller calls it: `thread_id`, or what `threadOf` gave. Left out where nobody named it. */
  readonly threadId?: string;
  /** The calls that were made for it: the framework's own totals do not have them. */
  readonly calls: readonly BilledCall[];
}

/** Which conversation of an adapter it is, and whether a model can be asked for its summaries. */
export interface ToldThread {
  readonly ids: EventIds & { readonly sessionId: string };
  readonly hasWriter: boolean;
}

export const NO_WRITER =
  "no model can be asked for summaries, because the framework gives the model by its name alone: hand in the option `provider`";

/** Tells whoever asked for it of a step, with ids, what it cost, and who wrote the summary where no model did. */
export function tellStep(
  onStep: ((step: AdapterStep) => void) | undefined,
  { ids, hasWriter }: ToldThread,
  step: EngineStep,
): void {
  if (onStep === undefined) return;
  const { compacted } = step;
  const calls = compacted?.calls ?? [];
  const failed = compacted?.failedAttempts.length ?? 0;
  const without =
    compacted?.writer !== "extractive"
      ? []
      : !hasWriter
        ? [NO_WRITER]
        : failed > 0
          ? [`written without a model, after ${failed} that failed`]
          : [];
  const text = [step.text, ...(calls.length === 0 ? [] : [describeCalls(calls)]), ...without].join(" · ");
  tellObserver(onStep, { ...step, ...ids, calls, text });
}

function describeCalls(calls: readonly BilledCall[]): string {
  const sum = (of: (usage: BilledCall["usage"]) => number): string =>
    roundedTokens(calls.reduce((total, { usage }) => total + of(usage), 0));
  const read = sum(
    ({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }) =>
      input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0),
  );
  const count = calls.length === 1 ? "1 call of its own" : `${calls.length} calls of its own`;
  return `${count}: ${read} in, ${sum(({ output_tokens }) => output_tokens)} out`;
}

/** The same emitter for one conversation: every event says whose it is. */
export function eventsFor(events: EventEmitter, { ids }: ToldThread): EventEmitter {
  return {
    on: (name, listener) => events.on(name, listener),
    emit: (name, event) => events.emit(name, extendEvent(event, ids)),
  };
}

/** The event with more fields; what nobody has looked at stays so. */
function extendEvent<Event extends object, More extends object>(event: Event, more: More): Event & More {
  return Object.defineProperties({ ...more }, Object.getOwnPropertyDescriptors(event)) as Event & More;
}
