import type { EngineStep } from "./conversation-api.js";

/** The engine made room. */
interface StepEvent {
  readonly kind: "step";
  readonly step: EngineStep;
}

interface Prepared {
  readonly kind: "request" | "held";
  readonly steps?: readonly EngineStep[];
}

type Ready<Given> = Extract<Given, { readonly kind: "request" }>;
type Stopped<Given> = Extract<Given, { readonly kind: "held" }>;

/** What the loop is made of, whoever sends and whatever is sent. */
export interface TurnParts<Given, Sent, Seen, Event> {
  /** Gives what to send, or why nothing can be sent. */
  readonly prepare: () => Promise<Given>;
  /** Sends it, and may tell on the way what happens; gives what became of it. */
  readonly send: (ready: Ready<Given>) => AsyncGenerator<Event, Sent> | Promise<Sent>;
  /** Takes in what became of it: `retry` where there is room now. */
  readonly observe: (ready: Ready<Given>, sent: Sent) => Promise<Seen>;
}

/** Prepares, sends, observes, and again as long as that says `retry`. There is no other loop. */
export async function* untilAnswered<
  Given extends Prepared,
  Sent,
  Seen extends { readonly kind: string; readonly step?: EngineStep },
  Event,
>({
  prepare,
  send,
  observe,
}: TurnParts<Given, Sent, Seen, Event>): AsyncGenerator<
  Event | StepEvent,
  Stopped<Given> | Exclude<Seen, { readonly kind: "retry" }>
> {
  for (;;) {
    const prepared = await prepare();
    for (const step of prepared.steps ?? []) yield { kind: "step", step };
    if (prepared.kind === "held") return prepared as Stopped<Given>;
    const ready = prepared as Ready<Given>;
    const sending = send(ready);
    const sent = Symbol.asyncIterator in sending ? yield* sending : await sending;
    const seen = await observe(ready, sent);
    if (seen.kind !== "retry") return seen as Exclude<Seen, { readonly kind: "retry" }>;
    if (seen.step !== undefined) yield { kind: "step", step: seen.step };
  }
}
