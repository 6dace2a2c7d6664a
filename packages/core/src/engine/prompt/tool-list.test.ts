import { expect, it } from "vitest";
import { createToolList, type OfferedTool } from "./tool-list.js";

const tool = (name: string, more: object = {}): OfferedTool => ({
  definition: {
    name,
    description: `does ${name}`,
    input_schema: { type: "object", properties: {} },
    ...more,
  },
});
const names = (list: { readonly tools: readonly { readonly name: string }[] }) =>
  list.tools.map(({ name }) => name);

it("lists built-in tools first, each part by name, whatever the order they come in", () => {
  const list = createToolList();
  const offered = [tool("mcp__b__x"), tool("Write"), tool("mcp__a__y"), tool("Bash"), tool("éclair")];
  const first = list.list(offered);
  expect(names(first)).toEqual(["Bash", "Write", "éclair", "mcp__a__y", "mcp__b__x"]);
  expect(first.hasMcp).toBe(true);
  expect(list.list(offered.toReversed()).tools).toBe(first.tools);
});

it("a server that goes away and comes back changes no byte", () => {
  const list = createToolList();
  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "number" } } };
  const before = list.list([tool("Bash"), tool("mcp__s__q", { input_schema: schema })]);
  const away = list.list([tool("Bash")]);
  expect(away.tools).toBe(before.tools);
  expect(away.absent).toEqual(["mcp__s__q"]);
  const reordered = { properties: { b: { type: "number" }, a: { type: "string" } }, type: "object" };
  const back = list.list([
    tool("mcp__s__q", { input_schema: reordered, description: "new words" }),
    tool("Bash"),
  ]);
  expect(back.tools).toBe(before.tools);
  expect(JSON.stringify(back.tools)).toBe(JSON.stringify(before.tools));
  expect(back.absent).toEqual([]);
});

it("takes over a schema that really differs, and everything after a reset", () => {
  const list = createToolList();
  const first = list.list([tool("Bash"), tool("mcp__s__q")]);
  const changed = list.list([
    tool("Bash"),
    tool("mcp__s__q", { input_schema: { type: "object", required: ["a"] } }),
  ]);
  expect(changed.tools[0]).toBe(first.tools[0]);
  expect(changed.tools[1]?.input_schema).toEqual({ type: "object", required: ["a"] });
  list.reset();
  const renewed = list.list([tool("Bash", { description: "other words" })]);
  expect(names(renewed)).toEqual(["Bash"]);
  expect(renewed.tools[0]?.description).toBe("other words");
});

it("removes tools at once where that is wanted, and brings them back as they were", () => {
  const list = createToolList({ absent: "remove" });
  const both = list.list([tool("Bash"), tool("mcp__s__q")]);
  expect(names(list.list([tool("Bash")]))).toEqual(["Bash"]);
  const back = list.list([tool("mcp__s__q", { description: "new words" }), tool("Bash")]);
  expect(back.tools).toEqual(both.tools);
});

it("is not touched by what a host does to its objects later, nor by its markers", () => {
  const list = createToolList();
  const mine = tool("Bash", { cache_control: { type: "ephemeral" } });
  const listed = list.list([mine]);
  expect(listed.tools[0]).not.toHaveProperty("cache_control");
  (mine.definition as { description: string }).description = "changed under our feet";
  expect(list.list([mine]).tools[0]?.description).toBe("does Bash");
  expect(() => list.list([tool("Bash"), tool("Bash")])).toThrow("two tools named");
});
