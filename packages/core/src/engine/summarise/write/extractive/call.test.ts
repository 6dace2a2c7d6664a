import { expect, it } from "vitest";
import { createCompactableTools } from "../../../tools/compactable-tools.js";
import { changedFiles, patchOf } from "./call.js";

const tools = createCompactableTools();
const changes = (name: string, input: Readonly<Record<string, unknown>>): readonly string[] =>
  changedFiles(name, tools.kindOf(name), input);

const PATCH = [
  "*** Begin Patch",
  "*** Update File: src/a b.ts",
  "@@",
  "-old",
  "+new",
  "*** Add File: C:\\new\\b.cs",
  "+text",
  "*** Delete File: c.md",
  "*** Move to: d.md",
  "*** End Patch",
].join("\n");

it.each<readonly [string, Readonly<Record<string, unknown>>, readonly string[]]>([
  ["Edit", { file_path: "/a.ts", old_string: "x", new_string: "y" }, ["/a.ts"]],
  ["MultiEdit", { file_path: "/a.ts", edits: [] }, ["/a.ts"]],
  ["write_file", { file_path: "docs/red.md", content: "red" }, ["docs/red.md"]],
  ["write", { path: "x.go", content: "" }, ["x.go"]],
  ["apply_patch", { input: PATCH }, ["src/a b.ts", "C:\\new\\b.cs", "c.md", "d.md"]],
  ["apply_patch", { patch: "--- a/x.py\n+++ b/x.py\n@@\n--- a/y\n+++ /dev/null" }, ["x.py"]],
  ["NotebookEdit", { notebook_path: "n.ipynb" }, ["n.ipynb"]],
  ["str_replace_based_edit_tool", { command: "create", path: "p.ts" }, ["p.ts"]],
  ["str_replace_based_edit_tool", { command: "view", path: "p.ts" }, []],
  ["shell", { command: ["apply_patch", PATCH] }, ["src/a b.ts", "C:\\new\\b.cs", "c.md", "d.md"]],
  ["exec", { input: 'patch("*** Begin Patch\\n*** Update File: src/x.ts\\n@@")' }, ["src/x.ts"]],
  ["Bash", { command: "sed -i s/a/b/ x.ts" }, []],
  ["Read", { file_path: "/a.ts" }, []],
  ["Edit", { file_path: 7 }, []],
])("%s %j", (name, input, expected) => {
  expect(changes(name, input)).toEqual(expected);
});

it("finds the part of a patch that is about a file", () => {
  expect(patchOf(PATCH, "src/a b.ts")).toBe("@@\n-old\n+new");
  expect(patchOf(PATCH, "c.md")).toBe("*** Move to: d.md");
  expect(patchOf("no patch", "c.md")).toBe("no patch");
});
