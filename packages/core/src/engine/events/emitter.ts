import type { EngineEvents } from "./engine-events.js";

export type EventName = keyof EngineEvents;
export type Listener<Name extends EventName> = (event: EngineEvents[Name] & EventIds) => void;

/** Whose event it is, where one emitter serves several conversations: those of an adapter. */
export interface EventIds {
  readonly sessionId?: string;
  /** What the caller calls the conversation: `thread_id`, or what `threadOf` gave. */
  readonly threadId?: string;
}

/** Where the engine tells what it did. A listener that throws disturbs nobody. */
export interface EventEmitter {
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void;
  emit<Name extends EventName>(name: Name, event: EngineEvents[Name] & EventIds): void;
}

/** `onError` is told what listeners threw. */
export function createEventEmitter(onError: (error: unknown) => void = () => {}): EventEmitter {
  const listeners = new Map<EventName, Set<Listener<never>>>();
  return {
    on(name, listener) {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known);
      known.add(listener);
      return () => void known.delete(listener);
    },
    emit(name, event) {
      for (const listener of Array.from(listeners.get(name) ?? [])) {
        try {
          (listener as Listener<typeof name>)(event);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}
