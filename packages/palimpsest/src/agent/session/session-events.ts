import { createEventEmitter, type EventEmitter, type EventName } from "@palimpsest/core";

/** What the engine did, in the main thread or in a subagent. */
export interface ToldEngineEvent {
  readonly name: EventName;
  /** As the engine tells it, without keys. */
  readonly event: unknown;
  readonly sessionId: string;
  readonly agentId?: string;
}

export type TellEngineEvent = (told: ToldEngineEvent) => void;

/** An emitter all of whose events are told, before those who listen for one of them hear it. */
export function createSessionEvents(
  tell: TellEngineEvent | undefined,
  who: Pick<ToldEngineEvent, "sessionId" | "agentId">,
): EventEmitter {
  const events = createEventEmitter();
  if (tell === undefined) return events;
  return {
    on: (name, listener) => events.on(name, listener),
    emit(name, event) {
      try {
        tell({ name, event, ...who });
      } catch {
        // Whoever is told disturbs nobody.
      }
      events.emit(name, event);
    },
  };
}
