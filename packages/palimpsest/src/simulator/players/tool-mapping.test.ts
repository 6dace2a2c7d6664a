import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "@palimpsest/core";
import { callableTools, kindOfName } from "./tool-kinds.js";
import { callWithDefaults, mapCall, type WantedCall } from "./tool-mapping.js";

const text = { type: "string" };
const tool = (
  name: string,
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
): ToolDefinition => ({
  name,
  input_schema: { type: "object", properties, required, additionalProperties: false },
});

const claudeCode = [
  tool("Task", { description: text, prompt: text, subagent_type: text }),
  tool("BashOutput", { bash_id: text }),
  tool("KillShell", { shell_id: text }),
  tool("Bash", { command: text, description: text, timeout: { type: "number" } }, ["command"]),
  tool("Read", { file_path: text, offset: { type: "number" }, limit: { type: "number" } }, ["file_path"]),
  tool("Write", { file_path: text, content: text }),
  tool(
    "Edit",
    { file_path: text, old_string: text, new_string: text, replace_all: { type: "boolean", default: false } },
    ["file_path", "old_string", "new_string"],
  ),
  tool(
    "Grep",
    { pattern: text, path: text, output_mode: { type: "string", enum: ["content", "files_with_matches"] } },
    ["pattern"],
  ),
  tool("Glob", { pattern: text, path: text }, ["pattern"]),
];
const pi = [
  tool("read", { path: text, offset: { type: "number" } }, ["path"]),
  tool("bash", { command: text, timeout: { type: "number" } }, ["command"]),
  tool("edit", {
    path: text,
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: { oldText: text, newText: text },
        required: ["oldText", "newText"],
      },
    },
  }),
  tool("write", { path: text, content: text }),
];
const gemini = [
  tool("run_shell_command", { command: text, description: text }, ["command"]),
  tool("read_file", { absolute_path: text }),
  tool("replace", { file_path: text, instruction: text, old_string: text, new_string: text }),
  tool("search_file_content", { pattern: text }, ["pattern"]),
  tool("list_directory", { path: text }),
];
const codex = [
  tool("shell", { command: { type: "array", items: text }, workdir: text, timeout_ms: { type: "number" } }, [
    "command",
  ]),
];
const cline = [
  tool("execute_command", { command: text, requires_approval: { type: "boolean" } }),
  tool("read_files", {
    files: { type: "array", items: { type: "object", properties: { path: text }, required: ["path"] } },
  }),
];
const native: readonly ToolDefinition[] = [
  { type: "bash_20250124", name: "bash" },
  { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
  { type: "web_search_20250305", name: "web_search" },
];

const shell: WantedCall = { kind: "shell", input: { command: "ls -la" } };
const read: WantedCall = { kind: "read", input: { path: "/a.ts" } };
const edit: WantedCall = { kind: "edit", input: { path: "/a.ts", old_string: "x", new_string: "y" } };

describe.each([
  ["Claude Code", claudeCode, shell, "Bash", { command: "ls -la" }],
  ["Claude Code", claudeCode, read, "Read", { file_path: "/a.ts" }],
  ["Claude Code", claudeCode, edit, "Edit", { file_path: "/a.ts", old_string: "x", new_string: "y" }],
  ["Claude Code", claudeCode, { kind: "search", input: { query: "TODO" } }, "Grep", { pattern: "TODO" }],
  [
    "Claude Code",
    claudeCode,
    { kind: "task", input: { prompt: "look" } },
    "Task",
    { description: "Simulated step", prompt: "look", subagent_type: "simulated" },
  ],
  [
    "Claude Code",
    claudeCode,
    { tool: "exec_command", input: { cmd: ["bash", "-lc", "ls"] } },
    "Bash",
    { command: "ls" },
  ],
  [
    "Claude Code",
    claudeCode,
    { tool: "edit", input: { path: "a", edits: [{ oldText: "1", newText: "2" }] } },
    "Edit",
    { file_path: "a", old_string: "1", new_string: "2" },
  ],
  ["pi", pi, shell, "bash", { command: "ls -la" }],
  ["pi", pi, read, "read", { path: "/a.ts" }],
  ["pi", pi, edit, "edit", { path: "/a.ts", edits: [{ oldText: "x", newText: "y" }] }],
  ["pi", pi, { tool: "Bash", input: { command: "ls", description: "List" } }, "bash", { command: "ls" }],
  [
    "pi",
    pi,
    { tool: "Grep", input: { pattern: "it's", path: "src" } },
    "bash",
    { command: `grep -rn -e 'it'\\''s' -- 'src'` },
  ],
  ["pi", pi, { tool: "Glob", input: { pattern: "**/*.ts" } }, "bash", { command: "find '.' -name '*.ts'" }],
  ["gemini-cli", gemini, shell, "run_shell_command", { command: "ls -la" }],
  ["gemini-cli", gemini, read, "read_file", { absolute_path: "/a.ts" }],
  [
    "gemini-cli",
    gemini,
    edit,
    "replace",
    { file_path: "/a.ts", instruction: "simulated", old_string: "x", new_string: "y" },
  ],
  ["gemini-cli", gemini, { tool: "LS", input: { path: "/src" } }, "list_directory", { path: "/src" }],
  ["codex", codex, shell, "shell", { command: ["bash", "-lc", "ls -la"] }],
  ["codex", codex, read, "shell", { command: ["bash", "-lc", "cat -- '/a.ts'"] }],
  ["cline", cline, shell, "execute_command", { command: "ls -la", requires_approval: false }],
  ["cline", cline, read, "read_files", { files: [{ path: "/a.ts" }] }],
  ["the provider's own tools", native, shell, "bash", { command: "ls -la" }],
  [
    "the provider's own tools",
    native,
    read,
    "str_replace_based_edit_tool",
    { command: "view", path: "/a.ts" },
  ],
  [
    "the provider's own tools",
    native,
    edit,
    "str_replace_based_edit_tool",
    { command: "str_replace", path: "/a.ts", old_str: "x", new_str: "y" },
  ],
] as const)("%s", (_agent, offered, call: WantedCall, name, input) => {
  it(`${JSON.stringify(call)} → ${name}`, () => {
    const tools = callableTools({ model: "m", max_tokens: 1, messages: [], tools: offered });
    expect(mapCall(call, tools)).toEqual({ name, input });
  });
});

it("a tool of the very name keeps its input, without what its schema forbids", () => {
  const input = { command: "ls", description: "d", odd: 1 };
  expect(mapCall({ tool: "Bash", input }, claudeCode)).toEqual({
    name: "Bash",
    input: { command: "ls", description: "d" },
  });
  const open: ToolDefinition = { name: "mcp__x", input_schema: { type: "object" } };
  expect(mapCall({ tool: "mcp__x", input: { any: [1] } }, [open])).toEqual({
    name: "mcp__x",
    input: { any: [1] },
  });
});

it("what nothing can do is not mapped", () => {
  expect(mapCall({ kind: "edit", input: {} }, codex)).toBeUndefined();
  expect(mapCall({ tool: "mcp__y", input: {} }, claudeCode)).toBeUndefined();
  expect(mapCall(shell, [])).toBeUndefined();
});

it("the provider's own server tools are not callable, nor is anything where calls are forbidden", () => {
  const request = { model: "m", max_tokens: 1, messages: [], tools: native };
  expect(callableTools(request).map(({ name }) => name)).toEqual(["bash", "str_replace_based_edit_tool"]);
  expect(callableTools({ ...request, tool_choice: { type: "none" } })).toEqual([]);
});

it("fills whatever a schema demands", () => {
  const odd: ToolDefinition = {
    name: "odd",
    input_schema: {
      type: "object",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] } },
      properties: {
        a: { anyOf: [{ type: "null" }, { type: "integer", minimum: 7 }] },
        b: { type: ["string", "null"] },
        c: { enum: ["one", "two"] },
        d: { type: "array", minItems: 2, items: { type: "integer", minimum: 3 } },
        e: { type: "string", minLength: 12 },
        f: { const: 5 },
        g: { $ref: "#/$defs/node" },
        h: {},
      },
      required: ["a", "b", "c", "d", "e", "f", "g", "h"],
    },
  };
  expect(callWithDefaults(odd).input).toMatchObject({
    a: null,
    b: null,
    c: "one",
    d: [3, 3],
    e: "simulated...",
    f: 5,
    h: "simulated",
  });
});

it("knows kinds by their names", () => {
  const kinds = [
    "Bash",
    "exec_command",
    "Read",
    "view",
    "create_file",
    "MultiEdit",
    "ripgrep",
    "list_dir",
    "web_search",
    "WebFetch",
    "TodoWrite",
    "update_plan",
    "BashOutput",
    "NotebookEdit",
    "Telescope",
  ].map(kindOfName);
  expect(kinds).toEqual([
    "shell",
    "shell",
    "read",
    "read",
    "write",
    "edit",
    "search",
    "list",
    "web-search",
    "fetch",
    "todo",
    "todo",
    undefined,
    undefined,
    undefined,
  ]);
});
