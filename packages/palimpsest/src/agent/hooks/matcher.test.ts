import { expect, it } from "vitest";
import { readMatcher } from "./matcher.js";

const rows: readonly (readonly [pattern: string | undefined, met: string[], missed: string[]])[] = [
  [undefined, ["Edit", ""], []],
  ["", ["Edit"], []],
  ["*", ["Edit", "mcp__x__y"], []],
  ["Edit", ["Edit"], ["NotebookEdit", "edit", "Edits"]],
  ["Edit|Write", ["Edit", "Write"], ["MultiEdit", "Edit|Write", ""]],
  ["Edit, Write | code-review", ["Edit", "Write", "code-review"], ["Write ", "code"]],
  ["mcp__memory__.*", ["mcp__memory__read", "x_mcp__memory__"], ["mcp__memory"]],
  ["^Notebook", ["NotebookEdit"], ["MyNotebook"]],
  ["Edit.*", ["Edit", "NotebookEdit"], ["Write"]],
  ["(Edit|Write)", ["Edit", "NotebookEdit"], ["Read"]],
];

it.each(rows)("%s", (pattern, met, missed) => {
  const matches = readMatcher(pattern);
  expect(met.filter((value) => matches?.(value) !== true)).toEqual([]);
  expect(missed.filter((value) => matches?.(value) !== false)).toEqual([]);
});

it("what is no expression is no matcher", () => {
  expect(readMatcher("Edit(")).toBeUndefined();
  expect(readMatcher("*Edit")).toBeUndefined();
});
