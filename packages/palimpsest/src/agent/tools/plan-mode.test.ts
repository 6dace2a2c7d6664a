import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { afterAll, describe, expect, it } from "vitest";
import { createEnterPlanModeTool, createExitPlanModeTool, createPlanMode } from "./plan-mode.js";
import type { ToolContext } from "../base/tool.js";

const base = mkdtempSync(join(tmpdir(), "palimpsest-plan-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const context = (agentId?: string): ToolContext => ({
  toolUseId: "toolu_1",
  signal: new AbortController().signal,
  now: () => 0,
  readState: createMemoryReadState(),
  touch: () => {},
  ...(agentId === undefined ? {} : { agentId }),
});
let count = 0;
const fresh = (mode = "default") =>
  createPlanMode({ path: join(base, `session-${++count}`, "plan.md"), mode });

describe("plan mode", () => {
  it("is entered and left again; the plan is kept in a private file", async () => {
    const planMode = fresh();
    const enter = createEnterPlanModeTool({ planMode });
    const exit = createExitPlanModeTool({ planMode });
    expect(planMode.isPlanMode()).toBe(false);
    expect(await planMode.plan(undefined)).toBeUndefined();
    expect(await exit.run({ plan: "p" }, context())).toMatchObject({ isError: true });
    expect((await enter.run({}, context())).content).toContain("Plan mode is on");
    expect(await planMode.plan(undefined)).toEqual({
      path: planMode.path,
      content: undefined,
      isPlanMode: true,
    });
    expect((await enter.run({}, context())).content).toContain("already");
    const output = await exit.run({ plan: "1. do it" }, context());
    expect(output.content).toContain("approved");
    expect(output.endsTurn).toBeUndefined();
    expect(planMode.isPlanMode()).toBe(false);
    expect(readFileSync(planMode.path, "utf8")).toBe("1. do it");
    expect(statSync(planMode.path).mode & 0o777).toBe(0o600);
    expect(await planMode.plan(undefined)).toEqual({
      path: planMode.path,
      content: "1. do it",
      isPlanMode: false,
    });
    expect(await planMode.plan("agent-1")).toBeUndefined();
  });

  it("ends the turn with the plan where a session was started for nothing else", async () => {
    const planMode = fresh("plan");
    expect(planMode.isPlanMode()).toBe(true);
    const output = await createExitPlanModeTool({ planMode }).run({ plan: "the plan" }, context());
    expect(output).toEqual({ content: "the plan", endsTurn: true });
    expect(planMode.isPlanMode()).toBe(true);
  });

  it("is left when the person approves, also with a plan that they changed", async () => {
    const planMode = fresh("plan");
    const asked: string[] = [];
    const exit = createExitPlanModeTool({
      planMode,
      async approve(plan) {
        asked.push(plan);
        return asked.length === 1
          ? { kind: "rejected", feedback: "smaller" }
          : { kind: "approved", plan: "mine" };
      },
    });
    const refused = await exit.run({ plan: "large" }, context());
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content).toContain("smaller");
    expect(planMode.isPlanMode()).toBe(true);
    const approved = await exit.run({ plan: "small" }, context());
    expect(approved.content).toContain("mine");
    expect(planMode.isPlanMode()).toBe(false);
    expect(readFileSync(planMode.path, "utf8")).toBe("mine");
    expect(asked).toEqual(["large", "small"]);
  });

  it("is not for subagents, and does without a disk", async () => {
    const planMode = fresh();
    const enter = createEnterPlanModeTool({ planMode });
    const exit = createExitPlanModeTool({ planMode });
    expect(await enter.run({}, context("agent-1"))).toMatchObject({ isError: true });
    expect(planMode.isPlanMode()).toBe(false);
    writeFileSync(join(base, "file"), "");
    const diskless = createPlanMode({ path: join(base, "file", "plan.md"), mode: "default" });
    diskless.set(true);
    const output = await createExitPlanModeTool({ planMode: diskless }).run({ plan: "p" }, context());
    expect(output.content).toContain("approved");
    expect(diskless.isPlanMode()).toBe(false);
    planMode.set(true);
    expect(await exit.run({ plan: "p" }, context("agent-1"))).toMatchObject({ isError: true });
    expect(await exit.run({ plan: "  " }, context())).toMatchObject({ isError: true });
  });
});
