import {
  accountBySource,
  accountTotal,
  createConversation,
  createUserMessage,
  defaultSettings,
  findModel,
  type CompactHooks,
  type Conversation,
  type Settings,
} from "@palimpsest/core";
import { branches } from "@palimpsest/core/branches";
import { compaction } from "@palimpsest/core/compaction";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmbeddedProvider, type EmbeddedProviderOptions } from "../../providers/embedded.js";
import { createKeepAlive } from "./keep-alive.js";
import { createPreparedCompaction, type WrittenBeside } from "./prepared-compaction.js";

const MINUTE = 60_000;
const TEXT = "It matters what was written down about the harbour. ".repeat(400);

interface Given {
  readonly settings?: Partial<Settings>;
  readonly provider?: EmbeddedProviderOptions;
  /** How long the pauses before were, in minutes. */
  readonly pause?: number;
  /** In how many messages the text comes that fills the context. */
  readonly parts?: number;
}

/** A conversation whose person was away for long before, and leaves again. */
async function start({ settings: given = {}, provider: more = {}, pause = 100, parts = 3 }: Given = {}) {
  const bodies: { readonly max_tokens: number; readonly messages: readonly unknown[] }[] = [];
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    wrap: (app) => async (request) => {
      bodies.push((await request.clone().json()) as (typeof bodies)[number]);
      return app(request);
    },
    ...more,
  });
  const { simulator } = provider;
  const settings: Settings = {
    ...defaultSettings,
    cacheKeepAlive: true,
    cacheTtl: "5m",
    compactEarlyLeast: 20_000,
    compactEarlyShare: 0.001,
    keepRecentTokens: 1000,
    clearIdleMinutes: 100_000,
    ...given,
  };
  const heard: string[] = [];
  const told: WrittenBeside[] = [];
  const sentences: string[] = [];
  const events: { readonly name: string; readonly event: object }[] = [];
  const clock = { now: () => simulator.now() };
  const prepared = createPreparedCompaction(() => conversation, { inner: compaction, settings });
  const keepAlive = createKeepAlive(() => conversation, {
    provider,
    settings,
    now: clock.now,
    wait: async (milliseconds) => simulator.advance(milliseconds),
    prepared,
    onPrepared(sentence, one) {
      sentences.push(sentence);
      told.push(one);
    },
  });
  const hooks: CompactHooks = {
    async preCompact() {
      heard.push("PreCompact");
      return { instructions: "Mind the harbour." };
    },
    async sessionStart() {
      heard.push("SessionStart");
      return {};
    },
    async postCompact() {
      heard.push("PostCompact");
      return {};
    },
  };
  const conversation: Conversation = createConversation({
    model: "claude-sonnet-5",
    maxTokens: 1000,
    compaction: prepared.stage,
    provider,
    settings,
    clock,
    hooks,
    source: "repl_main_thread",
    keptWarmAt: keepAlive.lastAt,
    branches: branches(),
  });
  for (const name of ["compact", "compact_failed"] as const)
    conversation.events.on(name, (event) => events.push({ name, event }));
  for (let round = 0; round < 10; round += 1) {
    await conversation.ask(`Round ${round}.`);
    simulator.advance(pause * MINUTE);
  }
  for (let part = 0; part < parts; part += 1) {
    // What no person said need not stand in a summary word for word.
    const content = `${part}. ${TEXT.repeat(9 / parts)}`;
    await conversation.append(createUserMessage(conversation.origin(), { content, isMeta: true }));
    await conversation.ask("What do you say to that?");
  }
  /** As the agent does before a prompt. */
  const takeUp = () => prepared.takeUp({ isCold: keepAlive.isCold(), signal: never() });
  const dollars = (): number => accountTotal(conversation.account()).dollars;
  return {
    conversation,
    simulator,
    keepAlive,
    bodies,
    heard,
    told,
    sentences,
    events,
    takeUp,
    dollars,
    provider,
  };
}

const never = (): AbortSignal => new AbortController().signal;
const uuids = ({ live }: Conversation): readonly string[] => live.map(({ uuid }) => uuid);
const contents = (conversation: Conversation): string => JSON.stringify(conversation.requestMessages());

describe("a person who comes back when the cache has ended", () => {
  it("finds the conversation compacted, by a summary that was written on the warm cache, and pays less", async () => {
    const at = await start();
    const { conversation, keepAlive, simulator, told, sentences, heard, events } = at;
    const before = contents(conversation);
    const sent = at.bodies.length;
    const paid = at.dollars();
    await keepAlive.during(never());
    // One call, read from the cache; nothing of the conversation has changed.
    expect(at.bodies.length).toBe(sent + 1);
    expect(told).toMatchObject([{ isReady: true }]);
    expect(at.dollars() - paid).toBeCloseTo(told[0]?.dollars ?? 0, 10);
    const call = accountBySource(conversation.account()).get("compact");
    expect(call?.cacheReadTokens).toBeGreaterThan(30_000);
    expect(call?.cacheWrite5mTokens).toBe(0);
    expect(sentences[0]).toMatch(
      /^A summary was prepared on the warm cache for \$0\.\d{4} \(\$0\.\d{4} of at most/,
    );
    expect(contents(conversation)).toBe(before);
    expect([heard, events]).toEqual([["PreCompact"], []]);

    simulator.advance(60 * MINUTE);
    const taken = await at.takeUp();
    expect(taken?.step).toMatchObject({ tier: "full", compacted: { writer: "fork", trigger: "auto" } });
    expect(taken?.step?.text).toMatch(
      /^Conversation compacted · .+ · prepared while you were away for \$0\./,
    );
    // Each of them once, and no second call.
    expect(heard).toEqual(["PreCompact", "SessionStart", "PostCompact"]);
    expect(events).toMatchObject([
      { name: "compact", event: { writer: "fork", trigger: "auto", calls: [] } },
    ]);
    expect(at.bodies.length).toBe(sent + 1);
    const { usage } = await conversation.ask("Here I am.");
    expect(usage.cache_read_input_tokens ?? 0).toBe(0);

    const without = await start({ settings: { cacheKeepAlive: false } });
    without.simulator.advance(65 * MINUTE);
    const paidWithout = without.dollars();
    await without.conversation.ask("Here I am.");
    expect(at.dollars() - paid).toBeLessThan(0.8 * (without.dollars() - paidWithout));
  });

  it("keeps the newest rounds and what came meanwhile, and can take it back", async () => {
    const { conversation, keepAlive, simulator, takeUp } = await start();
    const newest = conversation.live.findLast(({ type }) => type === "assistant")?.uuid;
    await keepAlive.during(never());
    const late = createUserMessage(conversation.origin(), { content: "The late result.", isMeta: true });
    await conversation.append(late);
    const before = contents(conversation);
    simulator.advance(60 * MINUTE);
    expect((await takeUp())?.step).toBeDefined();
    expect(uuids(conversation)).toEqual(expect.arrayContaining([newest, late.uuid]));
    expect(contents(conversation)).toContain("The late result.");
    expect(contents(conversation).length).toBeLessThan(before.length / 2);
    expect(await conversation.undo()).toMatchObject({ kind: "undone" });
    expect(contents(conversation)).toBe(before);
  });

  it("is not given a summary of what is no longer there", async () => {
    const { conversation, keepAlive, simulator, takeUp } = await start();
    await keepAlive.during(never());
    await conversation.compact({ instructions: "Only the harbour." });
    const before = contents(conversation);
    simulator.advance(60 * MINUTE);
    expect(await takeUp()).toEqual({
      notice: expect.stringMatching(/is not used: The conversation is another/),
    });
    expect(contents(conversation)).toBe(before);
  });

  it("who compacts by hand gets it too, without another call", async () => {
    const { conversation, keepAlive, simulator, takeUp, bodies, heard } = await start();
    await keepAlive.during(never());
    simulator.advance(60 * MINUTE);
    const sent = bodies.length;
    expect(await conversation.compact()).toMatchObject({
      kind: "compacted",
      writer: "fork",
      trigger: "manual",
    });
    expect(bodies.length).toBe(sent);
    expect(heard).toEqual(["PreCompact", "SessionStart", "PostCompact"]);
    expect(await takeUp()).toBeUndefined();
  });
});

describe("nothing is swapped in", () => {
  it("for a person who comes back while the cache is warm: what it has cost is told, and it is gone", async () => {
    const { conversation, keepAlive, simulator, takeUp, heard } = await start();
    await keepAlive.during(never());
    const before = contents(conversation);
    expect(await takeUp()).toEqual({
      notice: expect.stringMatching(/\(\$0\.\d{4}\) is not used: The cache is still warm\.$/),
    });
    simulator.advance(60 * MINUTE);
    expect(await takeUp()).toBeUndefined();
    expect(contents(conversation)).toBe(before);
    expect(heard).toEqual(["PreCompact"]);
  });

  it("and nothing prepared, where keep-alive or compaction is off, dollars are missing or the context is small", async () => {
    const off: readonly Partial<Settings>[] = [
      { cacheKeepAlive: false },
      { disableCompact: true },
      { disableAutoCompact: true },
      { autoCompactEnabled: false },
      { compactEarly: false },
      { compactFork: false },
      { compactEarlyLeast: 100_000 },
      { compactEarlyShare: 0.5 },
      { cacheKeepAliveDollars: 0.01 },
    ];
    for (const settings of off) {
      const { keepAlive, simulator, takeUp, told, heard, conversation } = await start({ settings });
      const before = uuids(conversation);
      await keepAlive.during(never());
      simulator.advance(60 * MINUTE);
      expect({ settings, taken: await takeUp() }).toEqual({ settings, taken: undefined });
      expect({ settings, told, heard }).toEqual({ settings, told: [], heard: [] });
      expect(uuids(conversation)).toEqual(before);
    }
  });

  it("and nothing prepared, after the person has called the last turn off", async () => {
    const { keepAlive, told, conversation } = await start();
    const content = "[Request interrupted by user]";
    await conversation.append(createUserMessage(conversation.origin(), { content, isMeta: true }));
    await keepAlive.during(never());
    expect(told).toEqual([]);
  });

  it("and never two are prepared, however often nobody speaks", async () => {
    const { keepAlive, told, bodies } = await start();
    await keepAlive.during(never());
    const sent = bodies.length;
    await keepAlive.during(never());
    await keepAlive.during(never());
    expect([told.length, bodies.length]).toEqual([1, sent]);
  });

  it("where the person came back in the middle of the call: it is called off, and not begun again", async () => {
    const at = await start();
    const { keepAlive, conversation, simulator, takeUp, bodies } = at;
    const back = new AbortController();
    const prompts = bodies.length;
    Object.assign(bodies, {
      push(body: (typeof bodies)[number]) {
        back.abort();
        return Array.prototype.push.call(bodies, body);
      },
    });
    const before = contents(conversation);
    await keepAlive.during(back.signal);
    expect(bodies.length).toBe(prompts + 1);
    simulator.advance(60 * MINUTE);
    expect(await takeUp()).toBeUndefined();
    expect(contents(conversation)).toBe(before);
    // The conversation is free again.
    await conversation.ask("Here I am.");
  });

  it("where the summary fails: nobody else is asked, and it does not count as a failed compaction", async () => {
    const at = await start();
    at.provider.faults.set([{ fault: { fault: "413" }, span: { next: 1 } }]);
    const sent = at.bodies.length;
    await at.keepAlive.during(never());
    // What follows keeps the cache warm, as if there were no summaries.
    const [summary, ...others] = at.bodies.slice(sent).map(({ max_tokens: most }) => most);
    expect(summary).toBeGreaterThan(1000);
    expect(new Set(others)).toEqual(new Set(others.length === 0 ? [] : [1]));
    expect(at.events).toEqual([]);
    at.simulator.advance(60 * MINUTE);
    expect(await at.takeUp()).toBeUndefined();
  });
});

describe("the dollars", () => {
  it("hold for keep-alives and the summary together: its answer is no longer than they are enough for", async () => {
    let preparedLater = 0;
    for (const most of [0.03, 0.06, 0.1]) {
      const { keepAlive, told, bodies, conversation } = await start({
        settings: { cacheKeepAliveDollars: most },
        pause: 12,
      });
      await keepAlive.during(never());
      const lines = accountBySource(conversation.account());
      const spent = (lines.get("keep_alive")?.dollars ?? 0) + (lines.get("compact")?.dollars ?? 0);
      expect(spent).toBeLessThanOrEqual(most);
      const { max_tokens: longest = 0 } = bodies.at(-1) ?? {};
      if (told.length === 0) continue;
      if (lines.has("keep_alive")) preparedLater += 1;
      // However long ago the last request was: its cache was kept warm.
      expect(lines.get("compact")?.cacheReadTokens).toBeGreaterThan(30_000);
      expect((longest * (findModel(conversation.model)?.prices.output ?? 0)) / 1_000_000).toBeLessThan(most);
    }
    expect(preparedLater).toBeGreaterThan(0);
  });
});

describe("whatever happens between the summary and the person's return", () => {
  const happening = fc.oneof(
    { arbitrary: fc.constantFrom("result", "question"), weight: 4 },
    { arbitrary: fc.constantFrom("compacted", "undone", "rewound", "silence"), weight: 1 },
  );

  it("what came since is kept, no word of a person is lost, it is taken back whole, and the API takes what follows", async () => {
    const seen = { step: 0, notice: 0, nothing: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 4 }),
        fc.constantFrom(1, 10),
        async (between, minutes) => {
          const { conversation, keepAlive, simulator, takeUp, told } = await start({ parts: 1 });
          await keepAlive.during(never());
          expect(told).toMatchObject([{ isReady: true }]);
          const [since, words]: [string[], string[]] = [[], ["Round 3.", "Round 9."]];
          for (const [number, what] of between.entries()) {
            if (what === "silence") await keepAlive.during(never());
            if (what === "undone") await conversation.undo();
            if (what === "compacted") await conversation.compact({ instructions: "Only the harbour." });
            if (what === "rewound") await conversation.rewind(conversation.live[6]?.uuid ?? "");
            if (what !== "result" && what !== "question") continue;
            const content = `The ${what} number ${number}.`;
            const origin = conversation.origin();
            const message = createUserMessage(origin, { content, isMeta: what === "result" });
            await conversation.append(message);
            since.push(message.uuid);
            if (what === "question") words.push(content);
          }
          simulator.advance(minutes * MINUTE);
          const [before, sent] = [uuids(conversation), contents(conversation)];
          const isCold = keepAlive.isCold();
          const taken = await takeUp();
          seen[taken?.step ? "step" : taken?.notice ? "notice" : "nothing"] += 1;
          expect(told).toHaveLength(1);
          if (taken?.step === undefined) expect(uuids(conversation)).toEqual(before);
          else {
            expect(isCold).toBe(true);
            expect(uuids(conversation)).toEqual(expect.arrayContaining(since));
            const shown = contents(conversation);
            for (const word of words) expect(shown).toContain(word);
            expect(await conversation.undo()).toMatchObject({ kind: "undone" });
            expect(contents(conversation)).toBe(sent);
          }
          expect((await conversation.ask("Here I am.")).text).not.toBe("");
        },
      ),
      {
        numRuns: 8,
        examples: [
          [["result", "question"], 10],
          [["result"], 1],
        ],
      },
    );
    expect(seen.step).toBeGreaterThan(0);
    expect(seen.notice).toBeGreaterThan(0);
  });
});
