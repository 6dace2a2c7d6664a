import { createConversation, createUserMessage, type GivenSettings, type UserBlock } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { endOf, takeTurn } from "@palimpsest/core/engine";
import { createRandom } from "../bench/random.js";
import { textKinds } from "../bench/text-kinds/text-kinds.js";
import { createEmbeddedProvider } from "../providers/embedded.js";
import type { Player } from "../simulator/player.js";
import { withSummaries } from "../simulator/players/summaries-player.js";
import { ensure } from "./ensure.js";
import { createKindCounter } from "./kind-counter.js";
import type { SoakRun } from "./soak-run.js";

export interface TokenizerRun {
  readonly seed: number;
  readonly window: number;
  readonly turns: number;
  /** Whether the engine is told the window, or has to learn it from the first refusal. Default true. */
  readonly isWindowTold?: boolean;
  /** The largest text, as characters for each token of the window. Default 0.25. */
  readonly largest?: number;
  /** Further settings of the engine. */
  readonly settings?: GivenSettings;
  /** Told after every turn; gives whether it is to end there. */
  readonly step?: (counts: TokenizerCounts) => Promise<boolean>;
}

interface TokenizerCounts {
  readonly turns: number;
  readonly kinds: number;
  readonly compactions: number;
  readonly refusals: number;
}

export interface TokenizerOutcome extends TokenizerCounts {
  /** What must not be: the conversation was held, or a kind of text refused more than once. */
  readonly failure?: string;
}

const MODEL = "claude-opus-5";
const SMALLEST_FACTOR = 0.3;
const LARGEST_FACTOR = 5;
const SYSTEM =
  "You look at whatever you are given, one thing after the other, and say what it is. Nothing is ever changed.";
const tools = [
  {
    definition: {
      name: "Read",
      description: "Reads the next thing.",
      input_schema: { type: "object", properties: { path: { type: "string" } } },
    },
  },
];

/** A model that always asks for the next thing, and now and then says something. */
const reader: Player = {
  answer(_prompt, memory) {
    const turn = typeof memory === "number" ? memory : 0;
    const call = { type: "tool_use" as const, name: "Read", input: { path: `things/${turn}` } };
    const content = turn % 9 === 8 ? [{ type: "text" as const, text: `Thing ${turn} is noted.` }] : [call];
    return { answer: { content }, memory: turn + 1 };
  },
};

export const tokenizersRun: SoakRun = {
  name: "tokenizers",
  about: "whatever tokens each kind of text has, no conversation is held and no kind is refused twice",
  passes: 20,
  async pass({ seed, step, isOver }) {
    for (const window of WINDOWS) {
      // Every other pass has to learn the window as well, and every third has texts longer than the window.
      const isWindowTold = seed % 2 === 0;
      const largest = seed % 3 === 0 ? 4 : 0.25;
      let [compactions, refusals] = [0, 0];
      const { failure } = await runTokenizers({
        seed,
        window,
        turns: TURNS,
        isWindowTold,
        largest,
        async step(counts) {
          await step({
            turns: 1,
            compactions: counts.compactions - compactions,
            refusals: counts.refusals - refusals,
          });
          ({ compactions, refusals } = counts);
          return isOver();
        },
      });
      ensure(failure === undefined, `a window of ${window}: ${failure}`);
      await step({ conversations: 1 });
      if (isOver()) return;
    }
  },
};

const WINDOWS = [200_000, 60_000] as const;
const TURNS = 200;

/**
 * A conversation with a tokenizer that nobody has seen: every kind of text costs a factor of its own. It must never
 * be held, and each kind may be refused once, at first sight.
 */
export async function runTokenizers(options: TokenizerRun): Promise<TokenizerOutcome> {
  const { seed, window, turns, isWindowTold = true, largest = 0.25, step } = options;
  const random = createRandom(seed);
  const factors = new Map(
    textKinds.map(({ name }) => [
      name,
      SMALLEST_FACTOR * (LARGEST_FACTOR / SMALLEST_FACTOR) ** random.next(),
    ]),
  );
  const counter = createKindCounter();
  const provider = createEmbeddedProvider({
    player: withSummaries(reader),
    window,
    counter,
    clock: "manual",
  });
  let ids = 0;
  const conversation = createConversation({
    model: MODEL,
    maxTokens: 4000,
    sessionId: "tokenizers",
    compaction,
    provider,
    clock: { now: () => provider.simulator.now() },
    ids: { next: () => `id-${(ids += 1)}` },
    system: { custom: SYSTEM },
    tools: () => tools,
    settings: { ...options.settings, ...(isWindowTold ? { window } : {}) },
  });
  const seen = new Set<string>();
  const refused = new Map<string, number>();
  let compactions = 0;
  let refusals = 0;
  let unanswered: string[] = [];
  const make = (): string => {
    const kind = random.pick(textKinds);
    // Mostly what a tool returns; now and then a good part of the window.
    const share = random.below(12) === 0 ? largest : 0.06;
    const text = kind.make(Math.ceil(random.next() * window * share) + 40, random.below(1e9));
    counter.learn(text, factors.get(kind.name) ?? 1);
    seen.add(kind.name);
    unanswered.push(kind.name);
    return text;
  };
  const say = (content: string | readonly UserBlock[]) =>
    conversation.append(createUserMessage(conversation.origin(), { content }));
  const counts = (turn: number): TokenizerCounts => ({
    turns: turn,
    kinds: seen.size,
    compactions,
    refusals,
  });
  await say("Look at everything, one thing after the other.");
  for (let turn = 0; turn < turns; turn += 1) {
    const taken = takeTurn(
      {
        prepare() {
          provider.simulator.advance(2000);
          return conversation.prepare();
        },
        observe(prepared, outcome) {
          if (outcome.kind === "failure") {
            refusals += 1;
            const names = unanswered.length === 0 ? ["(summary)"] : unanswered;
            for (const name of new Set(names)) refused.set(name, (refused.get(name) ?? 0) + 1);
          }
          return conversation.observe(prepared, outcome);
        },
        charge: (...calls) => conversation.charge(...calls),
      },
      { provider },
    );
    const end = await endOf(taken);
    compactions += end.steps.filter(({ tier }) => tier === "full").length;
    if (end.kind === "held") {
      const why = (end.failure?.failedAttempts ?? []).map(({ writer, detail }) => `${writer}: ${detail}`);
      const failure = [`held in turn ${turn}: ${end.reason}: ${end.message}`, ...why].join(" | ");
      return { ...counts(turn), failure };
    }
    if (end.kind === "failed") {
      return { ...counts(turn), failure: `refused in turn ${turn}: ${end.message}` };
    }
    const { calls } = end;
    unanswered = [];
    const twice = [...refused].find(([, count]) => count > 1);
    if (twice !== undefined) {
      const factor = factors.get(twice[0])?.toFixed(2);
      return {
        ...counts(turn),
        failure: `${twice[0]} (×${factor}) was refused ${twice[1]} times by turn ${turn}`,
      };
    }
    if (calls.length === 0) await say(random.below(3) === 0 ? make() : "Go on.");
    else {
      await say(calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: make() })));
    }
    if ((await step?.(counts(turn + 1))) === true) return counts(turn + 1);
  }
  return counts(turns);
}
