import type { InspectorEvent } from "../contract.js";

export interface LoggedEvent {
  readonly id: number;
  readonly event: InspectorEvent;
}

/** The newest events, for pages that come back and ask what they have missed. */
export interface EventLog {
  add(event: InspectorEvent): void;
  /** The id of the newest; 0 where there is none. */
  readonly last: number;
  /** What came after an id; a `reset` where some of it is not there any more. */
  since(id: number): readonly LoggedEvent[];
  /** Called after each event; gives what ends that. */
  listen(listener: () => void): () => void;
}

const MOST_KEPT = 1000;

export function createEventLog(): EventLog {
  const listeners = new Set<() => void>();
  let kept: LoggedEvent[] = [];
  let last = 0;
  return {
    get last() {
      return last;
    },
    add(event) {
      last += 1;
      const key = keyOf(event);
      // What says the same of the same thing again takes the place of what was said before.
      if (key !== undefined) kept = kept.filter((other) => keyOf(other.event) !== key);
      kept = [...kept.slice(1 - MOST_KEPT), { id: last, event }];
      for (const listener of listeners) listener();
    },
    since(id) {
      const first = kept[0]?.id ?? last + 1;
      if (id > last || (id < first - 1 && kept.length >= MOST_KEPT))
        return [{ id: last, event: { type: "reset" } }];
      return kept.filter((logged) => logged.id > id);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function keyOf(event: InspectorEvent): string | undefined {
  switch (event.type) {
    case "conversations":
      return "conversations";
    case "conversation":
    case "indexing":
      return `${event.type} ${event.id}`;
    case "what-if":
      return `what-if ${event.job.job}`;
    default:
      return undefined;
  }
}
