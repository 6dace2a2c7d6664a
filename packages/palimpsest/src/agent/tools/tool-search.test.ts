import { expect, it } from "vitest";
import type { AgentTool, ToolInput, ToolOutput } from "../base/tool.js";
import { createToolSearchTool } from "./tool-search.js";

const tool = (name: string, description: string): AgentTool => ({
  definition: { name, description, input_schema: { type: "object" } },
  isMcp: true,
  isDeferred: true,
  isReadOnly: () => true,
  subject: () => ({ kind: "other" }),
  run: async () => ({ content: "" }),
});

const tools = [
  tool("mcp__github__create_issue", "Opens an issue in a repository."),
  tool("mcp__github__listPullRequests", "Lists pull requests."),
  tool("mcp__tracker__create_ticket", "Opens an issue in the tracker."),
  tool("mcp__mail__send", "Sends a letter."),
];
const run = (input: ToolInput, deferred: readonly AgentTool[] = tools): Promise<ToolOutput> =>
  createToolSearchTool({ deferred: () => deferred }).run(input, {} as never);
const found = async (query: string, more: ToolInput = {}): Promise<readonly string[]> => {
  const { content } = await run({ query, ...more });
  return typeof content === "string"
    ? []
    : content.map((block) => (block.type === "tool_reference" ? block.tool_name : block.type));
};

it("selects by name", async () => {
  expect(await found("select:mcp__mail__send, MCP__github__CREATE_issue ,nobody")).toEqual([
    "mcp__mail__send",
    "mcp__github__create_issue",
  ]);
  expect(await found("select:create_ticket")).toEqual(["mcp__tracker__create_ticket"]);
  expect(await run({ query: "select:nobody" })).toMatchObject({
    isError: true,
    content: expect.stringContaining("None of these names"),
  });
});

it("finds by words in names and descriptions, best first", async () => {
  expect(await found("github issue create")).toEqual([
    "mcp__github__create_issue",
    "mcp__tracker__create_ticket",
    "mcp__github__listPullRequests",
  ]);
  expect(await found("pull requests")).toEqual(["mcp__github__listPullRequests"]);
  expect(await found("letter")).toEqual(["mcp__mail__send"]);
  expect(await found("create", { max_results: 1 })).toEqual(["mcp__github__create_issue"]);
  expect(await found("create", { max_results: -3 })).toHaveLength(2);
});

it("says what to do when there is nothing", async () => {
  expect((await run({ query: "zebra" })).content).toContain("No tool fits");
  expect((await run({ query: " " })).isError).toBe(true);
  expect((await run({ query: "x" }, [])).content).toContain("No tools are waiting");
  expect((await run({ query: "(*[" })).content).toContain("No tool fits");
});
