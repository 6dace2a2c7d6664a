import { describe, expect, it } from "vitest";
import { createMemoryNotesStore, type Settings } from "@palimpsest/core";
import { keepNotes } from "@palimpsest/core/notes";
import { withSummaries, type Verdict } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { createWorld, tools, worker } from "./world.js";

const WINDOW = 200_000;

const property = { type: "string" };
const editTool = {
  definition: {
    name: "Edit",
    description: "Replaces a text in a file.",
    input_schema: {
      type: "object",
      properties: { file_path: property, old_string: property, new_string: property },
      required: ["file_path", "old_string", "new_string"],
    },
  },
};
const offered = [...tools.filter(({ definition }) => definition.name !== "Edit"), editTool];

const left = ({ cacheRead, cacheWrite5m, cacheWrite1h }: Verdict): number =>
  cacheRead + cacheWrite5m + cacheWrite1h;

type Kind = "main" | "notes" | "summary";

const kindOf = (text: string): Kind => {
  if (text.includes("<current_notes>")) return "notes";
  return text.includes("<analysis>") ? "summary" : "main";
};

async function run(calls: number, settings: Partial<Settings>) {
  /** In the order of the requests: who made each. */
  const kinds: Kind[] = [];
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    player: withSummaries(worker(true)),
    wrap: (app) => async (request) => {
      const body = await request.clone().text();
      kinds.push(kindOf(body.slice(-20_000)));
      return app(request);
    },
  });
  const world = createWorld(10_000);
  const count = { done: 0, extractions: 0 };
  const sizes: number[] = [];
  const agent = createAgent({
    provider,
    runTool: (call) => {
      count.done += 1;
      return world.runTool(call, provider.simulator.now());
    },
    conversation: {
      model: "claude-opus-5",
      maxTokens: 8000,
      source: "repl_main_thread",
      // No clearing by size: every compaction is to be seen.
      settings: { window: WINDOW, clearSizeBelow: 0.01, ...settings },
      system: { custom: "You are an agent that works on a large project." },
      tools: () => offered,
      parameters: { thinking: { type: "adaptive" } },
      state: world.state,
      notes: keepNotes({ store: createMemoryNotesStore("/data/session-memory/summary.md") }),
    },
  });
  const { conversation } = agent;
  conversation.events.on("session_memory_extracted", ({ outcome }) => {
    expect(outcome).toBe("updated");
    count.extractions += 1;
    sizes.push(conversation.size().tokens);
  });
  await agent.say("Work through the whole project. Never delete a test.");
  const firstCompaction: number[] = [];
  while (count.done < calls) {
    const outcome = await agent.turn();
    if (outcome.kind === "held") throw new Error(outcome.message);
    await conversation.notes?.idle();
    if (agent.steps.length > 0) firstCompaction.push(agent.turns);
  }
  const verdicts = provider.log.since(0).map(({ verdict }, index) => {
    if (verdict === null) throw new Error("a request was refused");
    return { kind: kinds[index], verdict };
  });
  return {
    agent,
    verdicts,
    count,
    sizes,
    turnsBefore: (firstCompaction[0] ?? 1) - 1,
    totals: provider.log.totals(),
  };
}

describe("notes along the way, over 600 calls", () => {
  it("are written when they are due, on the shared cache, and make every compaction without a model call", async () => {
    const on = await run(600, { notes: true });
    const off = await run(600, { notes: false });
    console.log(
      `600 calls: ${on.count.extractions} updates; input-equivalents with notes ` +
        `${Math.round(on.totals.inputEquivalents)}, without ${Math.round(off.totals.inputEquivalents)}; ` +
        `${on.agent.steps.length} and ${off.agent.steps.length} compactions`,
    );
    expect(on.totals.rejected).toBe(0);
    // Every update reads what the last main request left, and writes nothing.
    let main: Verdict | undefined;
    let updates = 0;
    for (const { kind, verdict } of on.verdicts) {
      if (kind === "main") main = verdict;
      if (kind !== "notes" || main === undefined) continue;
      updates += 1;
      expect(verdict.cacheRead).toBeGreaterThanOrEqual(0.99 * left(main));
      expect(verdict.cacheWrite5m + verdict.cacheWrite1h).toBe(0);
    }
    expect(updates).toBe(on.count.extractions);
    // Only when they are due: the context grew by enough each time, or was compacted in between.
    for (const [index, size] of on.sizes.entries()) {
      const before = on.sizes[index - 1];
      if (before === undefined) expect(size).toBeGreaterThanOrEqual(10_000);
      else if (size > before) expect(size - before).toBeGreaterThanOrEqual(5000 * 0.8);
    }
    // All compactions come from the notes: nobody was asked for a summary.
    expect(new Set(on.agent.steps.map(({ tier }) => tier))).toEqual(new Set(["notes"]));
    expect(on.agent.steps.length).toBeGreaterThan(5);
    expect(on.verdicts.some(({ kind }) => kind === "summary")).toBe(false);
    for (const { tokensAfter } of on.agent.steps) expect(tokensAfter).toBeLessThan(167_000);
    // Up to the first compaction the conversation's own requests are the same with notes and without.
    const mainOf = (verdicts: typeof on.verdicts, turns: number) =>
      verdicts
        .filter(({ kind }) => kind === "main")
        .slice(0, turns)
        .map(({ verdict }) => [verdict.cacheRead, verdict.cacheWrite5m, verdict.input]);
    const turns = Math.min(on.turnsBefore, off.turnsBefore);
    expect(turns).toBeGreaterThan(20);
    expect(mainOf(on.verdicts, turns)).toEqual(mainOf(off.verdicts, turns));
  });
});
