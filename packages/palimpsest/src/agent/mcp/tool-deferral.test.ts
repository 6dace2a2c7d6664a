import { expect, it } from "vitest";
import type { Message, ToolResultContent } from "@palimpsest/core";
import { createToolList } from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import type { AgentTool } from "../base/tool.js";
import { createToolSearchTool } from "../tools/tool-search.js";
import { announceChanges, createMcpAnnouncements } from "./announcements.js";
import { createToolDeferral, type ToolDeferral } from "./tool-deferral.js";

const tool = (name: string, { isMcp = true, size = 100 } = {}): AgentTool => ({
  definition: { name, description: "d".repeat(size), input_schema: { type: "object" } },
  isMcp,
  isReadOnly: () => true,
  subject: () => ({ kind: "other" }),
  run: async () => ({ content: "" }),
});

const builtIn = tool("Read", { isMcp: false });
const small = [builtIn, tool("mcp__a__x"), tool("mcp__a__y")];
const large = [builtIn, ...["x", "y", "z"].map((own) => tool(`mcp__a__${own}`, { size: 16_000 }))];

const deferredNames = (deferral: ToolDeferral): readonly string[] =>
  deferral.deferred().map(({ definition: { name } }) => name);
const attachment = (given: unknown): Message => ({ type: "attachment", attachment: given }) as Message;
const boundary = (preCompactDiscoveredTools: unknown): Message =>
  ({
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: { preCompactDiscoveredTools },
  }) as unknown as Message;

it("lists a few tools with their schemas", () => {
  const deferral = createToolDeferral({ isSupported: true });
  expect(deferral.apply(small)).toEqual(small);
  expect(deferral.announced()).toEqual([]);
});

it("defers the tools of servers when their schemas are large", () => {
  const deferral = createToolDeferral({ isSupported: true });
  const applied = deferral.apply(large);
  expect(applied[0]).toBe(builtIn);
  expect(applied.slice(1).every(({ definition }) => definition["defer_loading"] === true)).toBe(true);
  expect(deferredNames(deferral)).toEqual(["mcp__a__x", "mcp__a__y", "mcp__a__z"]);
  expect(deferral.apply(large)[1]).toBe(applied[1]);
  const other = createToolDeferral({ isSupported: true, deferAbove: 100_000 });
  expect(other.apply(large)).toEqual(large);
});

it("lists everything plainly where the provider knows no references", () => {
  const deferral = createToolDeferral({ isSupported: false });
  expect(deferral.apply(large)).toEqual(large);
  expect(deferral.deferred()).toEqual([]);
  expect(deferral.announced()).toBeUndefined();
});

it("a server that comes late, and a search, change nothing of the prompt", async () => {
  const deferral = createToolDeferral({ isSupported: true });
  const list = createToolList();
  const search = createToolSearchTool({ deferred: deferral.deferred });
  const inPrompt = (tools: readonly AgentTool[]): string =>
    JSON.stringify(
      list.list([search, ...deferral.apply(tools)]).tools.filter((one) => one["defer_loading"] !== true),
    );
  const before = inPrompt(small);
  expect(inPrompt([...small, tool("mcp__late__one")])).toBe(before);
  expect(deferredNames(deferral)).toEqual(["mcp__late__one"]);
  const { content } = await search.run({ query: "select:mcp__late__one" }, {} as never);
  expect(content).toEqual([{ type: "tool_reference", tool_name: "mcp__late__one" }]);
  const { tools } = list.list([search, ...deferral.apply([...small, tool("mcp__late__one")])]);
  const problems = findProblems({
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    tools,
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "ToolSearch", input: { query: "q" } }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: content as readonly ToolResultContent[] },
        ],
      },
    ],
  });
  expect(problems).toEqual([]);
});

it("lists what was found before a compaction with its schema, and still announces it", () => {
  const deferral = createToolDeferral({ isSupported: true });
  deferral.reset([boundary(["mcp__a__y", 7])]);
  const applied = deferral.apply(large);
  const waits = applied.filter(({ definition }) => definition["defer_loading"] === true);
  expect(waits.map(({ definition: { name } }) => name)).toEqual(["mcp__a__x", "mcp__a__z"]);
  expect(deferredNames(deferral)).toEqual(["mcp__a__x", "mcp__a__y", "mcp__a__z"]);
});

it("what was announced as deferred stays so when the conversation goes on elsewhere", () => {
  const deferral = createToolDeferral({ isSupported: true });
  deferral.reset([
    attachment({ type: "deferred_tools_delta", addedNames: ["mcp__a__x", "mcp__a__y"], removedNames: [] }),
    attachment({ type: "deferred_tools_delta", addedNames: [], removedNames: ["mcp__a__y"] }),
  ]);
  deferral.apply(small);
  expect(deferredNames(deferral)).toEqual(["mcp__a__x"]);
  deferral.reset([]);
  deferral.apply(small);
  expect(deferredNames(deferral)).toEqual([]);
});

it("announces tools and instructions once, and what changed later", async () => {
  const deferral = createToolDeferral({ isSupported: true });
  let instructions = [{ name: "docs", description: "Ask first." }];
  const source = createMcpAnnouncements({
    instructions: () => instructions,
    deferralOf: (agentId) => (agentId === undefined ? deferral : undefined),
  });
  deferral.apply(large);
  const first = await announceChanges(source, { live: [] });
  expect(first).toMatchObject([
    { type: "deferred_tools_delta", addedNames: ["mcp__a__x", "mcp__a__y", "mcp__a__z"] },
    { type: "mcp_instructions_delta", addedBlocks: ["## docs\nAsk first."] },
  ]);
  const live = first.map(attachment);
  expect(await announceChanges(source, { live })).toEqual([]);
  deferral.apply(large.slice(0, 3));
  instructions = [];
  expect(await announceChanges(source, { live })).toMatchObject([
    { type: "deferred_tools_delta", addedNames: [], removedNames: ["mcp__a__z"] },
    { type: "mcp_instructions_delta", removedNames: ["docs"] },
  ]);
  expect(await announceChanges(source, { live: [], agentId: "sub" })).toEqual([]);
});
