import { describe, expect, it } from "vitest";
import { createMemoryBackgroundAgents, type BackgroundAgent } from "../ports/background-agents.js";
import { createMemoryPlan } from "../ports/plan-source.js";
import { createMemoryTodos } from "../ports/todo-source.js";
import { backgroundAttachments } from "./background-agents.js";
import { planAttachment, planModeAttachment } from "./plan.js";
import { todoAttachment } from "./todos.js";

describe("background agents", () => {
  const agent = (id: string, more: Partial<BackgroundAgent>): BackgroundAgent => ({
    id,
    description: `does ${id}`,
    status: "running",
    ...more,
  });

  it.each<[Partial<BackgroundAgent>, boolean]>([
    [{ status: "running" }, true],
    [{ status: "completed" }, true],
    [{ status: "failed" }, true],
    [{ status: "killed" }, true],
    [{ status: "pending" }, false],
    [{ status: "completed", isRetrieved: true }, false],
    [{ status: "failed", isRetrieved: true }, false],
    [{ status: "completed", isRetrieved: false }, true],
  ])("%j: %s", (more, isTold) => {
    expect(backgroundAttachments([agent("a", more)], undefined)).toHaveLength(isTold ? 1 : 0);
  });

  it("say what they do and how far they are, the agent itself left out", () => {
    const agents = [agent("a", { progress: "half" }), agent("me", {}), agent("b", { progress: " " })];
    expect(backgroundAttachments(agents, "me")).toEqual([
      {
        type: "task_status",
        taskId: "a",
        taskType: "agent",
        description: "does a",
        status: "running",
        progress: "half",
      },
      { type: "task_status", taskId: "b", taskType: "agent", description: "does b", status: "running" },
    ]);
  });

  it("in memory belong to whoever started them", async () => {
    const agents = createMemoryBackgroundAgents([agent("a", {})]);
    agents.set([agent("b", {})], "sub");
    expect((await agents.agents(undefined)).map(({ id }) => id)).toEqual(["a"]);
    expect((await agents.agents("sub")).map(({ id }) => id)).toEqual(["b"]);
    expect(await agents.agents("other")).toEqual([]);
  });
});

describe("plan and mode", () => {
  it("the whole plan with its path, whatever its size", () => {
    const content = "step\n".repeat(50_000);
    expect(planAttachment({ path: "/p.md", content, isPlanMode: false })).toEqual({
      type: "plan_file_reference",
      planFilePath: "/p.md",
      planContent: content,
    });
    expect(planAttachment({ path: "/p.md", isPlanMode: true })).toBeUndefined();
    expect(planAttachment({ path: "/p.md", content: " \n", isPlanMode: true })).toBeUndefined();
    expect(planAttachment(undefined)).toBeUndefined();
  });

  it("the mode in full while it is on", () => {
    expect(planModeAttachment({ path: "/p.md", isPlanMode: true }, undefined)).toEqual({
      type: "plan_mode",
      reminderType: "full",
      isSubAgent: false,
      planFilePath: "/p.md",
      planExists: false,
    });
    expect(planModeAttachment({ path: "/p.md", content: "x", isPlanMode: true }, "sub")).toMatchObject({
      isSubAgent: true,
      planExists: true,
    });
    expect(planModeAttachment({ path: "/p.md", content: "x", isPlanMode: false }, undefined)).toBeUndefined();
  });

  it("in memory, by agent", async () => {
    const plan = createMemoryPlan({ path: "/p.md", isPlanMode: true });
    plan.set({ path: "/q.md", isPlanMode: false }, "sub");
    expect([await plan.plan(undefined), await plan.plan("sub"), await plan.plan("other")]).toMatchObject([
      { path: "/p.md" },
      { path: "/q.md" },
      undefined,
    ]);
  });
});

describe("todos", () => {
  it("all items, counted; none for an empty list", () => {
    const todos = [
      { content: "a", status: "completed" },
      { content: "b", status: "pending", activeForm: "doing b" },
    ];
    expect(todoAttachment(todos)).toEqual({
      type: "todo",
      content: todos,
      itemCount: 2,
      context: "post-compact",
    });
    expect(todoAttachment([])).toBeUndefined();
  });

  it("in memory, by agent", async () => {
    const todos = createMemoryTodos();
    todos.set([{ content: "a", status: "pending" }], "sub");
    expect([await todos.todos(undefined), await todos.todos("sub")]).toMatchObject([[], [{ content: "a" }]]);
  });
});
