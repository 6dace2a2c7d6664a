import { describe, expect, it } from "vitest";
import { dropToFit, restoredTokens } from "./drop-to-fit.js";
import { restoreState } from "./restore-state.js";
import type { Restored } from "./restored.js";
import { fullPorts, restoring } from "./testing/restoring.js";

const files = { "/old": { content: "old ".repeat(100) }, "/new": { content: "new ".repeat(100) } };
const restoredAll = (): Promise<Restored> => restoreState(restoring(files, { ports: fullPorts(files) }));
const channels = ({ attachments }: Restored): readonly string[] =>
  attachments.map(({ channel, path }) => path ?? channel);

describe("dropping to fit", () => {
  it("is the same object where all fits", async () => {
    const restored = await restoredAll();
    expect(dropToFit(restored, restoredTokens(restored))).toBe(restored);
  });

  it("drops the oldest file first, out of the read-state too", async () => {
    const restored = await restoredAll();
    const fitting = dropToFit(restored, restoredTokens(restored) - 1);
    expect(channels(fitting)).toEqual(channels(restored).filter((name) => name !== "/old"));
    expect(fitting.readStateAfter.reads.map(({ path }) => path)).toEqual(["/new"]);
    expect(fitting.skipped).toEqual([{ channel: "files", path: "/old", reason: "dropped" }]);
  });

  it("then channel after channel, plan and todos last", async () => {
    let restored = await restoredAll();
    const order: string[] = [];
    while (restored.attachments.length > 0) {
      const next = dropToFit(restored, restoredTokens(restored) - 1);
      const left = new Set(channels(next));
      order.push(...channels(restored).filter((name) => !left.has(name)));
      restored = next;
    }
    expect(order).toEqual([
      "/old",
      "/new",
      "skills",
      "mcp-instructions",
      "agent-listing",
      "deferred-tools",
      "background-agents",
      "plan",
      "todos",
      "plan-mode",
    ]);
    expect(restored.readStateAfter.reads).toEqual([]);
  });

  it("a limit below zero leaves nothing", async () => {
    expect(dropToFit(await restoredAll(), -5).attachments).toEqual([]);
  });
});
