import { createConversation, type ConversationOptions, type Message } from "@palimpsest/core";
import { createEmbeddedProvider } from "../providers/embedded.js";
import { withSummaries } from "../simulator/index.js";
import { createJsonlStore } from "../stores/index.js";
import { ensure, ensureSame } from "./ensure.js";
import { createWorld, tools, worker } from "./made-up-world.js";
import { createAgent, handedIn } from "./small-host.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { withFolder } from "./with-folder.js";

const WINDOW = 60_000;
const MESSAGES = 500;
const scopes = ["from", "up_to"] as const;

/** One after another, by the seed. */
const variants = [
  { model: "claude-opus-5", cacheEdits: false, notes: false },
  { model: "claude-opus-5-5", cacheEdits: false, notes: false },
  { model: "claude-opus-5", cacheEdits: true, notes: false },
  { model: "claude-opus-5", cacheEdits: false, notes: true },
] as const;

export const resumeRun: SoakRun = {
  name: "resume",
  about:
    "a conversation resumed from its transcript after any message sends what the live one would have sent",
  passes: 8,
  pass: (context) => withFolder("resume", (directory) => goOnAndResume(directory, context)),
};

async function goOnAndResume(directory: string, { seed, random, step, isOver }: SoakContext): Promise<void> {
  const { model, cacheEdits, notes } = variants[seed % variants.length] ?? variants[0];
  const store = createJsonlStore({ directory, durability: "process" });
  const writer = await store.open("s");
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    cacheEdits,
    player: withSummaries(worker(true)),
  });
  const world = createWorld(2000 + random.below(2000));
  const shared: Omit<ConversationOptions, "clock" | "ids" | "sessionId" | "provider" | "compaction"> = {
    model,
    maxTokens: 4000,
    source: "repl_main_thread",
    settings: {
      window: WINDOW,
      reserve: 8000,
      autoCompactBuffer: 4000,
      clearSizeTarget: 8000,
      clearSizeAtLeast: 4000,
      compactEarlyLeast: 1,
      notes,
      // In a window this small notes stand in for little else.
      notesTokensBetweenUpdates: 2000,
      notesKeepTokens: 2000,
      notesKeepMostTokens: 8000,
    },
    system: { custom: "You are an agent." },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    state: world.state,
  };
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation: { ...shared, writer },
  });
  const { conversation } = agent;
  let ids = 1_000_000;
  const check = async (): Promise<void> => {
    await conversation.notes?.idle();
    const { messages, damaged } = await store.readLive("s");
    ensureSame(damaged, [], "damaged lines");
    const resumed = createConversation(
      {
        ...handedIn,
        ...shared,
        provider,
        sessionId: "s",
        clock: { now: () => provider.simulator.now() },
        ids: { next: () => `r${(ids += 1)}` },
      },
      messages,
    );
    ensureSame(
      resumed.requestMessages(),
      conversation.requestMessages(),
      "what a resumed conversation sends",
    );
    await step({ resumed: 1 });
  };
  /** What a host and a person do in between, in any order. */
  const interrupt = async (turn: number): Promise<void> => {
    const chance = random.next();
    if (chance < 0.04) await agent.say(`And also ${turn}.`);
    else if (chance < 0.09) {
      const { live } = conversation;
      const pivot = live[random.below(live.length)]?.uuid ?? "";
      const kind = random.pick(scopes);
      const outcome = await conversation.compact({ scope: { kind, pivot } });
      if (outcome.kind === "compacted") await step({ [`compacted ${kind}`]: 1 });
    } else if (chance < 0.1) {
      if ((await conversation.undo()).kind === "undone") await step({ undone: 1 });
    } else if (chance < 0.11) provider.simulator.advance(70 * 60_000);
    else return;
    await check();
  };
  await agent.say("Work through the whole project.");
  let stored: readonly Message[] = [];
  for (let turn = 0; stored.length < MESSAGES; turn += 1) {
    const outcome = await agent.turn();
    if (outcome.kind === "held") throw new Error(outcome.message);
    await check();
    await interrupt(turn);
    const before = stored.length;
    stored = (await store.readAll("s")).messages;
    await step({ messages: stored.length - before });
    if (isOver()) break;
  }
  await writer.close();
  if (stored.length < MESSAGES) return;
  // Nothing is proved where nothing was compacted, by the engine or by hand.
  for (const { tier } of agent.steps) await step({ [`by ${tier}`]: 1 });
  const compactions = stored.filter(
    (message) => message.type === "system" && message.subtype === "compact_boundary",
  );
  ensure(compactions.length > 0, "nothing was compacted");
}
