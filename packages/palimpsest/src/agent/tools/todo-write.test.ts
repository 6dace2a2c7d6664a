import { createMemoryReadState, createMemoryTodos, type Todo } from "@palimpsest/core/restore";
import { describe, expect, it } from "vitest";
import { createTodoWriteTool } from "./todo-write.js";
import type { ToolContext } from "../base/tool.js";

const context = (agentId?: string): ToolContext => ({
  toolUseId: "toolu_1",
  signal: new AbortController().signal,
  now: () => 0,
  readState: createMemoryReadState(),
  touch: () => {},
  ...(agentId === undefined ? {} : { agentId }),
});
const list: readonly Todo[] = [
  { content: "Read", status: "completed" },
  { content: "Write", status: "in_progress", activeForm: "Writing" },
  { content: "Test", status: "pending" },
];

describe("the to-do list", () => {
  it("is replaced, for the agent that calls, and saved", async () => {
    const todos = createMemoryTodos();
    const saved: unknown[] = [];
    const tool = createTodoWriteTool({ todos, save: async (...call) => void saved.push(call) });
    expect((await tool.run({ todos: list }, context())).content).toBe(
      "The list is updated: 1 completed, 1 in progress, 1 pending. Now: Write",
    );
    await tool.run({ todos: list.slice(0, 1) }, context("agent-1"));
    expect(await todos.todos(undefined)).toEqual(list);
    expect(await todos.todos("agent-1")).toEqual(list.slice(0, 1));
    expect(saved).toEqual([
      [list, undefined],
      [list.slice(0, 1), "agent-1"],
    ]);
    expect((await tool.run({ todos: [] }, context())).content).toBe("The list is empty now.");
  });

  it("is saved one at a time, and a disk that fails loses nothing of this session", async () => {
    const todos = createMemoryTodos();
    let running = 0;
    let count = 0;
    const tool = createTodoWriteTool({
      todos,
      async save() {
        expect(++running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        if (++count === 1) throw new Error("ENOSPC");
      },
    });
    const [first, second] = await Promise.all([
      tool.run({ todos: list.slice(0, 1) }, context()),
      tool.run({ todos: list }, context()),
    ]);
    expect(first?.content).toContain("could not be saved");
    expect(second?.content).not.toContain("could not be saved");
    expect(await todos.todos(undefined)).toEqual(list);
  });
});
