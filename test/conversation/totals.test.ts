import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountTotal, createConversation, createUserMessage, type Message } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { totals } from "@palimpsest/core/totals";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createMemoryStore } from "../../packages/palimpsest/src/stores/index.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const shared = {
  model: "claude-opus-5",
  maxTokens: 2000,
  settings: {
    window: 60_000,
    reserve: 3000,
    autoCompactBuffer: 2000,
    keepRecentTokens: 1000,
    keepLastTokens: 1000,
  },
  system: { custom: "You are an agent." },
  tools: () => tools,
  totals,
} as const;

async function begun(turns: number) {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: 60_000,
    player: withSummaries(worker(true)),
  });
  const world = createWorld(1500);
  const store = createMemoryStore();
  const agent = createAgent({
    provider,
    runTool: (call) => world.runTool(call, provider.simulator.now()),
    conversation: { ...shared, writer: await store.open("s") },
  });
  await agent.say("Work.");
  for (let turn = 0; turn < turns; turn += 1) await agent.turn();
  const paid = () => provider.log.totals().cost;
  const resumed = async (id = "s") =>
    createConversation({ ...handedIn, ...shared }, (await store.readLive(id)).messages);
  return { ...agent, store, paid, resumed };
}

const dollars = (conversation: { account(): Parameters<typeof accountTotal>[0] }): number =>
  accountTotal(conversation.account()).dollars;

describe("what was paid stays paid", () => {
  it("after a compaction was undone, gone back over, and after a resume", async () => {
    const { conversation, agent, paid, resumed } = await begun(6).then((one) => ({ ...one, agent: one }));
    const [first] = conversation.live;
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    await agent.turn();
    expect(await conversation.undo()).toMatchObject({ kind: "undone" });
    expect(dollars(conversation)).toBeCloseTo(paid(), 9);
    expect(dollars(await resumed())).toBeCloseTo(paid(), 9);
    await agent.turn();
    expect(await conversation.rewind(first?.uuid ?? "")).toMatchObject({ kind: "rewound" });
    expect(conversation.live.length).toBeLessThan(5);
    expect(dollars(conversation)).toBeCloseTo(paid(), 9);
    expect(dollars(await resumed())).toBeCloseTo(paid(), 9);
  });

  it("by the conversation that a branch comes from: the branch begins with an account of its own", async () => {
    const { conversation, store, paid, resumed } = await begun(3);
    const branch = await conversation.branch({ sessionId: "b", writer: await store.open("b") });
    expect(dollars(branch)).toBe(0);
    expect(dollars(await resumed("b"))).toBe(0);
    await branch.charge({
      source: "x",
      model: "claude-opus-5",
      usage: { input_tokens: 1000, output_tokens: 0 },
    });
    expect(dollars(branch)).toBeGreaterThan(0);
    expect(dollars(await resumed("b"))).toBe(dollars(branch));
    expect(dollars(await resumed())).toBeCloseTo(paid(), 9);
  });
});

it("a call that is charged while a compaction is stored counts once after a resume", async () => {
  const { conversation, resumed } = await begun(4);
  const compacting = conversation.compact();
  const call = { source: "agent:x", model: "claude-opus-5", usage: { input_tokens: 7, output_tokens: 1 } };
  await Promise.all([compacting, conversation.charge(call), conversation.charge(call)]);
  const of = (account: ReturnType<typeof conversation.account>) =>
    account.lines.find(({ source }) => source === "agent:x");
  expect(of(conversation.account())).toMatchObject({ calls: 2, inputTokens: 14 });
  expect(of((await resumed()).account())).toEqual(of(conversation.account()));
});

it("without totals handed in, nothing is written, and what was paid begins anew", async () => {
  const { store, resumed } = await begun(3);
  const { messages } = await store.readLive("s");
  const { totals: _totals, ...without } = { ...handedIn, ...shared };
  const again = createConversation(without, messages);
  expect(dollars(again)).toBe(0);
  expect(dollars(await resumed())).toBeGreaterThan(0);
  expect(again.requestMessages()).toEqual((await resumed()).requestMessages());
});

it("a record may be anything: it is read, and what makes no sense counts as nothing", async () => {
  const { store } = await begun(3);
  const all = (await store.readAll("s")).messages;
  const sent = createConversation({ ...handedIn, ...shared }, liveMessages(all)).requestMessages();
  const record = all.find(({ type, ...rest }) => type === "system" && "totals" in rest);
  expect(record).toBeDefined();
  const names = Object.keys((record as unknown as { totals: object }).totals);
  const part = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(Number.NaN, Infinity, -1, [["u1", Infinity]], [["u1", "a"]], { head: -5 }),
    fc.array(fc.tuple(fc.constantFrom("u1", "u2", "__proto__"), fc.double(), fc.integer())),
  );
  const content = fc.dictionary(fc.constantFrom(...names, "refused", "__proto__"), part);
  fc.assert(
    fc.property(content, fc.constantFrom("totals", "change"), (value, name) => {
      const hostile = all.map((message): Message =>
        message === record
          ? ({
              ...message,
              totals: undefined,
              [name]: { model: shared.model, ...value },
            } as unknown as Message)
          : message,
      );
      const conversation = createConversation({ ...handedIn, ...shared }, liveMessages(hostile));
      expect(conversation.requestMessages()).toEqual(sent);
      expect(Number.isFinite(dollars(conversation))).toBe(true);
      expect(Number.isFinite(conversation.size().tokens)).toBe(true);
      expect(conversation.size().padded).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 300 },
  );
});

it("subagents' records beside a conversation are not its own", async () => {
  const { store, conversation } = await begun(2);
  const all = (await store.readAll("s")).messages;
  const beside = {
    ...createUserMessage(conversation.origin(), { content: "x" }),
    isSidechain: true,
  } as Message;
  const record = all.findLast(({ type, ...rest }) => type === "system" && "totals" in rest);
  const copy = {
    ...record,
    uuid: "beside",
    isSidechain: true,
    totals: { account: [] },
  } as unknown as Message;
  const again = createConversation({ ...handedIn, ...shared }, liveMessages([...all, beside, copy]));
  expect(dollars(again)).toBeCloseTo(dollars(conversation), 12);
});

it("a resume does not measure the same system prompt and tools anew with what was learned since", async () => {
  const { conversation, resumed } = await begun(12);
  const again = await resumed();
  const size = conversation.size();
  expect(again.size()).toEqual(size);
  // Until the first request nobody has asked for them.
  expect(await again.prepare()).toMatchObject({ kind: "request" });
  expect(again.size().shownOverhead).toBe(size.shownOverhead);
});
