import type { EngineStep } from "@palimpsest/core";
import { createMemoryNotesStore, keepNotes } from "@palimpsest/core/notes";
import { createEmbeddedProvider } from "../providers/embedded.js";
import { withSummaries, type Verdict } from "../simulator/index.js";
import { ensure, ensureSame } from "./ensure.js";
import { createWorld, tools, worker } from "./made-up-world.js";
import { createAgent } from "./small-host.js";
import type { SoakContext, SoakRun } from "./soak-run.js";

const WINDOW = 200_000;
const CALLS = 600;
const CHECK_EVERY = 50;

export const notesRun: SoakRun = {
  name: "notes",
  about: "notes are written when they are due, on the shared cache, and every compaction needs no model call",
  passes: 5,
  async pass({ random, step, isOver }: SoakContext): Promise<void> {
    const resultBytes = 9000 + random.below(2001);
    const on = await startWork({ resultBytes, notes: true });
    const off = await startWork({ resultBytes, notes: false });
    for (let calls = CHECK_EVERY; calls <= CALLS; calls += CHECK_EVERY) {
      const before = { updates: on.sizes.length, compactions: on.steps().length };
      for (const work of [on, off]) await step({ calls: await work.until(calls, step) });
      checkUpdates(on);
      checkCompactions(on);
      checkSameBefore(on, off);
      await step({
        updates: on.sizes.length - before.updates,
        compactions: on.steps().length - before.compactions,
      });
      if (calls < CALLS && isOver()) return;
    }
    ensure(on.steps().length > 5, `only ${on.steps().length} compactions`);
    ensure(
      Math.min(on.turnsBefore(), off.turnsBefore()) > 10,
      `compacted after ${on.turnsBefore()} and ${off.turnsBefore()} turns`,
    );
    await step({ "input-equivalents": on.spent(), "without notes": off.spent() });
  },
};

/** Who made a request. */
type Kind = "main" | "notes" | "summary";

const kindOf = (body: string): Kind => {
  if (body.includes("<current-notes>")) return "notes";
  return body.includes("<analysis>") ? "summary" : "main";
};

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

interface Work {
  /** Goes on until so many calls were made, and gives how many those were. Throws where it comes to a halt. */
  until(calls: number, step: SoakContext["step"]): Promise<number>;
  /** The size of the context at each update of the notes. */
  readonly sizes: readonly number[];
  /** In the order of the requests. Throws where one was refused. */
  verdicts(): readonly { readonly kind: Kind; readonly verdict: Verdict }[];
  steps(): readonly EngineStep[];
  /** Input-equivalents so far. */
  spent(): number;
  /** Turns before the first step of the engine, or all of them. */
  turnsBefore(): number;
}

async function startWork({ resultBytes, notes }: { resultBytes: number; notes: boolean }): Promise<Work> {
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
  const world = createWorld(resultBytes);
  const count = { done: 0 };
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
      settings: { window: WINDOW, clearSizeBelow: 0.01, notes },
      system: { custom: "You are an agent that works on a large project." },
      tools: () => offered,
      parameters: { thinking: { type: "adaptive" } },
      state: world.state,
      notes: keepNotes({ store: createMemoryNotesStore("/data/session-memory/summary.md") }),
    },
  });
  const { conversation } = agent;
  const sizes: number[] = [];
  conversation.events.on("notes_extracted", ({ outcome }) => {
    // Thrown here it would be heard by nobody.
    sizes.push(outcome === "updated" ? conversation.size().tokens : Number.NaN);
  });
  await agent.say("Work through the whole project. Never delete a test.");
  let firstStepAt: number | undefined;
  return {
    async until(calls, step) {
      const before = count.done;
      while (count.done < calls) {
        const outcome = await agent.turn();
        if (outcome.kind === "held") throw new Error(outcome.message);
        await conversation.notes?.idle();
        if (agent.steps.length > 0) firstStepAt ??= agent.turns;
        await step({ turns: 1 });
      }
      return count.done - before;
    },
    sizes,
    verdicts: () =>
      provider.log.since(0).map(({ verdict }, index) => {
        if (verdict === null) throw new Error("a request was refused");
        return { kind: kinds[index] ?? "main", verdict };
      }),
    steps: () => agent.steps,
    spent: () => Math.round(provider.log.totals().inputEquivalents),
    turnsBefore: () => (firstStepAt ?? agent.turns + 1) - 1,
  };
}

/** Every update reads what the last request left in the cache, and writes nothing; there are none but those due. */
function checkUpdates(work: Work): void {
  let main: Verdict | undefined;
  let updates = 0;
  for (const { kind, verdict } of work.verdicts()) {
    if (kind === "main") main = verdict;
    if (kind !== "notes" || main === undefined) continue;
    updates += 1;
    const left = main.cacheRead + main.cacheWrite5m + main.cacheWrite1h;
    ensure(verdict.cacheRead >= 0.99 * left, `an update reads ${verdict.cacheRead} of ${left} cached tokens`);
    ensure(verdict.cacheWrite5m + verdict.cacheWrite1h === 0, "an update writes to the cache");
  }
  ensure(!work.sizes.some(Number.isNaN), "an update failed");
  ensure(updates === work.sizes.length, `${updates} requests for ${work.sizes.length} updates`);
  // The context grew by enough each time, or was compacted in between.
  for (const [index, size] of work.sizes.entries()) {
    const before = work.sizes[index - 1];
    if (before === undefined) ensure(size >= 10_000, `the first update at ${size} tokens`);
    else if (size > before) ensure(size - before >= 5000 * 0.8, `an update after ${size - before} tokens`);
  }
}

/** All compactions come from the notes: nobody was asked for a summary. */
function checkCompactions(work: Work): void {
  for (const { tier, tokensAfter } of work.steps()) {
    ensure(tier === "notes", `compacted by ${tier}`);
    ensure(tokensAfter < 167_000, `a compaction left ${tokensAfter} tokens`);
  }
  ensure(!work.verdicts().some(({ kind }) => kind === "summary"), "a model was asked for a summary");
}

/** Up to the first compaction the conversation's own requests are the same with notes and without. */
function checkSameBefore(on: Work, off: Work): void {
  const turns = Math.min(on.turnsBefore(), off.turnsBefore());
  const [mine, others] = [on, off].map((work) =>
    work
      .verdicts()
      .filter(({ kind }) => kind === "main")
      .slice(0, turns)
      .map(({ verdict }) => [verdict.cacheRead, verdict.cacheWrite5m, verdict.input]),
  );
  ensureSame(mine, others, "requests with notes");
}
