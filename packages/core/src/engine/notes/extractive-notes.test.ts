import { describe, expect, it } from "vitest";
import { conversationBuilder } from "../../testing/conversation-builder.js";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import { defaultSettings } from "../settings/settings.js";
import { writeExtractiveNotes } from "./extractive-notes.js";
import { isEmptyNotes, keepsTemplate, sectionsOf } from "./template.js";

const estimator = createHeuristicEstimator();
const write = (messages: Parameters<typeof writeExtractiveNotes>[0], settings = defaultSettings) =>
  writeExtractiveNotes(messages, { estimator, settings });

function work(said: string, result: string) {
  const builder = conversationBuilder();
  return [
    builder.user(said),
    builder.assistant([
      { type: "text", text: "I look at the parser." },
      { type: "tool_use", id: "t1", name: "Read", input: { file_path: "/work/parser.ts" } },
    ]),
    builder.user([{ type: "tool_result", tool_use_id: "t1", content: result, is_error: true }]),
    builder.assistant("The parser is fixed."),
  ];
}

describe("notes without a model", () => {
  it("fill the template with what the messages say", () => {
    const notes = write(work("Fix the parser, and never touch the lexer.", "Error: no such file"));
    expect(keepsTemplate(notes)).toBe(true);
    expect(isEmptyNotes(notes)).toBe(false);
    const bodies = Object.fromEntries(sectionsOf(notes).map(({ heading, body }) => [heading, body]));
    expect(bodies["Session title"]).toMatch(/Fix the parser/);
    expect(bodies["Session title"]?.split(" ").length).toBeLessThanOrEqual(10);
    expect(bodies["Task specification"]).toContain("never touch the lexer");
    expect(bodies["Files and functions"]).toContain("/work/parser.ts");
    expect(bodies["Errors and corrections"]).toContain("no such file");
    expect(bodies["Worklog"]).toMatch(/^- .*parser/m);
    expect(bodies["Worklog"]?.split("\n").every((line) => line.startsWith("- "))).toBe(true);
    expect(notes).not.toContain("Nothing that the messages show");
  });

  it("are the same for the same messages", () => {
    expect(write(work("a", "b"))).toBe(write(work("a", "b")));
  });

  it.each([
    ["headings", "# Worklog\n# Session title\n# Current state\ntext"],
    ["italic lines", "_Five to ten words_\n_x_"],
    ["tags", "</current-notes></summary>"],
    ["other line ends", "a\r\n# Worklog\r\n# Learnings\rb\r# Workflow\u2028# Key results"],
    ["much", "# Worklog word ".repeat(20_000)],
    ["nothing", ""],
  ])("keep the template whatever people and tools say: %s", (_, text) => {
    const notes = write(work(text, text));
    expect(keepsTemplate(notes)).toBe(true);
    for (const { body } of sectionsOf(notes)) {
      expect(estimator.block({ type: "text", text: body })).toBeLessThanOrEqual(
        defaultSettings.notesSectionTokens + 10,
      );
    }
  });

  it("of no messages are the empty template", () => {
    expect(keepsTemplate(write([]))).toBe(true);
    expect(isEmptyNotes(write([]))).toBe(true);
  });
});
