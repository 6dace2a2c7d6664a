import { describe, expect, it } from "vitest";
import { createMemoryStandIns } from "@palimpsest/core/tree";
import { createCompactableTools } from "@palimpsest/core";
import { settings } from "./lab.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";
import { createTalkLab } from "./talk-lab.js";
import { talks, talkWith } from "./talks.js";

const TURNS = 12;
const prompt = (turn: number): string => `Prompt ${turn}: go on.`;

/** What makes room: results are cleared, or a summary is written. With processes: test/process/adapter-store.test.ts. */
const cases = [
  { name: "the official SDK", way: "results are cleared", options: { settings } },
  ...Object.keys(talks).map((name) => ({
    name,
    way: "it is compacted",
    options: { settings, compactableTools: createCompactableTools({ never: ["Read"] }) },
  })),
];

describe("a new adapter for every call on one store", () => {
  it.each(someOf(cases, 2))("$name, where $way: the bytes of one adapter", async ({ name, options }) => {
    const createTalk = await talkWith(name);
    const one = createTalkLab();
    const steps: string[] = [];
    const say = createTalk(one.place, { ...options, onStep: ({ tier }) => steps.push(tier) });
    let history: readonly unknown[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) history = await say(history, prompt(turn));
    expect(one.refused()).toEqual([]);
    expect(steps.length).toBeGreaterThanOrEqual(2);

    const many = createTalkLab();
    const store = createMemoryStandIns();
    history = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      history = await createTalk(many.place, { ...options, store })(history, prompt(turn));
    }
    expect(many.refused()).toEqual([]);
    expect(many.bodies.findIndex((body, at) => body !== one.bodies[at])).toBe(-1);
    expect(many.bodies.length).toBe(one.bodies.length);
    expect(many.cost()).toBe(one.cost());
  });
});
