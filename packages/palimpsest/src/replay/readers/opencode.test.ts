import { isHumanMessage, normalise, type Message } from "@palimpsest/core";
import { applyBoundaries, isClearingBoundary, liveMessages } from "@palimpsest/core/engine";
import { ImportError, messagesFromList, messagesFromOpenCode } from "@palimpsest/core/import";
import { describe, expect, it } from "vitest";
import { checkRecording } from "../check-recording.js";
import { recordedCost } from "../recorded-cost.js";
import {
  madeUpExport,
  openCodeAnswer,
  openCodeCall,
  openCodeFile,
  openCodeUser,
} from "../testing/made-up-opencode.js";
import { parseRecording } from "./read-recording.js";
import type { Recording } from "./recording.js";

const parseText = (text: string): Recording => parseRecording(new TextEncoder().encode(text));
const parse = (document: object, indent?: number): Recording =>
  parseText(JSON.stringify(document, null, indent));

const requestOf = (messages: readonly Message[]) =>
  normalise(applyBoundaries(liveMessages(messages))).messages;

/** What is sent, in short. */
const sketch = (messages: readonly Message[]): readonly string[] =>
  requestOf(messages).map(
    ({ role, content }) =>
      `${role}: ${(content as readonly object[])
        .map((block) => {
          const { type, text, name, content: inner } = block as Record<string, unknown>;
          return type === "tool_use" ? `${String(name)}()` : String(text ?? inner).slice(0, 40);
        })
        .join(" | ")}`,
  );

describe("an export of OpenCode", () => {
  it.each([
    ["on one line", undefined],
    ["over many lines", 2],
  ])("%s: answers, results, usage, times", (_, indent) => {
    const recording = parse(madeUpExport(), indent);
    expect(recording).toMatchObject({
      format: "opencode",
      counts: {
        messages: 13,
        apiResponses: 11,
        humanTurns: 2,
        toolCalls: 8,
        boundaries: 0,
        maxContextTokens: 20_260,
      },
      damaged: [],
    });
    expect(checkRecording(recording)).toMatchObject({ valid: true, problems: [], repaired: [] });
    const [asked, answered, results] = recording.messages;
    expect(asked).toMatchObject({ type: "user", timestamp: "2026-03-13T05:00:00.000Z" });
    expect(answered).toMatchObject({
      timestamp: "2026-03-13T05:01:05.000Z",
      reasoning: ["**Reading 1**"],
      message: {
        model: "gpt-5.3-codex",
        stop_reason: "tool_use",
        usage: { input_tokens: 9000, output_tokens: 60, cache_read_input_tokens: 0 },
      },
    });
    expect(results).toMatchObject({ message: { content: [{ content: openCodeFile(1) }] } });
    expect(recordedCost(recording.messages)).toMatchObject({ responses: 10, outputTokens: 600 });
  });

  it("is what OpenCode would send: cleared results are gone, what it never sends is not there", () => {
    const { messages } = parse(madeUpExport());
    const sent = JSON.stringify(requestOf(messages));
    expect(sketch(messages).at(-1)).toBe("user: Continue.");
    for (const at of [1, 2, 3, 4, 5]) expect(sent).not.toContain(`value${at} =`);
    for (const at of [6, 7, 8]) expect(sent).toContain(`value${at} =`);
    for (const never of ["never sent", "Reading 1", "aborted"]) expect(sent).not.toContain(never);
    expect(messages.filter(isHumanMessage)).toHaveLength(2);
    const boundary = messages.find(isClearingBoundary);
    expect(boundary?.microcompactMetadata.toolUseIds).toHaveLength(5);
    expect(messages.at(messages.indexOf(boundary as Message) + 1)).toMatchObject({ type: "user" });
  });

  it("calls whose ids were masked keep their results apart", () => {
    const { messages } = parse(madeUpExport());
    const ids = messages.flatMap((message) =>
      message.type === "assistant"
        ? message.message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
        : [],
    );
    expect(new Set(ids).size).toBe(8);
  });

  it("a compaction is a boundary with its summary, its cost and what it kept", () => {
    const { info } = madeUpExport();
    const messages = [
      openCodeUser(0, [{ type: "text", text: "first" }]),
      openCodeAnswer(1, [openCodeCall(1)]),
      openCodeUser(2, [{ type: "text", text: "kept question" }]),
      openCodeAnswer(3, [{ type: "text", text: "kept answer" }], { finish: "stop" }),
      openCodeUser(4, [{ type: "compaction", auto: false, tail_start_id: "msg_user2" }]),
      openCodeAnswer(5, [{ type: "text", text: "What happened so far." }], { summary: true, finish: "stop" }),
      openCodeUser(6, [{ type: "text", text: "Go on.", synthetic: true }]),
      openCodeAnswer(7, [{ type: "text", text: "Going on." }], { finish: "stop" }),
    ];
    const recording = parse({ info, messages });
    expect(recording.counts.boundaries).toBe(1);
    expect(sketch(recording.messages)).toEqual([
      "user: What happened so far. | kept question",
      "assistant: kept answer",
      "user: Go on.",
      "assistant: Going on.",
      "user: Continue.",
    ]);
    expect(checkRecording(recording).valid).toBe(true);
    expect(recordedCost(recording.messages)).toMatchObject({ responses: 4, summaryCalls: 1 });
    const boundary = recording.messages.find(
      (message) => message.type === "system" && message.subtype === "compact_boundary",
    );
    expect(boundary).toMatchObject({ compactMetadata: { trigger: "manual", preTokens: 11_860 } });
    // A summary that failed compacts nothing.
    const failed = messages.map((entry, at) =>
      at === 5 ? { ...entry, info: { ...entry.info, error: { name: "APIError", data: {} } } } : entry,
    );
    expect(parse({ info, messages: failed }).counts.boundaries).toBe(0);
  });

  it("several steps in one message are as many answers, each with its own usage", () => {
    const finish = (input: number) => ({
      type: "step-finish",
      reason: "tool-calls",
      tokens: { input, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
    });
    const parts = [openCodeCall(1), finish(100), { type: "step-start" }, openCodeCall(2), finish(200)];
    const { messages } = parse({
      info: {},
      messages: [openCodeUser(0, [{ type: "text", text: "go" }]), openCodeAnswer(1, parts)],
    });
    expect(sketch(messages)).toEqual([
      "user: go",
      "assistant: read()",
      expect.stringMatching(/^user: export const value1/),
      "assistant: read()",
      expect.stringMatching(/^user: export const value2/),
    ]);
    expect(recordedCost(messages)).toMatchObject({ responses: 2, inputTokens: 300 });
  });

  it("calls that failed or never ended have a result that says so; signed thinking is kept", () => {
    const state = (status: string, more: object) => ({ state: { status, output: undefined, ...more } });
    const parts = [
      { type: "reasoning", text: "hm", metadata: { anthropic: { signature: "c2lnbmVk" } } },
      openCodeCall(1, state("error", { error: "no such file" })),
      openCodeCall(2, state("running", {})),
      openCodeCall(3, state("completed", { output: { lines: 3 } })),
    ];
    const { messages } = messagesFromOpenCode([
      openCodeUser(0, [{ type: "text", text: "go" }]),
      openCodeAnswer(1, parts),
    ]);
    const [, answer, results] = requestOf(messages);
    expect(answer?.content[0]).toMatchObject({ type: "thinking", thinking: "hm" });
    expect(results?.content).toMatchObject([
      { content: "no such file", is_error: true },
      { content: "[Tool execution was interrupted]", is_error: true },
      { content: '{"lines":3}' },
    ]);
  });

  it("what was taken back is left out", () => {
    const { info, messages } = madeUpExport();
    const reverted = parse({ info: { ...info, revert: { messageID: "msg_user20" } }, messages });
    expect(JSON.stringify(requestOf(reverted.messages))).not.toContain("Say it again");
  });

  it("the messages alone, as a list or one a line, and by the import functions", () => {
    const { messages } = madeUpExport();
    const expected = sketch(parse(madeUpExport()).messages);
    const lines = messages.map((message) => JSON.stringify(message)).join("\n");
    for (const recording of [parse(messages), parse(messages, 2), parseText(lines)]) {
      expect(recording.format).toBe("opencode");
      expect(sketch(recording.messages)).toEqual(expected);
    }
    const imported = messagesFromList(messages);
    expect(imported.shape).toBe("opencode");
    expect(messagesFromList(madeUpExport()).messages).toEqual(imported.messages);
    const body = {
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user", content: "hi" }],
    };
    expect(messagesFromList(body)).toMatchObject({ shape: "anthropic", system: "Be brief." });
    expect(() => messagesFromList({ messages: "none" } as never)).toThrow("the messages must be a list");
    expect(sketch(imported.messages)).toEqual(expected);
    expect(sketch(messagesFromOpenCode(madeUpExport()).messages)).toEqual(expected);
  });

  it.each([
    ["no messages at all", { messages: [] }, "holds no messages"],
    ["messages that are none", { messages: [7, null] }, "message 0 must have an info with the role"],
    ["messages of nobody", { messages: [{ info: { role: "critic" }, parts: [] }] }, "message 0 must have"],
  ])("says what is wrong with %s", (_, document, sentence) => {
    expect(() => parse({ info: madeUpExport().info, ...document })).toThrow(sentence);
  });

  it("is refused by the import function in one sentence", () => {
    expect(() => messagesFromOpenCode({ messages: 7 } as never)).toThrow(ImportError);
  });
});
