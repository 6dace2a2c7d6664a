import { expect, it } from "vitest";
import type { ConversationOverview, Timeline } from "../contract.js";
import { inspectorOf, scriptedFile } from "../testing/asked-inspector.js";

it("timeline: as many columns as were asked for, with the sums of what they stand for", async () => {
  const { get, only } = inspectorOf([scriptedFile(false)]);
  const base = await only();
  const all = await get<Timeline>(`${base}/timeline`);
  const some = await get<Timeline>(`${base}/timeline?points=2`);
  expect(some.requests).toEqual([3, 2]);
  const sum = (list: readonly (number | null)[]): number =>
    list.reduce<number>((total, one) => total + (one ?? 0), 0);
  expect(sum(some.cost)).toBeCloseTo(sum(all.cost), 10);
  const { figures } = await get<ConversationOverview>(base);
  expect(sum(all.cost)).toBeCloseTo(figures?.cost ?? 0, 10);
  expect(sum(all.read)).toBe(figures?.usage.cacheRead);
  const part = await get<Timeline>(`${base}/timeline?from=1&to=3`);
  expect(part.request).toEqual([1, 2]);
});
