import { normalise, type Message } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { parseRecording, RecordingError } from "./read-recording.js";
import type { Recording } from "./recording.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (...lines: object[]): Recording =>
  parseRecording(encode(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`));

/** The live conversation in short. */
const sketch = (recording: Recording): string[] =>
  normalise(liveMessages(recording.messages)).messages.map(
    (message) =>
      `${message.role}: ${message.content
        .map((block) => {
          const fields = block as unknown as Record<string, unknown>;
          return fields["text"] ?? fields["id"] ?? fields["tool_use_id"] ?? fields["type"];
        })
        .join(" | ")}`,
  );
const repairs = (recording: Recording): string[] =>
  normalise(liveMessages(recording.messages)).repairs.map((repair) => repair.kind);

describe("Claude Code", () => {
  const base = { sessionId: "s", timestamp: "2026-11-15T10:00:00.000Z", isSidechain: false };
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 5,
    output_tokens: 7,
  };
  const lines = [
    { type: "summary", summary: "title", leafUuid: "a3" },
    { type: "user", uuid: "u1", parentUuid: null, ...base, message: { role: "user", content: "hello" } },
    {
      type: "assistant",
      uuid: "a1",
      parentUuid: "u1",
      ...base,
      message: {
        id: "m1",
        role: "assistant",
        model: "claude-opus-5",
        usage,
        content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }],
      },
    },
    {
      type: "assistant",
      uuid: "a2",
      parentUuid: "a1",
      ...base,
      message: {
        id: "m1",
        role: "assistant",
        model: "claude-opus-5",
        usage,
        content: [{ type: "tool_use", id: "t2", name: "Read", input: {} }],
      },
    },
    {
      type: "user",
      uuid: "r1",
      parentUuid: "a1",
      ...base,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "1" }] },
    },
    {
      type: "user",
      uuid: "r2",
      parentUuid: "a2",
      ...base,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "2" }] },
    },
    {
      type: "user",
      uuid: "side",
      parentUuid: null,
      ...base,
      isSidechain: true,
      message: { role: "user", content: "subagent" },
    },
  ];

  it("reads a tree with parallel calls", () => {
    const recording = parse(...lines);
    expect(recording.format).toBe("claude-code");
    expect(sketch(recording)).toEqual(["user: hello", "assistant: t1 | t2", "user: t1 | t2"]);
    expect(repairs(recording)).toEqual([]);
    expect(recording.counts).toEqual({
      messages: 4,
      apiResponses: 1,
      humanTurns: 1,
      toolCalls: 2,
      boundaries: 0,
      maxContextTokens: 122,
    });
  });

  it("tells of a damaged line in the middle and goes on; a torn last line is tolerated", () => {
    const text = lines.map((line) => JSON.stringify(line));
    text.splice(2, 0, '{"type":"user","uuid":');
    const recording = parseRecording(encode(`${text.join("\n")}\n{"type":"user","uui`));
    expect(recording.damaged).toEqual([{ line: 3, offset: expect.any(Number), reason: "not valid JSON" }]);
    expect(recording.torn).toMatchObject({ line: 9 });
    expect(sketch(recording)).toHaveLength(3);
  });

  it("an invalid byte damages its line only", () => {
    const [first, ...rest] = lines.map((line) => encode(`${JSON.stringify(line)}\n`));
    const bytes = Buffer.concat([first ?? encode(""), Buffer.from([0x7b, 0xff, 0xfe, 0x0a]), ...rest]);
    expect(parseRecording(bytes).damaged).toMatchObject([{ line: 2, reason: "not valid UTF-8" }]);
  });
});

describe("Codex", () => {
  const at = "2026-06-18T07:41:33.518Z";
  const item = (payload: object) => ({ timestamp: at, type: "response_item", payload });
  const event = (payload: object) => ({ timestamp: at, type: "event_msg", payload });
  const said = (role: string, text: string) =>
    item({
      type: "message",
      role,
      content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
    });
  const count = (input: number, cached: number) =>
    event({
      type: "token_count",
      info: {
        last_token_usage: {
          input_tokens: input,
          cached_input_tokens: cached,
          output_tokens: 5,
          total_tokens: input + 5,
        },
      },
    });
  const start = [
    { timestamp: at, type: "session_meta", payload: { id: "sess" } },
    { timestamp: at, type: "turn_context", payload: { model: "gpt-5.5" } },
    said("developer", "be careful"),
    said("user", "AGENTS.md instructions"),
    said("user", "do it"),
    event({ type: "user_message", message: "do it" }),
    item({ type: "reasoning", summary: [{ type: "summary_text", text: "pondering" }] }),
    said("assistant", "on it"),
    item({ type: "function_call", name: "exec", arguments: '{"cmd":"ls"}', call_id: "c1" }),
    item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "c2" }),
    item({
      type: "custom_tool_call_output",
      call_id: "c2",
      output: [{ type: "input_text", text: "patched" }],
    }),
    item({ type: "agent_message", author: "helper", content: [{ type: "input_text", text: "news" }] }),
    item({ type: "function_call_output", call_id: "c1", output: "files" }),
    count(100, 40),
  ];

  it("matches outputs by call id and groups items by response", () => {
    const recording = parse(...start);
    expect(recording.format).toBe("codex-rollout");
    expect(repairs(recording)).toEqual([]);
    expect(recording.counts).toEqual({
      messages: 4,
      apiResponses: 1,
      humanTurns: 1,
      toolCalls: 2,
      boundaries: 0,
      maxContextTokens: 105,
    });
    expect(sketch(recording)[1]).toBe("assistant: on it | c1 | c2");
    expect(sketch(recording)[2]).toMatch(/^user: c2 \| c1 \| <context-reminder/);
    const human = recording.messages.filter((message) => message.type === "user" && message.isMeta !== true);
    expect(human.map((message) => message.uuid)).toContain("sess:5");
    const piece = recording.messages.find((message) => message.type === "assistant");
    expect(piece).toMatchObject({
      reasoning: ["pondering"],
      message: {
        model: "gpt-5.5",
        usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 5 },
      },
    });
  });

  it("starts anew at a compaction, with the history that replaced the old one", () => {
    const recording = parse(
      ...start,
      {
        timestamp: at,
        type: "compacted",
        payload: {
          message: "what happened",
          replacement_history: [
            { type: "message", role: "user", content: [{ type: "input_text", text: "do it" }] },
          ],
        },
      },
      said("assistant", "going on"),
      count(50, 0),
    );
    expect(sketch(recording).slice(0, 2)).toEqual(["user: what happened | do it", "assistant: going on"]);
    expect(recording.counts.boundaries).toBe(1);
    expect(
      recording.messages.filter(
        (message) =>
          message.type === "user" &&
          message.isMeta !== true &&
          message.isCompactSummary !== true &&
          typeof message.message.content !== "string" &&
          message.message.content.some((block) => block.type === "text"),
      ),
    ).toHaveLength(1);
  });
});

describe("pi", () => {
  const header = { type: "session", id: "p", timestamp: "2025-12-09T00:53:29.825Z", cwd: "/work" };
  const said = (message: object, link: object = {}) => ({
    type: "message",
    timestamp: "2025-12-09T00:54:00.000Z",
    ...link,
    message,
  });
  const answer = (content: object[], more: object = {}) => ({
    role: "assistant",
    api: "anthropic-messages",
    model: "claude-opus-4-5",
    content,
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    stopReason: "stop",
    ...more,
  });
  const list = [
    said({ role: "user", content: [{ type: "text", text: "one" }] }),
    said(
      answer([
        { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
        { type: "toolCall", id: "t1", name: "read", arguments: { path: "a" } },
      ]),
    ),
    said({ role: "toolResult", toolCallId: "t1", content: [{ type: "text", text: "A" }], isError: false }),
    said(answer([{ type: "text", text: "two" }])),
    said({ role: "bashExecution", command: "ls", output: "a b", exitCode: 0 }),
    said({ role: "user", content: "three" }),
    said(answer([], { stopReason: "aborted", errorMessage: "Request was aborted." })),
  ];

  it("reads a list, with failed requests as errors of the program", () => {
    const recording = parse(header, ...list);
    expect(recording.format).toBe("pi");
    expect(sketch(recording)).toEqual([
      "user: one",
      "assistant: thinking | t1",
      "user: t1",
      "assistant: two",
      "user: <bash-input>ls</bash-input>\n<bash-stdout>a b</bash-stdout> | three",
    ]);
    expect(repairs(recording)).toEqual([]);
    expect(recording.counts).toEqual({
      messages: 7,
      apiResponses: 3,
      humanTurns: 2,
      toolCalls: 1,
      boundaries: 0,
      maxContextTokens: 10,
    });
  });

  it("keeps what a compaction kept, by place or by id", () => {
    const compaction = {
      type: "compaction",
      timestamp: "2025-12-09T01:00:00.000Z",
      summary: "so far",
      tokensBefore: 9,
    };
    const byPlace = parse(
      header,
      ...list,
      { ...compaction, firstKeptEntryIndex: 4 },
      said({ role: "user", content: "four" }),
    );
    expect(sketch(byPlace)).toEqual([
      "user: so far",
      "assistant: two",
      "user: <bash-input>ls</bash-input>\n<bash-stdout>a b</bash-stdout> | three | four",
    ]);
    const linked = [
      ...list,
      { ...compaction, firstKeptEntryId: "e3" },
      said({ role: "user", content: "four" }),
    ].map((entry, index) => ({ ...entry, id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}` }));
    expect(sketch(parse({ ...header, version: 3 }, ...linked))).toEqual(sketch(byPlace));
  });

  it("follows the branch to the last entry", () => {
    const recording = parse(
      { ...header, version: 3 },
      { ...said({ role: "user", content: "one" }), id: "a", parentId: null },
      { ...said(answer([{ type: "text", text: "left" }])), id: "b", parentId: "a" },
      { ...said(answer([{ type: "text", text: "right" }])), id: "c", parentId: "a" },
    );
    expect(sketch(recording).slice(0, 2)).toEqual(["user: one", "assistant: right"]);
  });
});

describe("Gemini CLI", () => {
  const header = {
    sessionId: "g",
    projectHash: "h",
    startTime: "2026-01-15T20:51:48.582Z",
    lastUpdated: "x",
  };
  const response = {
    id: "2",
    type: "gemini",
    timestamp: "2026-01-15T20:52:00.000Z",
    content: "writing",
    model: "gemini-2.5-flash",
    thoughts: [{ subject: "s", description: "d" }],
    tokens: { input: 100, output: 10, cached: 60, thoughts: 5, tool: 0, total: 115 },
    toolCalls: [
      {
        id: "w1",
        name: "write_file",
        args: { file_path: "a" },
        status: "success",
        result: [{ functionResponse: { response: { output: "done" } } }],
      },
    ],
  };
  const messages = [
    { id: "1", type: "user", timestamp: "2026-01-15T20:51:50.000Z", content: "go" },
    response,
    { id: "3", type: "info", timestamp: "2026-01-15T20:52:01.000Z", content: "update available" },
  ];
  const expected = ["user: go", "assistant: writing | w1", "user: w1"];

  it("reads one document, also a pretty-printed one", () => {
    const recording = parse({ ...header, messages });
    expect(recording.format).toBe("gemini-cli");
    expect(sketch(recording)).toEqual(expected);
    expect(repairs(recording)).toEqual([]);
    expect(recording.counts).toEqual({
      messages: 3,
      apiResponses: 1,
      humanTurns: 1,
      toolCalls: 1,
      boundaries: 0,
      maxContextTokens: 115,
    });
    const pretty = parseRecording(encode(JSON.stringify({ ...header, messages }, null, 2)));
    expect(sketch(pretty)).toEqual(expected);
  });

  it("reads a log of changes", () => {
    const recording = parse(
      header,
      ...messages.map((message) => ({ ...message, toolCalls: [] })),
      response,
      { id: "4", type: "user", content: "taken back" },
      { $rewindTo: "4" },
      { $set: { lastUpdated: "y" } },
    );
    expect(sketch(recording)).toEqual(expected);
  });
});

describe("what is no recording", () => {
  it.each<[string, Uint8Array, string]>([
    ["an empty file", encode(""), "empty"],
    ["white space", encode("\n\n  \n"), "empty"],
    ["a binary", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), "binary"],
    ["a lone brace", encode("{"), "unknown_format"],
    ["prose", encode("Dear diary,\ntoday"), "unknown_format"],
    ["bytes that are no text", Uint8Array.from([0xff, 0xfe, 0x41]), "unknown_format"],
    [
      "somebody else's log",
      encode('{"level":30,"msg":"listening"}\n{"level":30,"msg":"bye"}\n'),
      "unknown_format",
    ],
    ["a package.json", encode(JSON.stringify({ name: "x", version: "1.0.0" }, null, 2)), "unknown_format"],
    ["a list", encode("[1,2,3]"), "unknown_format"],
    ["a header without messages", encode('{"type":"session","id":"p","cwd":"/"}\n'), "no_messages"],
  ])("%s", (_, bytes, code) => {
    const attempt = (): unknown => parseRecording(bytes);
    expect(attempt).toThrow(RecordingError);
    try {
      attempt();
    } catch (error) {
      expect((error as RecordingError).code).toBe(code);
      expect((error as RecordingError).message).toMatch(/^(is|holds) /);
    }
  });
});

it("every message has an id of its own, linked to the one before", () => {
  const recording = parse(
    { type: "session", id: "p", cwd: "/" },
    { type: "message", timestamp: "2025-12-09T00:53:29.825Z", message: { role: "user", content: "a" } },
    { type: "compaction", summary: "s", firstKeptEntryIndex: 1, tokensBefore: 1 },
    { type: "message", message: { role: "user", content: "b" } },
  );
  const { messages } = recording;
  expect(new Set(messages.map((message: Message) => message.uuid)).size).toBe(messages.length);
  for (const [index, message] of messages.entries()) {
    if (message.type !== "system") expect(message.parentUuid).toBe(messages[index - 1]?.uuid ?? null);
  }
});
