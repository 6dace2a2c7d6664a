import {
  createConversation,
  createUserMessage,
  type EngineStep,
  type ModelCall,
  type ModelOutput,
  type PlannedStep,
  type ToolUseBlock,
} from "@palimpsest/core";
import { createRandom, type Random } from "../bench/random.js";
import { createEmbeddedProvider } from "../providers/embedded.js";
import { withSummaries } from "../simulator/index.js";
import { ensure, ensureSame } from "./ensure.js";
import { createWorld, output, tools, worker } from "./made-up-world.js";
import { handedIn } from "./small-host.js";
import type { SoakRun } from "./soak-run.js";

const TURNS = 40;
const PLANNED_ID = /^planned-/;
const models = ["claude-opus-5", "claude-opus-5-5", "claude-haiku-4-5"] as const;

/** Time is asked for after so many, so that a short run says something on the slowest machine. */
const LEAST_TURNS = 5;

export const plansRun: SoakRun = {
  name: "plans",
  about: "what plan() says is what prepare() does; where a call fails the next writer of the plan is asked",
  passes: 10_000,
  async pass({ seed, step, isOver }) {
    await step(await runPlans(seed, { isOver }));
  },
};

/** One conversation of any kind, by the seed, in which every request is planned before it is prepared. */
export async function runPlans(
  seed: number,
  { turns = TURNS, isOver = () => false }: { readonly turns?: number; readonly isOver?: () => boolean } = {},
): Promise<Readonly<Record<string, number>>> {
  const random = createRandom(seed);
  const window = 40_000 + random.below(3) * 10_000;
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window,
    cacheEdits: random.below(3) === 0,
    player: withSummaries(worker(random.below(2) === 0)),
    maxRetries: 0,
  });
  const world = createWorld(500 + random.below(4000));
  const failing = random.below(2) === 0 ? 0.4 : 0;
  let ids = 0;
  const conversation = createConversation({
    ...handedIn,
    model: random.pick(models),
    maxTokens: 4000,
    sessionId: "s",
    source: random.below(4) === 0 ? "agent:general" : "repl_main_thread",
    clock: { now: () => provider.simulator.now() },
    ids: { next: () => `u${(ids += 1)}` },
    provider:
      failing === 0
        ? provider
        : {
            ...provider,
            stream: failNowAndThen((call, ...rest) => provider.stream(call, ...rest), random, failing),
          },
    settings: {
      window,
      reserve: 8000,
      autoCompactBuffer: 4000,
      clearSizeTarget: 2000 + random.below(6000),
      clearSizeAtLeast: 2000,
      clearSizeBelow: 0.5 + random.next() / 2,
      clearEagerly: random.below(3) === 0,
      compactEarlyLeast: 1,
      compactExtractive: random.below(4) > 0,
      notes: random.below(4) === 0,
      notesTokensBetweenUpdates: 2000,
      mediaImages: 3,
    },
    system: { custom: "You are an agent." },
    tools: () => tools,
    state: world.state,
  });
  const counts: Record<string, number> = { turns: 0 };
  const say = (content: Parameters<typeof createUserMessage>[1]["content"]) =>
    conversation.append(createUserMessage(conversation.origin(), { content }));
  let wasRefused = false;
  await say("Work through the whole project.");
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn > 0 && turn % LEAST_TURNS === 0 && isOver()) break;
    provider.simulator.advance(random.below(15) === 0 ? 70 * 60_000 : 2000);
    if (random.below(12) === 0) await say(output(seed + turn, random.below(3) === 0 ? 400_000 : 3000));
    if (random.below(10) === 0) await say([picture(turn), { type: "text", text: "Look." }]);
    await conversation.notes?.idle();
    const before = JSON.stringify(conversation.requestMessages());
    const plan = await conversation.plan();
    ensureSame(JSON.stringify(conversation.requestMessages()), before, "what planning has changed");
    const prepared = await conversation.prepare();
    // What a refusal has led to is told with the next request; it was done before the plan was made.
    const told = Math.max(0, prepared.steps.length - plan.steps.length);
    comparePlan(plan.steps, wasRefused ? prepared.steps.slice(told) : prepared.steps, counts);
    wasRefused = false;
    if (prepared.kind === "held") {
      const last = plan.steps.at(-1);
      const isForeseen =
        plan.held?.reason === prepared.reason || last?.tier === "full" || last?.tier === "notes";
      ensure(isForeseen, `held by ${prepared.reason}, and the plan said nothing of it`);
      return counts;
    }
    ensure(plan.held === undefined, `the plan said that it would be held: ${plan.held?.message}`);
    let calls: readonly ToolUseBlock[] = [];
    for await (const made of provider.stream(prepared.call)) {
      if (made.kind === "error") wasRefused = true;
      if (made.kind === "error")
        await conversation.observe(prepared, { kind: "failure", failure: made.failure });
      if (made.kind !== "message") continue;
      await conversation.observe(prepared, { kind: "response", response: made.message });
      calls = made.message.content.filter((block): block is ToolUseBlock => block.type === "tool_use");
    }
    const now = provider.simulator.now();
    const results = calls.map((call) => {
      const answer = world.runTool(call, now);
      return typeof answer === "string"
        ? { type: "tool_result" as const, tool_use_id: call.id, content: answer }
        : answer;
    });
    await say(results.length > 0 ? results : "Go on.");
    counts["turns"] = (counts["turns"] ?? 0) + 1;
  }
  return counts;
}

/** Step by step: the same tier, the same results, and of a summary who writes it, what is kept and what comes back. */
function comparePlan(
  planned: readonly PlannedStep[],
  done: readonly EngineStep[],
  counts: Record<string, number>,
): void {
  for (const [at, step] of planned.entries()) {
    const real = done[at];
    if (step.tier === "full" || step.tier === "notes") {
      compareSummary(step, real, counts);
      return;
    }
    ensureSame(real?.tier, step.tier, `the tier of step ${at}`);
    counts[step.tier] = (counts[step.tier] ?? 0) + 1;
    if ("toolUseIds" in step) {
      const [boundary] = real?.added ?? [];
      const metadata = (boundary as { readonly microcompactMetadata?: { readonly toolUseIds: unknown } })
        .microcompactMetadata;
      ensureSame(metadata?.toolUseIds, step.toolUseIds, "which results go");
    }
    // A text that is kept elsewhere says where: only that is not known before.
    if (step.tier !== "oversize") ensureSame(real?.tokensAfter, step.tokensAfter, `what ${step.tier} leaves`);
  }
  ensureSame(done.length, planned.length, "how many steps there are");
}

function compareSummary(
  step: Extract<PlannedStep, { tier: "full" | "notes" }>,
  real: EngineStep | undefined,
  counts: Record<string, number>,
): void {
  const { plan } = step;
  const compacted = real?.compacted;
  if (plan.kind === "none") {
    // A summary of the usual length would not fit; the one that was written may have been shorter.
    const isBySize = plan.reason === "above_threshold" || plan.reason === "not_smaller";
    ensure(compacted === undefined || isBySize, `the plan said ${plan.reason}, and it was compacted`);
    counts["not planned"] = (counts["not planned"] ?? 0) + 1;
    return;
  }
  if (compacted === undefined) {
    counts["failed"] = (counts["failed"] ?? 0) + 1;
    return;
  }
  // What would not have fitted was not asked for.
  const failed = compacted.failedAttempts.filter(({ detail }) => detail !== "it would not have fitted");
  const tried = [...new Set([...failed.map(({ writer }) => writer), compacted.writer])];
  // Whose request would not fit is passed over.
  const listed = plan.writers.filter((writer) => tried.includes(writer));
  ensureSame(listed, tried, "who was asked in turn");
  counts[compacted.writer] = (counts[compacted.writer] ?? 0) + 1;
  if (compacted.writer !== plan.writer) return;
  // Of boundaries that earlier steps of the same plan write nobody knows the ids yet.
  const known = plan.kept.map((uuid) => (PLANNED_ID.test(uuid) ? "" : uuid));
  const kept = compacted.kept.map(({ uuid }, at) => (known[at] === "" ? "" : uuid));
  ensureSame(kept, known, "what is kept");
  ensureSame(compacted.variant, plan.variant, "what is summarised");
  const outputTokens = compacted.calls.reduce((sum, { usage }) => sum + usage.output_tokens, 0);
  const price = plan.cost;
  if (price !== undefined && compacted.writer !== "extractive" && compacted.writer !== "notes") {
    ensure(outputTokens > 0 && price.input > 0 && price.mostOutput > 0, "a call that costs nothing");
  }
}

type Stream = (call: ModelCall, ...rest: never[]) => AsyncIterable<ModelOutput>;

/** A provider whose calls for summaries fail now and then. */
function failNowAndThen(stream: Stream, random: Random, share: number): Stream {
  return async function* fail(call, ...rest) {
    if (random.next() < share) {
      const failure = { kind: "overloaded", message: "Overloaded", retryable: false, status: 529 } as const;
      yield { kind: "error", failure } as never;
      return;
    }
    yield* stream(call, ...rest);
  };
}

const picture = (turn: number) =>
  ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: PIXELS[turn % PIXELS.length] ?? "" },
  }) as const;

/** One pixel each. */
const PIXELS = [
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
];
