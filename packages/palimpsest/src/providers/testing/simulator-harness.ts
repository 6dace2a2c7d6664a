import type { ScriptedFault, ScriptedTurn } from "@palimpsest/core/testing";
import type { SimulatorApp } from "../../simulator/http/app.js";
import { createFaultPlan, type Fault, type FaultPlan } from "../../simulator/http/faults.js";
import type { Answer, Player } from "../../simulator/player.js";

/** A script of the provider contract, as the simulator plays it. */
export interface ScriptedSimulation {
  readonly player: Player;
  readonly faults: FaultPlan;
  /** Goes around the simulator's app: counts requests, and answers those that are to be garbage. */
  readonly wrap: (app: SimulatorApp) => SimulatorApp;
  readonly requests: () => number;
}

/** What providers in the contract retry with. */
export const quickRetries = { maxRetries: 2, baseMs: 1, maxMs: 5 } as const;

/** After `message_start`, `content_block_start` and one delta. */
const EVENTS_WITH_TEXT = 3;

const faultOf: Readonly<Record<ScriptedFault, Fault | undefined>> = {
  "rate-limit": { fault: "429", retryAfterSeconds: 0 },
  overloaded: { fault: "529" },
  "server-error": { fault: "500" },
  unauthorized: { fault: "401" },
  overflow: undefined,
  "cut-before": { fault: "cut", events: 0 },
  "cut-after-start": { fault: "cut", events: 1 },
  "cut-mid-text": { fault: "cut", events: EVENTS_WITH_TEXT },
  "error-mid-text": { fault: "error", events: EVENTS_WITH_TEXT, type: "overloaded_error" },
  garbage: undefined,
  hang: { fault: "slow", milliseconds: 600_000 },
};

/** Faults that are answered before the model is asked. */
const withoutModel: ReadonlySet<ScriptedFault> = new Set([
  "rate-limit",
  "overloaded",
  "server-error",
  "unauthorized",
]);

export function simulateScript(script: readonly ScriptedTurn[]): ScriptedSimulation {
  const reaching = script.filter(({ fault }) => fault !== "garbage");
  const played = reaching.filter(({ fault }) => fault === undefined || !withoutModel.has(fault));
  let requests = 0;
  return {
    player: {
      answer(_prompt, memory) {
        const at = typeof memory === "number" ? memory : 0;
        return { answer: answerOf(played[at] ?? { text: "The script is over." }), memory: at + 1 };
      },
    },
    faults: createFaultPlan(
      reaching.flatMap((turn, index) => {
        const fault = turn.fault === undefined ? undefined : faultOf[turn.fault];
        return fault === undefined ? [] : [{ fault, span: { from: index + 1, to: index + 1 } }];
      }),
    ),
    wrap: (app) => async (request) => {
      const turn = script[requests];
      requests += 1;
      return turn?.fault === "garbage" ? garbage(requests) : app(request);
    },
    requests: () => requests,
  };
}

function answerOf({ text, calls = [], fault }: ScriptedTurn): Answer {
  if (fault === "overflow") {
    const message = "prompt is too long: 200001 tokens > 200000 maximum";
    return { content: [], error: { status: 400, type: "invalid_request_error", message } };
  }
  return {
    content: [
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
      ...calls.map((call) => ({ type: "tool_use" as const, ...call })),
      ...(text === undefined && calls.length === 0 ? [{ type: "text" as const, text: "ok" }] : []),
    ],
  };
}

/** Once a page of some proxy, once a stream of something else. */
const garbage = (request: number): Response =>
  request % 2 === 1
    ? new Response("<html><body>Please log in</body></html>", { headers: { "content-type": "text/html" } })
    : new Response('event: content_block_delta\ndata: {"nonsense":\n\ndata: [DONE]\n\n', {
        headers: { "content-type": "text/event-stream" },
      });
