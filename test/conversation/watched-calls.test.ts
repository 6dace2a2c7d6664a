import { createConversation, type ConversationOptions, type EngineEvents } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { createScriptPlayer, withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createEmbeddedProvider, handedIn } from "./agent.js";
import { startNotesHost, type NotesHostOptions } from "./notes-host.js";
import { output } from "./world.js";

/** A host whose provider forgets all that it had cached, when it is told to. */
function start(options: NotesHostOptions = {}) {
  const host = startNotesHost(options);
  const breaks: EngineEvents["cache_break"][] = [];
  host.conversation.events.on("cache_break", (broken) => breaks.push(broken));
  return { ...host, breaks, forget: () => host.provider.simulator.reset() };
}

describe("calls beside the conversation", () => {
  it("for a summary are watched: one that finds nothing in the cache is told as a break, with its cost", async () => {
    const steps = Array.from({ length: 8 }, (_, step) => output(step, 4000));
    const provider = createEmbeddedProvider({
      clock: "manual",
      startTime: Date.UTC(2026, 10, 15, 10),
      player: withSummaries(createScriptPlayer({ steps })),
    });
    const conversation = createConversation({
      ...handedIn,
      model: "claude-opus-5",
      maxTokens: 2000,
      provider,
      clock: { now: () => provider.simulator.now() },
      source: "repl_main_thread",
      settings: { keepRecentTokens: 0 },
    });
    const breaks: EngineEvents["cache_break"][] = [];
    conversation.events.on("cache_break", (broken) => breaks.push(broken));
    for (const forgets of [false, true]) {
      for (let said = 0; said < 4; said += 1) await conversation.ask("Go on.");
      if (forgets) provider.simulator.reset();
      expect(await conversation.compact()).toMatchObject({ kind: "compacted", writer: "fork" });
      expect(breaks).toHaveLength(forgets ? 1 : 0);
    }
    // It is the conversation's cache that was lost.
    expect(breaks).toMatchObject([{ source: "repl_main_thread", cost: expect.any(Number), readTokens: 0 }]);
    expect(breaks[0]?.lostTokens).toBeGreaterThan(2000);
  });

  it("for notes are watched too", async () => {
    const host = start();
    await host.agent.say("go");
    await host.workUntil(8000);
    expect(host.calls.length).toBeGreaterThan(0);
    expect(host.breaks).toEqual([]);
    const { length } = host.calls;
    host.hold();
    while (host.calls.length === length) await host.agent.turn();
    host.forget();
    host.release();
    await host.conversation.notes?.idle();
    expect(host.breaks).toMatchObject([{ source: "session_memory", readTokens: 0 }]);
  });
});

describe("facts of the host", () => {
  it("are noted with each request: its own, its mode and scope, and overage as the account says it", async () => {
    let facts: ReturnType<NonNullable<ConversationOptions["watched"]>> = { autoMode: false, flavour: "a" };
    let isInOverage = false;
    const host = start({
      settings: { notes: false },
      conversation: { watched: () => facts, account: () => ({ isEligible: true, isInOverage }) },
    });
    await host.agent.say("go");
    await host.workUntil(8000);
    facts = { autoMode: true, flavour: "b", scopeStrategy: "static" };
    isInOverage = true;
    host.forget();
    await host.agent.turn();
    const kinds = host.breaks.flatMap(({ reasons }) => reasons.map(({ kind }) => kind));
    expect(kinds).toEqual(
      expect.arrayContaining(["markers-changed", "auto-mode-changed", "overage-changed", "facts-changed"]),
    );
  });
});
