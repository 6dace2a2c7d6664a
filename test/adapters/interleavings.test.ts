import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCompactableTools, createEventEmitter } from "@palimpsest/core";
import { palimpsestMiddleware, type AdapterOptions } from "@palimpsest/core/anthropic-sdk";
import {
  createSimulator,
  createSimulatorApp,
  withSummaries,
  type Player,
} from "../../packages/palimpsest/src/simulator/index.js";
import { output } from "../conversation/world.js";
import { textCounter } from "../text-counter.js";
import { MODEL } from "./lab.js";
import { orLess } from "../../packages/palimpsest/src/testing/share.js";

const WINDOW = 14_000;
const options: AdapterOptions = {
  settings: {
    window: WINDOW,
    reserve: 2500,
    autoCompactBuffer: 1000,
    keepRecentTokens: 500,
    keepLastTokens: 500,
  },
  compactableTools: createCompactableTools({ never: ["Read"] }),
};

const long = output(7, 8500);
const short = output(8, 300);

/** Answers by what was asked last, the same whenever it is asked. */
const player: Player = {
  answer({ messages }, memory) {
    const [tag = "nobody"] =
      JSON.stringify(messages.at(-1))
        .match(/talk-\d+-[\w.]+/g)
        ?.slice(-1) ?? [];
    return { answer: { content: [{ type: "text", text: `To ${tag}: ${short}` }] }, memory };
  },
};

/** What was asked, in its order; answers follow from it. */
type Line = readonly string[];
interface Said {
  readonly role: "user" | "assistant";
  readonly content: unknown;
}

const promptText = (tag: string): string => `${tag}: ${long}`;

/** An adapter and the API after it. */
function createWorld(given: AdapterOptions = {}) {
  const app = createSimulatorApp({
    simulator: createSimulator({ player: withSummaries(player), counter: textCounter, window: WINDOW }),
    window: WINDOW,
    clock: "manual",
  });
  const middleware = palimpsestMiddleware({ ...options, ...given });
  const answers = new Map<string, unknown>();
  const listOf = (line: Line): readonly Said[] =>
    line.flatMap((tag, at): readonly Said[] => {
      const said: Said = { role: "user", content: promptText(tag) };
      const answer = answers.get(JSON.stringify(line.slice(0, at + 1)));
      return at === line.length - 1 ? [said] : [said, { role: "assistant", content: answer }];
    });
  return {
    /** Sends what a line is now; gives the requests that were made for it. */
    async send(line: Line): Promise<readonly string[]> {
      const sent: string[] = [];
      const body = JSON.stringify({
        model: MODEL,
        max_tokens: 1000,
        system: "Be brief.",
        messages: listOf(line),
      });
      const url = "http://sim.test/v1/messages";
      const response = await middleware(
        { url, body },
        (request) => {
          sent.push(request.body);
          const headers = { "x-api-key": "any", "anthropic-version": "2023-06-01" };
          return app(new Request(url, { method: "POST", headers, body: request.body }));
        },
        { parse: (answer: Response) => answer.clone().json() },
      );
      const answer = (await response.json()) as { readonly content: unknown };
      expect(response.status).toBe(200);
      answers.set(JSON.stringify(line), answer.content);
      return sent;
    },
  };
}

/** What each request of a line pays for summaries when nobody else is there. */
async function paidAlone(line: Line): Promise<readonly number[]> {
  const world = createWorld();
  const paid: number[] = [];
  for (let at = 1; at <= line.length; at += 1) paid.push((await world.send(line.slice(0, at))).length - 1);
  return paid;
}

const move = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("ask" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("ask twice" as const, "again" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("side question" as const, "edit" as const),
      back: fc.integer({ min: 0, max: 4 }),
    }),
  },
);

const TALKS = orLess(50, 12);
const moves = fc.array(fc.record({ talk: fc.nat(TALKS - 1), move }), {
  minLength: orLess(160, 90),
  maxLength: orLess(170, 100),
});

describe("many conversations at once", () => {
  it("none is mixed up with another, and none pays for a summary that it would not pay alone", async () => {
    await fc.assert(
      fc.asyncProperty(moves, fc.boolean(), async (all, isTight) => {
        const events = createEventEmitter();
        let evicted = 0;
        events.on("conversation_evicted", () => (evicted += 1));
        const world = createWorld(
          isTight ? { events, maxThreads: 5, maxHeldCharacters: 60_000 } : { events },
        );
        const lines = new Map<number, Line>();
        const alone = new Map<string, number>();
        const paid: (readonly [line: Line, summaries: number, most: number])[] = [];
        const expected = async (line: Line): Promise<number> => {
          const key = JSON.stringify(line);
          if (!alone.has(key)) {
            for (const [at, summaries] of (await paidAlone(line)).entries()) {
              alone.set(JSON.stringify(line.slice(0, at + 1)), summaries);
            }
          }
          return alone.get(key) ?? 0;
        };
        const seen = new Set<string>();
        const strangers: string[] = [];
        const send = async (talk: number, line: Line, times = 1): Promise<void> => {
          const isNew = !seen.has(JSON.stringify(line));
          seen.add(JSON.stringify(line));
          const sent = (await Promise.all(Array.from({ length: times }, () => world.send(line)))).flat();
          for (const body of sent) {
            strangers.push(...(body.match(/talk-\d+-/g) ?? []).filter((tag) => tag !== `talk-${talk}-`));
          }
          // What nobody has answered yet is sent as it is.
          expect(sent.filter((body) => body.includes(`${line.at(-1)}: `)).length).toBe(times);
          const summaries = sent.length - times;
          if (summaries > 0) paid.push([line, summaries, isNew ? await expected(line) : 0]);
        };
        const play = async ({ talk, move: given }: (typeof all)[number], at: number): Promise<void> => {
          const line = lines.get(talk) ?? [];
          const tag = `talk-${talk}-${at}`;
          if (given.do === "ask" || given.do === "ask twice" || line.length === 0) {
            lines.set(talk, [...line, tag]);
            await send(talk, [...line, tag], given.do === "ask twice" ? 2 : 1);
          } else if (given.do === "again") {
            await send(talk, line);
          } else if ("back" in given) {
            const kept = line.slice(0, Math.max(0, line.length - 1 - given.back));
            if (given.do === "edit") lines.set(talk, [...kept, `${tag}.edit`]);
            await send(talk, [...kept, given.do === "edit" ? `${tag}.edit` : `${tag}.side`]);
          }
        };
        // Those of different conversations, side by side.
        for (let from = 0; from < all.length; from += 4) {
          const batch = all.slice(from, from + 4);
          const apart = batch.filter(
            ({ talk }, index) => batch.findIndex((other) => other.talk === talk) === index,
          );
          await Promise.all(apart.map((one, index) => play(one, from + index)));
        }
        expect(strangers).toEqual([]);
        expect(paid.length).toBeGreaterThan(orLess(10, 5));
        expect(paid.filter(([, summaries, most]) => summaries > most)).toEqual([]);
        expect(evicted > 0).toBe(isTight);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});
