import fc from "fast-check";
import { expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { serverLabels, toolNames } from "./tool-name.js";

it("names tools after server and tool", () => {
  expect(serverLabels(["git hub", "git_hub", "a__b_", "", "é"])).toEqual([
    "git_hub",
    "git_hub_2",
    "a_b",
    "server",
    "server_2",
  ]);
  expect(toolNames("s", ["get.user", "get_user", "get user", ""])).toEqual([
    "mcp__s__get_user_2",
    "mcp__s__get_user",
    "mcp__s__get_user_3",
    "mcp__s__tool",
  ]);
});

it("gives every tool of every server a name of its own that providers take", () => {
  const names = fc.uniqueArray(
    fc.oneof(fc.string({ unit: "binary" }), fc.string({ minLength: 50, maxLength: 90 })),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  checkProperty("tool names", fc.tuple(names, names), ([servers, tools]) => {
    const all = serverLabels(servers).flatMap((label) => toolNames(label, tools));
    expect(new Set(all).size).toBe(servers.length * tools.length);
    expect(all.filter((name) => !/^mcp__[A-Za-z0-9_-]{1,59}$/.test(name))).toEqual([]);
    expect(serverLabels(servers).flatMap((label) => toolNames(label, tools))).toEqual(all);
  });
});
