import {
  createConversation,
  createUserMessage,
  normalise,
  type Held,
  type Message,
  type ModelCall,
  type ModelResponse,
  type Settings,
  type ToolUseBlock,
} from "@palimpsest/core";
import { endOf, liveMessages, untilAnswered, applyBoundaries } from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import { createEmbeddedProvider } from "../providers/embedded.js";
import { BAD_STRETCH, disturb, moodyPlayer, wildHooks } from "./chaos-faults.js";
import { watchCompactions } from "./chaos-compactions.js";
import { ensure, ensureSame } from "./ensure.js";
import { createWorld, tools } from "./made-up-world.js";
import { createPatience } from "./patience.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { handedIn } from "./small-host.js";

const WINDOW = 60_000;
const TURNS = 5000;
const CHECK_EVERY = 50;
/** Where only a model may summarise, a conversation is held as long as no model does; somebody asks it again in each turn. */
const MOST_HELD = 2 * BAD_STRETCH;
/** How often a batch cannot be stored. */
const FULL_DISK = 0.004;
const NO_SPACE = "no space left on the device";

type UserContent = Parameters<typeof createUserMessage>[1]["content"];

/** One after another, by the seed. */
const variants: readonly Partial<Settings>[] = [
  { compactExtractive: true },
  { compactExtractive: false },
  { notes: true, notesTokensBetweenUpdates: 2000 },
];

export const conversationChaosRun: SoakRun = {
  name: "conversation-chaos",
  about: "a conversation among faults of every kind: nothing gets stuck, lost, doubled or refused",
  passes: 3,
  pass: survive,
};

async function survive({ seed, random, step, isOver }: SoakContext): Promise<void> {
  const patience = createPatience(random);
  const refused: string[] = [];
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: moodyPlayer(random),
    maxRetries: 2,
    baseMs: 0,
    maxMs: 0,
    wrap: (app) => disturb(app, { random, window: WINDOW }),
  });
  const world = createWorld(2500);
  const stored: Message[] = [];
  let ids = 0;
  const conversation = createConversation({
    ...handedIn,
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
      ...variants[seed % variants.length],
    },
    system: { custom: "You are an agent." },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    hooks: wildHooks(random, patience.lose),
    state: world.state,
    writer: {
      async append(messages) {
        if (random.next() < FULL_DISK) throw new Error(NO_SPACE);
        stored.push(...messages);
      },
      close: async () => {},
    },
  });
  const compactions = watchCompactions(conversation, () => provider.simulator.now());
  const counts = { responses: 0, held: 0, "failed calls": 0, retries: 0, aborted: 0, "not stored": 0 };

  /** What cannot be stored is said again, as a host would. */
  const append = async (content: UserContent): Promise<void> => {
    const message = createUserMessage(conversation.origin(), { content });
    for (let isStored = false; !isStored;) {
      isStored = await conversation.append(message).then(() => true, countUnstored);
    }
  };
  const countUnstored = (error: unknown): false => {
    if (!String(error).includes(NO_SPACE)) throw error;
    counts["not stored"] += 1;
    return false;
  };
  const said: string[] = [];
  const say = async (text: string): Promise<void> => {
    said.push(text);
    await append(text);
  };
  const send = async (call: ModelCall, signal: AbortSignal) => {
    const problems = findProblems(call.request, { betas: call.betas ?? [] });
    if (problems.length > 0) refused.push(JSON.stringify(problems).slice(0, 300));
    for await (const output of provider.stream(call, { signal })) {
      if (output.kind === "message") return { kind: "response" as const, response: output.message };
      if (output.kind === "error") return { kind: "failure" as const, failure: output.failure };
    }
    throw new Error("a stream without an end");
  };
  const answerCalls = async ({ content }: ModelResponse): Promise<void> => {
    const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
    const results = calls.map((call) => world.runTool(call, provider.simulator.now()));
    if (results.length > 0) await append(results);
  };

  let heldInARow = 0;
  const beHeld = async ({ message, failure }: Held): Promise<void> => {
    counts.held += 1;
    heldInARow += 1;
    ensureSentence(message);
    // A person would go on, or compact by hand; neither may find it stuck.
    if (heldInARow > 5) {
      const outcome = await patience.with((signal) => conversation.compact({ signal })).catch(countUnstored);
      if (outcome !== false && outcome.kind === "failed") ensureSentence(outcome.message);
    }
    ensure(
      heldInARow < MOST_HELD,
      `held ${heldInARow} times in a row: ${message} ${JSON.stringify(failure?.failedAttempts ?? [])} ${JSON.stringify(conversation.size())}`,
    );
  };
  const takeTurn = async (turn: number): Promise<void> => {
    provider.simulator.advance(random.next() < 0.01 ? 20 * 60_000 : 3000);
    if (random.next() < 0.01) await say(`Word ${turn}: remember ${random.below(1e6)}.`);
    const end = await endOf(
      untilAnswered({
        async prepare() {
          const preparing = patience.with((signal) => conversation.prepare({ signal }));
          // People type while the program works.
          if (random.next() < 0.02) await say(`Typed ahead ${turn}.`);
          return preparing;
        },
        send: ({ call }) => patience.with((signal) => send(call, signal)),
        async observe(prepared, outcome) {
          const observed = await compactions.whileObserving(() =>
            patience.with((signal) => conversation.observe(prepared, outcome, { signal })),
          );
          if (observed.kind === "retry") counts.retries += 1;
          return { ...observed, outcome };
        },
      }),
    ).catch(countUnstored);
    if (end === false) return;
    if (end.kind === "held") return beHeld(end);
    heldInARow = 0;
    if (end.kind === "accepted") {
      counts.responses += 1;
      if (end.outcome.kind === "response") await answerCalls(end.outcome.response);
      return;
    }
    if (end.failure.kind === "aborted") counts.aborted += 1;
    else counts["failed calls"] += 1;
    ensureSentence(end.message);
  };

  let seen = { stored: 0, said: 0 };
  let withoutWords = 0;
  const check = async (turns: number): Promise<void> => {
    await conversation.notes?.idle();
    ensureSame(refused, [], "requests that the API refuses");
    // Most is answered, once there was enough of it.
    if (turns >= 10 * CHECK_EVERY) {
      ensure(provider.log.totals().requests > turns / 2, "too few requests came through");
      ensure(counts.responses > turns / 2, `${counts.responses} responses in ${turns} turns`);
    }
    compactions.check();
    // Nothing that was said is lost: not in the transcript, not in the context.
    const transcript = JSON.stringify(stored.slice(seen.stored));
    for (const text of said.slice(seen.said)) {
      ensure(transcript.includes(text), `not in the transcript: ${text}`);
    }
    const context = JSON.stringify(conversation.requestMessages());
    const missing = said.filter((text) => !context.includes(text));
    // Where the API says that much less fits than there is, a summary without a model may have no room for all of them, and says so.
    if (missing.length > 0) {
      ensure(context.includes("stand only in the transcript"), `not in the context: ${missing[0]}`);
      withoutWords += 1;
      ensure(withoutWords <= 1 + turns / CHECK_EVERY / 20, "words are left out of too many contexts");
    }
    seen = { stored: stored.length, said: said.length };
    ensure(new Set(stored.map(({ uuid }) => uuid)).size === stored.length, "a message was stored twice");
    const resumed = normalise(applyBoundaries(liveMessages(stored))).messages;
    ensureSame(JSON.stringify(resumed), context, "what is resumed from the transcript");
  };

  await say("Work through the project. Instruction zero holds for ever.");
  let before = { ...counts, compactions: 0 };
  for (let turn = 0; turn < TURNS; turn += 1) {
    await takeTurn(turn);
    await step({ turns: 1 });
    if ((turn + 1) % CHECK_EVERY !== 0) continue;
    await check(turn + 1);
    const now = { ...counts, compactions: compactions.count() };
    await step(differences(before, now));
    before = now;
    if (isOver()) return;
  }
}

const differences = <T extends Readonly<Record<string, number>>>(before: T, now: T): Record<string, number> =>
  Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)]));

/** What a person is told is one sentence on one line. */
function ensureSentence(text: string): void {
  ensure(/^[A-Z"'].*[.!?]$/.test(text), () => `not a sentence: ${JSON.stringify(text)}`);
}
