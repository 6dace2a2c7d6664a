import { describe, expect, it } from "vitest";
import { createConversation, createUserMessage, type Conversation, type Message } from "@palimpsest/core";
import { createSystemPrompt, section } from "@palimpsest/core/engine";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { driveConversation } from "../../packages/palimpsest/src/soak/small-host.js";
import { createMemoryStore } from "../../packages/palimpsest/src/stores/index.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const WINDOW = 40_000;

const createProvider = () =>
  createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: withSummaries(worker(true)),
  });

async function createStage() {
  const provider = createProvider();
  const store = createMemoryStore();
  const world = createWorld(2000);
  let resolved = 0;
  const shared = {
    model: "claude-opus-5-5",
    maxTokens: 4000,
    source: "repl_main_thread",
    settings: { window: WINDOW, reserve: 8000, autoCompactBuffer: 4000, compactEarlyLeast: 1 },
    system: { prompt: createSystemPrompt([section("count", () => `You are agent ${(resolved += 1)}.`)]) },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    state: world.state,
  } satisfies Parameters<typeof createAgent>[0]["conversation"];
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation: { ...shared, writer: await store.open("main") },
  });
  let ids = 0;
  const branch = async (conversation: Conversation, id: string) => {
    const other = createProvider();
    const writer = await store.open(id);
    const branched = await conversation.branch({
      sessionId: id,
      writer,
      provider: other,
      clock: { now: () => other.simulator.now() },
      ids: { next: () => `${id}-${(ids += 1)}` },
    });
    const files = createWorld(2000);
    const runTool = (call: Parameters<typeof files.runTool>[0]) => files.runTool(call, other.simulator.now());
    return driveConversation(branched, { provider: other, runTool });
  };
  const resume = async (id: string) =>
    createConversation(
      {
        ...handedIn,
        ...shared,
        provider,
        sessionId: id,
        clock: { now: () => provider.simulator.now() },
        ids: { next: () => "unused" },
      },
      (await store.readLive(id)).messages,
    );
  return { agent, store, world, branch, resume };
}

const sent = (value: unknown): string => JSON.stringify(value);
const isResponse = { kind: "response" };

/** The requests of a conversation; with a branch beside it that works, compacts and goes back. */
async function requestsOf(hasBranch: boolean): Promise<readonly string[]> {
  const { agent, branch } = await createStage();
  const requests: string[] = [];
  await agent.say("Work.");
  let beside: Awaited<ReturnType<typeof branch>> | undefined;
  for (let turn = 0; turn < 30; turn += 1) {
    const prepared = await agent.conversation.prepare();
    if (prepared.kind === "request") requests.push(sent(prepared.built.request));
    expect(await agent.turn()).toMatchObject(isResponse);
    if (!hasBranch) continue;
    if (turn % 10 === 4) beside = await branch(agent.conversation, `b${turn}`);
    if (beside === undefined) continue;
    expect(await beside.turn()).toMatchObject(isResponse);
    if (turn % 10 === 6) await beside.conversation.compact();
    if (turn % 10 === 8) await beside.conversation.rewind(beside.conversation.live.at(-1)?.uuid ?? "");
  }
  return requests;
}

describe("a branch", () => {
  it("leaves the conversation that it comes from as it is: its requests are the same bytes", async () => {
    expect(await requestsOf(true)).toEqual(await requestsOf(false));
  });

  it("goes on from here, and each of the two goes its own way", async () => {
    const { agent, world, branch, resume } = await createStage();
    const { conversation } = agent;
    await agent.say("Work.");
    for (let turn = 0; turn < 12; turn += 1) expect(await agent.turn()).toMatchObject(isResponse);
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    expect(await agent.turn()).toMatchObject(isResponse);
    const before = sent(conversation.requestMessages());
    const reads = sent(world.readState.snapshot());
    const other = await branch(conversation, "beside");
    expect(sent(other.conversation.requestMessages())).toBe(before);
    expect(sent((await resume("beside")).requestMessages())).toBe(before);
    const [one, two] = [await conversation.prepare(), await other.conversation.prepare()];
    if (one.kind === "held" || two.kind === "held") throw new Error("held");
    expect(sent(two.built.request.system)).toBe(sent(one.built.request.system));
    await other.say("This way.");
    for (let turn = 0; turn < 6; turn += 1) expect(await other.turn()).toMatchObject(isResponse);
    expect(await other.conversation.compact()).toMatchObject({ kind: "compacted" });
    await agent.say("That way.");
    expect(sent(conversation.requestMessages())).not.toContain("This way.");
    expect(sent(other.conversation.requestMessages())).not.toContain("That way.");
    expect(sent(world.readState.snapshot())).toBe(reads);
    expect(sent((await resume("beside")).requestMessages())).toBe(sent(other.conversation.requestMessages()));
    expect(sent((await resume("main")).requestMessages())).toBe(sent(conversation.requestMessages()));
  });

  it("is stored as a conversation of its own, which names where it comes from", async () => {
    const { agent, store, branch } = await createStage();
    await agent.say("Work.");
    expect(await agent.turn()).toMatchObject(isResponse);
    const last = agent.conversation.live.at(-1);
    await branch(agent.conversation, "beside");
    const { messages } = await store.readAll("beside");
    expect(messages[0]).toMatchObject({
      type: "system",
      subtype: "branched",
      parentUuid: null,
      branchedFrom: { sessionId: "s", uuid: last?.uuid },
    });
    expect(new Set(messages.map(({ sessionId }: Message) => sessionId))).toEqual(new Set(["beside"]));
    expect(messages.slice(1, -1).map(({ uuid }) => uuid)).toEqual(
      agent.conversation.live.map(({ uuid }) => uuid),
    );
    // What it knows; what was paid before is not its own.
    expect(messages.at(-1)).toMatchObject({ subtype: "totals", totals: { account: [] } });
    expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(["beside", "main"]);
  });

  it("of an empty conversation is an empty conversation", async () => {
    const { agent } = await createStage();
    const branched = await agent.conversation.branch();
    expect(branched.requestMessages()).toEqual([]);
    await branched.append(createUserMessage(branched.origin(), { content: "Hello." }));
    expect(await branched.prepare()).toMatchObject({ kind: "request" });
    expect(agent.conversation.live).toEqual([]);
  });
});
