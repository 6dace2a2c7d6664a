import { describe, expect, it } from "vitest";
import type { ToolUseBlock } from "../../messages/content.js";
import { applyNotesEdit, commonEditTool } from "./notes-edit.js";
import { keepsTemplate, notesSections, notesTemplate } from "./template.js";

const path = "/data/c1/session-memory/summary.md";
const hint = `_${notesSections.at(-1)?.hint}_`;
const notes = `${notesTemplate}- one\n- two\n- two\n`;

const call = (input: Readonly<Record<string, unknown>>, name = "Edit"): ToolUseBlock => ({
  type: "tool_use",
  id: "t1",
  name,
  input: { file_path: path, ...input },
});
const edit = (block: ToolUseBlock, of = notes) => applyNotesEdit(of, block, { path, tool: commonEditTool() });
const swap = (old_string: string, new_string: string, more: object = {}) =>
  edit(call({ old_string, new_string, ...more }));

describe("what may be done", () => {
  it("a text that stands there once becomes another", () => {
    expect(swap("- one", "- uno")).toEqual({ kind: "edited", notes: notes.replace("- one", "- uno") });
  });

  it.each(["$& and $1 $$ $`", "😀 – ñ 漢字 \u0000 \u2028", "", "# a heading\n## of their own"])(
    "what is written is taken as it is: %j",
    (text) => {
      expect(swap("- one", text)).toEqual({
        kind: "edited",
        notes: `${notesTemplate}${text}\n- two\n- two\n`,
      });
      expect(swap("- two", text, { replace_all: true })).toEqual({
        kind: "edited",
        notes: `${notesTemplate}- one\n${text}\n${text}\n`,
      });
    },
  );

  it("below the italic line, with the line repeated", () => {
    const outcome = swap(`${hint}\n- one`, `${hint}\n- none`);
    expect(outcome).toMatchObject({ kind: "edited" });
    if (outcome.kind === "edited") expect(keepsTemplate(outcome.notes)).toBe(true);
  });

  it.each([
    { file_path: path, old_string: "- one", new_string: "x" },
    { path, old_text: "- one", new_text: "x" },
    { filePath: path, oldText: "- one", newText: "x" },
  ])("however the host calls its fields (%#)", (input) => {
    expect(edit({ type: "tool_use", id: "t", name: "Edit", input })).toMatchObject({ kind: "edited" });
  });

  it("through the host's own tool, whatever it takes", () => {
    const tool = {
      name: "patch",
      read: () => ({ path, oldText: "- one", newText: "- uno" }),
    };
    expect(applyNotesEdit(notes, call({}, "patch"), { path, tool })).toMatchObject({ kind: "edited" });
    expect(applyNotesEdit(notes, call({}, "Edit"), { path, tool })).toMatchObject({ kind: "refused" });
  });
});

describe("what is refused, and why", () => {
  const good = { old_string: "- one", new_string: "x" };
  it.each<[string, ToolUseBlock, RegExp]>([
    ["another tool", call(good, "Write"), /only Edit may be used/],
    ["a name that only looks like it", call(good, "edit"), /only Edit may be used/],
    ["another path", call({ ...good, file_path: "/work/src/main.ts" }), /only \/data\/c1/],
    ["a path around", call({ ...good, file_path: `/data/c1/x/../session-memory/summary.md` }), /only \/data/],
    ["a relative path", call({ ...good, file_path: "session-memory/summary.md" }), /only \/data/],
    ["the path and more", call({ ...good, file_path: `${path}/../../../etc` }), /only \/data/],
    ["an empty text", call({ ...good, old_string: "" }), /empty/],
    ["a text that is not there", call({ ...good, old_string: "- three" }), /not in the file/],
    ["a text that stands there twice", call({ ...good, old_string: "- two" }), /more than once/],
    ["no old text", call({ new_string: "x" }), /not an edit/],
    ["no new text", call({ old_string: "- one" }), /not an edit/],
    ["texts that are none", call({ old_string: ["- one"], new_string: 1 }), /not an edit/],
    ["a heading", call({ old_string: "# Worklog", new_string: "# Log" }), /must stay/],
    ["an italic line", call({ old_string: hint, new_string: "" }), /must stay/],
    ["a heading twice", call({ ...good, new_string: "\n# Worklog\nmore" }), /must stay/],
    [
      "what stands before the headings",
      call({ old_string: "# Session", new_string: "x\n# Session" }),
      /must/,
    ],
    ["everything", call({ old_string: notes, new_string: "gone" }), /must stay/],
    ["all spaces", call({ old_string: " ", new_string: "", replace_all: true }), /must stay/],
  ])("%s", (_, block, reason) => {
    const outcome = edit(block);
    expect(outcome.kind).toBe("refused");
    if (outcome.kind === "refused") expect(outcome.message).toMatch(reason);
  });

  it.each([null, "text", 1, [], undefined])("an input that is not an object: %j", (input) => {
    const block = { ...call({}), input } as unknown as ToolUseBlock;
    expect(edit(block)).toEqual({ kind: "refused", message: "Refused: this is not an edit." });
  });

  it("replace_all must be true itself", () => {
    expect(swap("- two", "x", { replace_all: "yes" })).toMatchObject({ kind: "refused" });
  });
});
