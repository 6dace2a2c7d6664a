import { findModel, type ModelCall, type RequestMessage } from "@palimpsest/core";
import { endOf, untilAnswered } from "@palimpsest/core/engine";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";
import { createSimulatedModel } from "../play/simulated-model.js";
import { parsePolicies } from "../policies/parse-policies.js";
import type { PolicyEdit, PolicyRun, PolicyTtl } from "../policies/policy.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { START } from "./made-up-rounds.js";

const WINDOW = 60_000;
const counter = createSharedCounter();

export interface Sent {
  readonly call: ModelCall;
  /** As the model saw it. */
  readonly seen: readonly RequestMessage[];
  readonly edits: readonly PolicyEdit[];
}

export interface Ended {
  readonly turns: readonly Sent[];
  readonly ended?: { readonly kind: string; readonly next: "retry" | "end" };
  readonly sideCalls: number;
  /** What the calls beside the conversation asked for. */
  readonly asked: readonly ModelCall[];
  readonly run: PolicyRun;
}

/** Plays rounds through a policy until a request is refused for good. */
export async function run(
  policy: string,
  rounds: readonly RecordedRound[],
  {
    ttl = "5m",
    model = "claude-opus-5-5",
    window = WINDOW,
  }: { readonly ttl?: PolicyTtl; readonly model?: string; readonly window?: number } = {},
): Promise<Ended> {
  const [chosen] = parsePolicies(policy);
  if (chosen === undefined) throw new Error("a policy is expected");
  let sideCalls = 0;
  const asides: ModelCall[] = [];
  const simulated = createSimulatedModel({
    startTime: START,
    window,
    counter,
    onSideCall: () => {
      sideCalls += 1;
    },
  });
  const playing = chosen.start({
    model,
    window,
    maxTokens: 4096,
    ttl,
    system: "You read files.",
    tools: [{ name: "Read", description: "Reads", input_schema: { type: "object", properties: {} } }],
    thinking: findModel(model)?.capabilities.thinking.adaptive
      ? { type: "adaptive" }
      : { type: "enabled", budget_tokens: 1024 },
    now: simulated.now,
    sessionId: "s",
    provider: {
      ...simulated.provider,
      stream(asked, options) {
        asides.push(asked);
        return simulated.provider.stream(asked, options);
      },
    },
  });
  const turns: Sent[] = [];
  for (const round of rounds) {
    simulated.reach(round.at);
    playing.recorded?.(round);
    await playing.append(round.incoming);
    const edits: PolicyEdit[] = [];
    const end = await endOf(
      untilAnswered({
        async prepare() {
          const prepared = await playing.prepare();
          edits.push(...prepared.edits);
          return prepared;
        },
        send: async ({ call }) => simulated.send(call, { content: round.response.content }),
        async observe({ call }, outcome) {
          if (outcome.kind === "response") {
            edits.push(...(await playing.answered(outcome.response)));
            return { kind: "turn" as const, turn: { call, seen: outcome.seen, edits } };
          }
          const reaction = await playing.refused(outcome.failure);
          edits.push(...reaction.edits);
          const { kind } = outcome.failure;
          return reaction.next === "retry"
            ? { kind: "retry" as const }
            : { kind: "ended" as const, why: kind };
        },
      }),
    );
    if (end.kind === "turn") turns.push(end.turn);
    else {
      const ended = { kind: end.kind === "held" ? "held" : end.why, next: "end" } as const;
      return { turns, sideCalls, asked: asides, run: playing, ended };
    }
  }
  return { turns, sideCalls, asked: asides, run: playing };
}
