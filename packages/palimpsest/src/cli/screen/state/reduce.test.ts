import type { Message } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../agent/base/agent-event.js";
import { reduce } from "./reduce.js";
import type { ScreenEvent } from "./screen-event.js";
import { createState, type ScreenState } from "./state.js";

const agent = (event: AgentEvent): ScreenEvent => ({ kind: "agent", event });
const text = (words: string): ScreenEvent => agent({ kind: "text", text: words });
const after = (events: readonly ScreenEvent[], verbosity: ScreenState["verbosity"] = "normal"): ScreenState =>
  events.reduce(reduce, createState(verbosity));

const message = (type: "user" | "assistant", content: unknown): ScreenEvent =>
  agent({
    kind: "message",
    message: { type, uuid: "u", message: { role: type, content } } as unknown as Message,
  });
const start = (id: string, name = "Bash", input: unknown = { command: "ls" }): ScreenEvent =>
  agent({ kind: "tool-start", id, name, input });
const result = (id: string, content: string): ScreenEvent =>
  message("user", [{ type: "tool_result", tool_use_id: id, content }]);

describe("what the screen knows", () => {
  it("commits parts of an answer as they close, and the rest with its message", () => {
    const state = after([text("One.\n\nTw"), text("o.")]);
    expect(state.pending).toEqual([
      { kind: "answer", block: { kind: "text", source: "One.\n" }, hasGap: true },
    ]);
    expect(state.open?.source).toBe("Two.");
    const ended = reduce(state, message("assistant", [{ type: "text", text: "One.\n\nTwo." }]));
    expect(ended.open).toBeUndefined();
    expect(ended.pending).toHaveLength(2);
  });

  it("counts no time of a person's as a tool's", () => {
    const end = agent({
      kind: "tool-end",
      id: "a",
      name: "Bash",
      isError: false,
      isDenied: false,
      milliseconds: 5000,
    });
    const waited: ScreenEvent = { kind: "waited", milliseconds: 4600 };
    const state = after([{ kind: "turn-began", at: 1000 }, start("a"), waited, end, result("a", "done")]);
    expect(state.pending.at(-1)).toMatchObject({ kind: "tool", milliseconds: 400 });
    expect(state.activity?.at).toBe(5600);
    const other = after([start("a"), waited, waited, end, result("a", "done")]);
    expect(other.pending.at(-1)).toMatchObject({ milliseconds: 0 });
  });

  it("does not part a paragraph for what is told meanwhile", () => {
    const notice: ScreenEvent = { kind: "notice", text: "by the way", tone: "plain" };
    const state = after([text("One"), notice, text(" more.\n\nTwo")]);
    expect(state.pending).toMatchObject([
      { kind: "answer", block: { source: "One more.\n" } },
      { kind: "notice", text: "by the way" },
    ]);
    expect(
      reduce(reduce(state, notice), { kind: "turn-ended", text: "", tone: "plain" }).pending,
    ).toMatchObject([{}, {}, { kind: "answer", block: { source: "Two" } }, { kind: "notice" }]);
  });

  it("shows an answer that did not stream", () => {
    expect(after([message("assistant", [{ type: "text", text: "Whole." }])]).pending).toHaveLength(1);
  });

  it("puts results of calls that ran side by side into the order of their results", () => {
    const state = after([start("a"), start("b"), result("b", "second"), result("a", "first\nmore")]);
    expect(state.calls).toEqual([]);
    expect(state.pending).toMatchObject([
      { kind: "tool", preview: [{ text: "second" }] },
      { kind: "tool", preview: [{ text: "first" }, { text: "more" }] },
    ]);
    expect(state.details.map(({ text: whole }) => whole)).toEqual(["second", "first\nmore"]);
  });

  it("shows an edit as what it changes, without what stays", () => {
    const edit = { file_path: "a.ts", old_string: "same\nold\nend", new_string: "same\nnew\nend" };
    expect(after([start("a", "Edit", edit), result("a", "done")]).pending).toMatchObject([
      {
        about: "a.ts",
        preview: [
          { text: "same" },
          { text: "old", change: "removed" },
          { text: "new", change: "added" },
          { text: "end" },
        ],
      },
    ]);
  });

  it("leaves no call open when a turn ends", () => {
    const state = after([
      { kind: "turn-began", at: 0 },
      start("a"),
      { kind: "turn-ended", text: "It was interrupted.", tone: "warn" },
    ]);
    expect(state).toMatchObject({ activity: undefined, calls: [] });
    expect(state.pending).toMatchObject([{ kind: "tool", outcome: "failed" }, { kind: "notice" }]);
  });

  it("shows thinking only where somebody wants it", () => {
    const events = [agent({ kind: "thinking", text: "hmm" }), text("So.\n\n")];
    expect(after(events).pending).toMatchObject([{ kind: "answer" }]);
    expect(after(events, "verbose").pending).toMatchObject([
      { kind: "thinking", text: "hmm" },
      { kind: "answer" },
    ]);
  });

  it("keeps few outputs for later, and each of them short of everything", () => {
    const events = Array.from({ length: 80 }, (_, at) => [
      start(`${at}`),
      result(`${at}`, "x".repeat(1_000_000)),
    ]).flat();
    const { details } = after(events);
    expect(details).toHaveLength(50);
    expect(details[0]?.text.length).toBeLessThanOrEqual(400_000);
  });

  it("makes harmless whatever comes from a model letter by letter", () => {
    const letters = Array.from("\u001b]0;owned\u0007 x\n\n", (letter) => text(letter));

    expect(after(letters).pending).toMatchObject([{ block: { source: "\\u001b]0;owned\\u0007 x\n" } }]);
  });
});
