import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createAssistantMessage,
  createUserMessage,
  defaultSettings,
  normalise,
  type Message,
  type MessageOrigin,
} from "@palimpsest/core";
import { liveMessages, applyClearings } from "@palimpsest/core/engine";
import { createHeuristicEstimator } from "../../packages/core/src/engine/measure/heuristic-estimator.js";
import { compact } from "../../packages/core/src/engine/summarise/compact.js";
import type { CompactionScope } from "../../packages/core/src/engine/summarise/run/division.js";
import { prose } from "../../packages/palimpsest/src/simulator/testing/client.js";

const estimator = createHeuristicEstimator();
const result = prose("what a tool returned", 600);

/** A conversation that is compacted without a model, and its transcript. */
function createChain() {
  let uuids = 0;
  let calls = 0;
  let live: readonly Message[] = [];
  let stored: readonly Message[] = [];
  const said: string[] = [];
  const ids = { next: () => `u${(uuids += 1)}` };
  const clock = { now: () => 0 };
  const origin = (): MessageOrigin => ({
    clock,
    ids,
    sessionId: "s",
    parentUuid: live.at(-1)?.uuid ?? null,
  });
  const take = (message: Message): void => {
    live = [...live, message];
    stored = [...stored, message];
  };
  return {
    said,
    live: () => live,
    say() {
      const text = `WORD-${said.length + 1}, and no other.`;
      said.push(text);
      take(createUserMessage(origin(), { content: text }));
    },
    work() {
      const id = `t${(calls += 1)}`;
      take(
        createAssistantMessage(origin(), {
          id: `m${calls}`,
          model: "claude-opus-5",
          content: [{ type: "tool_use", id, name: "Read", input: { file_path: `/work/${calls}.ts` } }],
        }),
      );
      take(
        createUserMessage(origin(), { content: [{ type: "tool_result", tool_use_id: id, content: result }] }),
      );
    },
    async compact(scope: CompactionScope): Promise<readonly string[] | undefined> {
      const tokensBefore = live.reduce((sum, message) => sum + estimator.message(message), 0);
      const size = { tokensBefore, overhead: 0, autoCompactAt: 150_000 };
      const outcome = await compact(
        { live, scope, trigger: "manual", source: "sdk", model: "claude-opus-5", size },
        { estimator, clock, ids, sessionId: "s", settings: defaultSettings },
      );
      if (outcome.kind === "failed") {
        expect(["not_enough_messages", "not_smaller"]).toContain(outcome.reason);
        return undefined;
      }
      live = outcome.live;
      stored = [...stored, ...outcome.stored];
      const listed = outcome.boundary.compactMetadata?.["humanMessages"] as readonly { text?: string }[];
      return listed.flatMap(({ text }) => (text === undefined ? [] : [text]));
    },
    shown: () => JSON.stringify(normalise(live).messages),
    resumed: () => applyClearings(liveMessages(stored)),
  };
}

type Chain = ReturnType<typeof createChain>;

function expectWhole(chain: Chain, carried: readonly string[]): void {
  const shown = chain.shown();
  for (const text of chain.said) expect(shown).toContain(text);
  expect(carried).toEqual(chain.said.filter((text) => carried.includes(text)));
  expect(chain.resumed()).toEqual(chain.live());
}

const place = (chain: Chain, text: string | undefined): string =>
  chain.live().find((message) => message.type === "user" && message.message.content === text)?.uuid ?? "";

it("keeps words that an earlier summary quoted, although the boundary that carries them is elsewhere", async () => {
  const chain = createChain();
  const work = (): void => {
    for (let count = 0; count < 6; count += 1) chain.work();
  };
  const round = (): void => {
    chain.say();
    work();
  };
  round();
  round();
  expectWhole(chain, (await chain.compact({ kind: "full", keepRecentTokens: 0 })) ?? []);
  work();
  round();
  round();
  const [one, two, three, four] = chain.said;
  const from = await chain.compact({ kind: "from", pivot: place(chain, four) });
  expect(from).toEqual([one, two, four]);
  expectWhole(chain, from ?? []);
  round();
  const upTo = await chain.compact({ kind: "up_to", pivot: place(chain, three) });
  expect(upTo).toEqual([one, two, four]);
  expectWhole(chain, upTo ?? []);
  expect(chain.shown()).toContain(`[1] ${one}\\n[2] ${two}\\n`);
  const all = await chain.compact({ kind: "full", keepRecentTokens: 0 });
  expect(all).toEqual(chain.said);
  expectWhole(chain, all ?? []);
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: "say" } as const) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("work" as const), rounds: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("full" as const),
      keepRecentTokens: fc.constantFrom(0, 1500, 6000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("from" as const, "up_to" as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);

it("loses no word in any chain of compactions, keeps their order, and resumes as it is", async () => {
  let chains = 0;
  let compactions = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      chains += 1;
      const chain = createChain();
      chain.say();
      for (const given of steps) {
        if (given.kind === "say") chain.say();
        else if (given.kind === "work") for (let count = 0; count < given.rounds; count += 1) chain.work();
        else {
          const live = chain.live();
          const scope =
            given.kind === "full"
              ? given
              : { kind: given.kind, pivot: live[Math.floor(given.at * (live.length - 1))]?.uuid ?? "" };
          const carried = await chain.compact(scope);
          if (carried === undefined) continue;
          compactions += 1;
          expectWhole(chain, carried);
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(compactions).toBeGreaterThan(chains / 2);
});
