import { expect } from "vitest";
import {
  applyMediaBoundaries,
  applyMicrocompactions,
  liveMessages,
  normalise,
  type CompactHooks,
  type HookContext,
  type PreCompactOutput,
  type Message,
  type ModelCall,
  type ModelResponse,
  type Settings,
  type ToolUseBlock,
  type UserBlock,
} from "@palimpsest/core";
import { findProblems } from "@palimpsest/core/validity";
import { createConversation, createUserMessage } from "@palimpsest/core";
import { createEmbeddedProvider } from "../../packages/palimpsest/src/providers/embedded.js";
import {
  summaryModes,
  withSummaries,
  type Player,
  type SimulatorApp,
} from "../../packages/palimpsest/src/simulator/index.js";
import { stages } from "../conversation/agent.js";
import { createWorld, tools, worker } from "../conversation/world.js";

const WINDOW = 60_000;
export const TURNS = Number(process.env["PALIMPSEST_CHAOS_TURNS"] ?? 5000);
const seed = Number(process.env["PALIMPSEST_CHAOS_SEED"] ?? (Date.now() ^ process.pid) >>> 0);

/** Random numbers that a printed seed brings back. */
function createRandom(start: number) {
  let state = start >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  };
  return { next, pick };
}

const refusal = (status: number, type: string, message: string): Response =>
  Response.json({ type: "error", error: { type, message } }, { status, headers: { "retry-after": "0" } });

/** Between the provider and the API: refusals, garbage, cuts before and in the middle of a response. */
function disturb(app: SimulatorApp, random: ReturnType<typeof createRandom>): SimulatorApp {
  const faults: readonly ((request: Request) => Promise<Response>)[] = [
    async () => refusal(429, "rate_limit_error", "This request would exceed the rate limit."),
    async () => refusal(529, "overloaded_error", "Overloaded"),
    async () => refusal(500, "api_error", "Internal server error"),
    async () => refusal(400, "invalid_request_error", "prompt is too long"),
    async () =>
      refusal(
        400,
        "invalid_request_error",
        `prompt is too long: ${WINDOW + 9000} tokens > ${WINDOW} maximum`,
      ),
    async () => refusal(401, "authentication_error", "invalid x-api-key"),
    async () =>
      new Response("<html>Bad gateway</html>", { status: 200, headers: { "content-type": "text/html" } }),
    async () => new Response("", { status: 502 }),
    async () => Response.error(),
    async (request) => {
      const text = await (await app(request)).text();
      const cut = text.slice(0, Math.floor(text.length * random.next()));
      return new Response(cut, { headers: { "content-type": "text/event-stream" } });
    },
  ];
  return (request) => (random.next() < 0.06 ? random.pick(faults)(request) : app(request));
}

/** Summaries of every quality. */
function moodyPlayer(random: ReturnType<typeof createRandom>): Player {
  const inner = worker(true);
  const players = new Map(summaryModes.map((mode) => [mode, withSummaries(inner, { mode })]));
  return {
    answer(prompt, memory) {
      const mode = random.next() < 0.5 ? "mediocre" : random.pick(summaryModes);
      const player = players.get(mode);
      if (player === undefined) throw new Error("unreachable");
      return player.answer(prompt, memory);
    },
  };
}

/** Hooks that say nothing, crash, block or never come back. */
function wildHooks(random: ReturnType<typeof createRandom>): CompactHooks {
  const wild = async <T extends object>(nothing: T, more: readonly NoInfer<T>[]): Promise<T> => {
    const chance = random.next();
    if (chance < 0.1) throw new Error("the hook crashed");
    if (chance < 0.15) return new Promise(() => {});
    return chance < 0.25 ? random.pick(more) : nothing;
  };
  return {
    preCompact: () => wild<PreCompactOutput>({}, [{ block: "not now" }, { instructions: "keep names" }]),
    sessionStart: () => wild<HookContext>({}, [{ contexts: ["welcome back"] }]),
    postCompact: () => wild<HookContext>({}, [{ message: "done" }]),
  };
}

/** A conversation among faults of every kind: nothing stuck, lost, doubled or refused. */
export async function surviveChaos(settings: Partial<Settings>, turns: number): Promise<void> {
  console.log(`chaos: ${turns} turns, seed ${seed}`);
  const random = createRandom(seed);
  const refused: string[] = [];
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: moodyPlayer(random),
    maxRetries: 2,
    baseMs: 0,
    maxMs: 0,
    wrap: (app) => disturb(app, random),
  });
  const world = createWorld(2500);
  const stored: Message[] = [];
  let ids = 0;
  const conversation = createConversation({
    ...stages,
    model: "claude-opus-5-5",
    maxTokens: 4000,
    sessionId: "s",
    clock: { now: () => provider.simulator.now() },
    ids: { next: () => `u${(ids += 1)}` },
    source: "repl_main_thread",
    provider,
    settings: {
      window: WINDOW,
      reserve: 8000,
      autoCompactBuffer: 4000,
      clearSizeTarget: 6000,
      clearSizeAtLeast: 4000,
      keepRecentTokens: 4000,
      ...settings,
    },
    system: { custom: "You are an agent." },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    hooks: wildHooks(random),
    state: world.state,
    writer: { append: async (messages) => void stored.push(...messages), close: async () => {} },
  });
  const failures: { readonly at: number; readonly size: number }[] = [];
  /** When an attempt failed although the window was full. */
  const atTheLastRung: number[] = [];
  let inARow = 0;
  let worst = 0;
  const counts = { responses: 0, held: 0, failed: 0, retries: 0, aborted: 0, compactions: 0 };
  const hardAt = conversation.size().thresholds.hardAt;
  const successes: number[] = [];
  conversation.events.on("compact", () => {
    successes.push(provider.simulator.now());
    counts.compactions += 1;
    inARow = 0;
  });
  conversation.events.on("compact_failed", ({ reason, trigger, failedAttempts }) => {
    // By hand nothing is held back.
    if (trigger === "manual") return;
    if (reason === "aborted" || reason === "blocked_by_hook") return;
    // Notes that do not do: nobody was asked, and the compaction itself comes right behind.
    if (failedAttempts.at(-1)?.writer === "notes") return;
    const at = provider.simulator.now();
    if (conversation.size().padded >= hardAt) {
      atTheLastRung.push(at);
      return;
    }
    // The breaker lets one through after its cooldown: that begins a new row.
    const before = failures.at(-1);
    if (before !== undefined && at - before.at >= 600_000) inARow = 0;
    failures.push({ at, size: conversation.size().padded });
    inARow += 1;
    worst = Math.max(worst, inARow);
  });
  const sentence = (text: string): void => {
    expect(text).toMatch(/^[A-Z"'].*[.!?]$/);
    expect(text).not.toMatch(/[\n\r]/);
  };
  const said: string[] = [];
  const say = async (text: string): Promise<void> => {
    said.push(text);
    await conversation.append(createUserMessage(conversation.origin(), { content: text }));
  };
  /** The caller gives up now and then, and always where something hangs. */
  const withPatience = async <T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const controller = new AbortController();
    const isHasty = random.next() < 0.03;
    const timer = setTimeout(() => controller.abort(), isHasty ? Math.floor(random.next() * 3) : 400);
    try {
      return await run(controller.signal);
    } finally {
      clearTimeout(timer);
    }
  };
  const send = (call: ModelCall, signal: AbortSignal) => {
    const problems = findProblems(call.request, { betas: call.betas ?? [] });
    if (problems.length > 0) refused.push(JSON.stringify(problems).slice(0, 300));
    return (async () => {
      for await (const output of provider.stream(call, { signal })) {
        if (output.kind === "message") return { kind: "response" as const, response: output.message };
        if (output.kind === "error") return { kind: "failure" as const, failure: output.failure };
      }
      throw new Error("a stream without an end");
    })();
  };
  const answerCalls = async ({ content }: ModelResponse): Promise<void> => {
    const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
    const results: UserBlock[] = calls.map((call) => world.runTool(call, provider.simulator.now()));
    if (results.length > 0)
      await conversation.append(createUserMessage(conversation.origin(), { content: results }));
  };
  await say("Work through the project. Instruction zero holds for ever.");
  let heldInARow = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    provider.simulator.advance(random.next() < 0.01 ? 20 * 60_000 : 3000);
    if (random.next() < 0.01) await say(`Word ${turn}: remember ${Math.floor(random.next() * 1e6)}.`);
    const preparing = withPatience((signal) => conversation.prepare({ signal }));
    // People type while the program works.
    if (random.next() < 0.02) await say(`Typed ahead ${turn}.`);
    const prepared = await preparing;
    if (prepared.kind === "held") {
      counts.held += 1;
      heldInARow += 1;
      sentence(prepared.message);
      // A person would go on, or compact by hand; neither may find it stuck.
      if (heldInARow > 5) {
        const outcome = await withPatience((signal) => conversation.compact({ signal }));
        if (outcome.kind === "failed") sentence(outcome.message);
      }
      expect(heldInARow).toBeLessThan(40);
      continue;
    }
    heldInARow = 0;
    const outcome = await withPatience((signal) => send(prepared.call, signal));
    const observed = await withPatience((signal) => conversation.observe(prepared, outcome, { signal }));
    if (observed.kind === "accepted") {
      counts.responses += 1;
      if (outcome.kind === "response") await answerCalls(outcome.response);
    } else if (observed.kind === "retry") {
      counts.retries += 1;
    } else {
      if (observed.failure.kind === "aborted") counts.aborted += 1;
      else counts.failed += 1;
      sentence(observed.message);
    }
  }
  console.log(`chaos: ${JSON.stringify({ ...counts, worst, failures: failures.length })}`);
  expect(refused).toEqual([]);
  const totals = provider.log.totals();
  expect(totals.requests).toBeGreaterThan(turns / 2);
  expect(counts.responses).toBeGreaterThan(turns / 2);
  expect(worst).toBeLessThanOrEqual(3);
  // Three, and one more, in any ten minutes without a success in between.
  for (const [index, at] of atTheLastRung.entries()) {
    const fifth = atTheLastRung[index + 4];
    if (fifth !== undefined && !successes.some((time) => time >= at && time <= fifth)) {
      expect(fifth - at).toBeGreaterThan(600_000);
    }
  }
  // Nothing that was said is lost: not in the transcript, not in the context.
  const transcript = JSON.stringify(stored);
  const context = JSON.stringify(conversation.requestMessages());
  for (const text of said) {
    expect(transcript).toContain(text);
    expect(context).toContain(text);
  }
  expect(new Set(stored.map(({ uuid }) => uuid)).size).toBe(stored.length);
  await conversation.notes?.idle();
  const resumed = normalise(applyMediaBoundaries(applyMicrocompactions(liveMessages(stored)))).messages;
  expect(JSON.stringify(resumed)).toBe(context);
}
