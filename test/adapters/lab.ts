import {
  createLoadPlayer,
  createSimulator,
  createSimulatorApp,
  withSummaries,
  type RequestRecord,
} from "../../packages/palimpsest/src/simulator/index.js";
import { expect } from "vitest";
import { output } from "../conversation/world.js";
import { textCounter } from "../text-counter.js";

export const WINDOW = 30_000;
export const MODEL = "claude-opus-5";
export const SYSTEM = `You audit repositories. ${output(1, 3000)}`;
export const TASK =
  "Audit every file of this repository. Do not change anything; keep the word marzipan in mind.";

/** For a window that small. */
export const settings = {
  window: WINDOW,
  reserve: 4000,
  autoCompactBuffer: 2000,
  clearSizeTarget: 4000,
  clearSizeAtLeast: 2000,
};

/** Believes in a window that the API does not have: requests will be refused as too long. */
export const tooTrusting = { ...settings, window: 200_000 };

/** A simulated API with a small window, and a model that calls `Read` so many times before it is done. */
export function createLab({ turns = 40, callsPerTurn = 1, fileBytes = 3000 } = {}) {
  const records: RequestRecord[] = [];
  const bodies: unknown[] = [];
  const player = withSummaries(createLoadPlayer({ resultBytes: 0, tool: "Read", turns, callsPerTurn }));
  const simulator = createSimulator({ player, counter: textCounter, window: WINDOW });
  const app = createSimulatorApp({
    simulator,
    window: WINDOW,
    clock: "manual",
    onRequest: (record) => records.push(record),
  });
  let reads = 0;
  return {
    records,
    bodies,
    simulator,
    fetch: async (url: unknown, init?: RequestInit): Promise<Response> => {
      const request = url instanceof Request ? url : new Request(String(url), init);
      bodies.push(JSON.parse(await request.clone().text()));
      simulator.advance(2000);
      return app(request);
    },
    /** What the tool answers. */
    read: (): string => output((reads += 1), fileBytes),
    reads: () => reads,
    refused: () => records.filter(({ status }) => status !== 200),
    cost: () => records.reduce((sum, { verdict }) => sum + (verdict?.cost ?? 0), 0),
    /** The share of all prompt tokens that came from the cache. */
    hitRate: () => {
      const verdicts = records.flatMap(({ verdict }) => (verdict ? [verdict] : []));
      const all = verdicts.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
      return verdicts.reduce((sum, { cacheRead }) => sum + cacheRead, 0) / all;
    },
  };
}

type Lab = ReturnType<typeof createLab>;

/** The work was done in valid requests that fitted, mostly from the cache, and the person's words are still there. */
export function expectAlive(lab: Lab, steps: readonly string[]): void {
  expect(lab.reads()).toBe(40);
  expect(lab.refused()).toEqual([]);
  expect(steps.length).toBeGreaterThanOrEqual(2);
  expect(lab.hitRate()).toBeGreaterThan(0.75);
  expect(JSON.stringify(lab.bodies.at(-1))).toContain("marzipan");
}

/** Only too long requests were refused, and few: each was mended. */
export function expectMended(lab: Lab, steps: readonly string[]): void {
  expect(lab.reads()).toBe(40);
  const refused = lab.refused();
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(8);
  for (const { error } of refused) expect(error?.message).toContain("prompt is too long");
  expect(steps.length).toBeGreaterThan(0);
}
