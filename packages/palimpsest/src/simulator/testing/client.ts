import type { ModelResponse } from "@palimpsest/core";
import { createSimulator, type SimulatorOptions } from "../core/create-simulator.js";
import type { ErrorOutcome, MessageOutcome, Outcome, Verdict } from "../outcome.js";
import type { Answer, Player } from "../player.js";

/** Says what it is told to say, and "ok" when it runs out. */
export function cannedPlayer(...answers: readonly Answer[]): Player {
  return {
    answer: (_prompt, memory) => {
      const at = typeof memory === "number" ? memory : 0;
      return { answer: answers[at] ?? { content: [{ type: "text", text: "ok" }] }, memory: at + 1 };
    },
  };
}

export interface Sent {
  readonly betas?: readonly string[];
  readonly workspace?: string;
  readonly apiVersion?: string;
}

/** A client for tests: sends bodies, gives verdicts. */
export function createClient(options: Partial<SimulatorOptions> = {}) {
  const simulator = createSimulator({ player: cannedPlayer(), ...options });
  const call = (body: object, sent: Sent = {}): Outcome =>
    simulator.call({
      endpoint: "messages",
      body,
      workspace: sent.workspace ?? "key-1",
      betas: sent.betas ?? [],
      apiVersion: sent.apiVersion ?? "2026-10-21",
    });
  const accepted = (body: object, sent?: Sent): MessageOutcome => {
    const outcome = call(body, sent);
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    return outcome;
  };
  return {
    simulator,
    call,
    send: (body: object, sent?: Sent): Verdict => accepted(body, sent).verdict,
    message: (body: object, sent?: Sent): ModelResponse => accepted(body, sent).message,
    refusal(body: object, sent?: Sent): ErrorOutcome {
      const outcome = call(body, sent);
      if (outcome.kind !== "error") throw new Error(`accepted: ${JSON.stringify(outcome).slice(0, 300)}`);
      return outcome;
    },
    count(body: object, sent: Sent = {}): Outcome {
      return simulator.call({
        endpoint: "count_tokens",
        body,
        workspace: sent.workspace ?? "key-1",
        betas: sent.betas ?? [],
        apiVersion: "2026-10-21",
      });
    },
  };
}

/** About `tokens` tokens of prose on a newer model, different for each name. */
export const prose = (name: string, tokens = 800): string =>
  `${name}: ${`words about ${name} `.repeat(Math.ceil(tokens / 3.9))}`.trim();

export const marked = { cache_control: { type: "ephemeral" } } as const;
export const markedLong = { cache_control: { type: "ephemeral", ttl: "1h" } } as const;
export const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
export const user = (...content: object[]) => ({ role: "user", content });
export const assistant = (...content: object[]) => ({ role: "assistant", content });
