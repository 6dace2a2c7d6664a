import { describe, expect, it } from "vitest";
import { createCompactableTools, isWriteLike } from "./compactable-tools.js";

describe("compactable tools", () => {
  const tools = createCompactableTools();

  it.each([
    ["Read", "file-read"],
    ["read_file", "file-read"],
    ["Bash", "shell"],
    ["exec_command", "shell"],
    ["run_shell_command", "shell"],
    ["Grep", "grep"],
    ["search_file_content", "grep"],
    ["Glob", "glob"],
    ["WebFetch", "web-fetch"],
    ["web_search", "web-search"],
    ["google_web_search", "web-search"],
    ["apply_patch", "file-edit"],
    ["MultiEdit", "file-edit"],
    ["write_file", "file-write"],
  ])("%s is %s", (name, kind) => {
    expect(tools.kindOf(name)).toBe(kind);
  });

  it.each([
    "AskUserQuestion",
    "NotebookEdit",
    "Task",
    "TaskCreate",
    "TodoWrite",
    "update_plan",
    "ExitPlanMode",
    "Skill",
    "mcp__files__read",
    "mcp__Read",
    "constructor",
    "",
  ])("%s is never cleared", (name) => {
    expect(tools.kindOf(name)).toBeUndefined();
  });

  it("takes what the host adds, MCP tools among it, and leaves out what it forbids", () => {
    const own = createCompactableTools({ also: { mcp__files__read: "file-read" }, never: ["Bash"] });
    expect(own.kindOf("mcp__files__read")).toBe("file-read");
    expect(own.kindOf("mcp__files__write")).toBeUndefined();
    expect(own.kindOf("Bash")).toBeUndefined();
    expect(own.kindOf("bash")).toBe("shell");
  });

  it("knows which inputs are worth clearing", () => {
    expect(["Edit", "Write", "Read", "Todo"].map((name) => isWriteLike(tools.kindOf(name)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
