import { normalise, type Message } from "@palimpsest/core";
import { liveMessages, conversationWindows } from "@palimpsest/core/engine";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRecording } from "../check-recording.js";
import { openConversation } from "../rounds/open-conversation.js";
import { parseRecording } from "./read-recording.js";
import type { Recording } from "./recording.js";

const parse = (document: object, indent?: number): Recording =>
  parseRecording(new TextEncoder().encode(JSON.stringify(document, null, indent)));

/** The live conversation in short. */
const sketch = (recording: Recording): string[] =>
  normalise(liveMessages(recording.messages)).messages.map(
    ({ role, content }) =>
      `${role}: ${content
        .map((block) => {
          const {
            type,
            text,
            name,
            input,
            content: inner,
            thinking,
          } = { ...block } as Record<string, unknown>;
          return type === "tool_use"
            ? `${String(name)}(${JSON.stringify(input)})`
            : String(text ?? thinking ?? inner);
        })
        .join(" | ")}`,
  );

/** As versions from 1.0 on write it: calls of functions, cache markers, blocks of text. */
const newer = {
  environment: "swe_main",
  trajectory: [
    {
      action: "open src/lamp.py",
      observation: "[File: src/lamp.py]",
      response: "I open the lamp.",
      thought: "I open the lamp.",
      execution_time: 0.2,
      state: { working_dir: "/repo" },
      query: [{}],
      extra_info: {},
    },
  ],
  history: [
    { role: "system", content: "You mend lamps.", agent: "main", message_type: "system_prompt" },
    { role: "user", content: "An example run", agent: "main", is_demo: true, message_type: "demonstration" },
    {
      role: "user",
      content: [{ type: "text", text: "The lamp flickers.", cache_control: { type: "ephemeral" } }],
      agent: "main",
      message_type: "observation",
    },
    {
      role: "assistant",
      content: "I open the lamp.",
      thought: "I open the lamp.",
      action: "open src/lamp.py",
      agent: "main",
      tool_calls: [
        { type: "function", id: "call_1", function: { name: "open", arguments: '{"path":"src/lamp.py"}' } },
      ],
      thinking_blocks: [
        { type: "thinking", thinking: "Where is it?", signature: "c2ln" },
        { type: "thinking", thinking: "unsigned", signature: "" },
      ],
      message_type: "action",
    },
    {
      role: "tool",
      content: [
        { type: "text", text: "[File: src/lamp.py]" },
        { type: "image_url", image_url: {} },
      ],
      agent: "main",
      tool_call_ids: ["call_1"],
      message_type: "observation",
    },
    { role: "user", content: "a word of another agent", agent: "reviewer", message_type: "observation" },
    {
      role: "assistant",
      content: "",
      thought: "",
      action: "submit",
      agent: "main",
      tool_calls: [{ type: "function", id: "call_2", function: { name: "submit", arguments: "not json" } }],
      message_type: "action",
    },
  ],
  info: { exit_status: "submitted", model_stats: { tokens_sent: 10, api_calls: 2 } },
  replay_config: JSON.stringify({ agent: { model: { name: "anthropic/claude-sonnet-4-5" } } }),
};

/** As versions before 1.0 write it: the action stands in the text. */
const older = {
  environment: "swe_main",
  trajectory: [],
  history: [
    { role: "system", content: "SETTING", agent: "primary" },
    { role: "user", content: "ISSUE: it is dark", agent: "primary" },
    {
      role: "assistant",
      content: "DISCUSSION\nI look around.\n```\nls -a\n```",
      thought: "DISCUSSION\nI look around.\n",
      action: "ls -a\n",
      agent: "primary",
    },
    { role: "user", content: "lamp.py\n(Open file: n/a)", agent: "primary" },
    { role: "assistant", content: "That is all.", thought: "That is all.", action: "", agent: "primary" },
    { role: "user", content: "Please give a command.", agent: "primary" },
  ],
  info: {},
};

describe("SWE-agent", () => {
  it("reads histories with calls", () => {
    const recording = parse(newer, 2);
    expect(recording).toMatchObject({
      format: "swe-agent",
      counts: { messages: 6, apiResponses: 2, humanTurns: 1, toolCalls: 2, boundaries: 0 },
    });
    expect(sketch(recording)).toEqual([
      "user: An example run | The lamp flickers.",
      'assistant: Where is it? | I open the lamp. | open({"path":"src/lamp.py"})',
      "user: [File: src/lamp.py]\n[image_url]",
      'assistant: submit({"arguments":"not json"})',
      expect.stringContaining("user: "),
    ]);
    const answer = recording.messages.find(({ type }) => type === "assistant");
    expect(answer).toMatchObject({ reasoning: ["unsigned"], message: { model: "claude-sonnet-4-5" } });
    expect(checkRecording(recording).valid).toBe(true);
    expect(conversationWindows(recording.messages)).toHaveLength(1);
  });

  it("reads histories whose actions are text", () => {
    const recording = parse(older);
    expect(sketch(recording)).toEqual([
      "user: ISSUE: it is dark",
      'assistant: DISCUSSION\nI look around.\n | bash({"command":"ls -a"})',
      "user: lamp.py\n(Open file: n/a)",
      "assistant: That is all.",
      "user: Please give a command.",
    ]);
    expect(recording.counts).toMatchObject({ apiResponses: 2, humanTurns: 2, toolCalls: 1 });
    expect(checkRecording(recording)).toMatchObject({ valid: true, problems: [] });
  });

  it("reads steps where there is no history, and the last attempt of several", () => {
    const step = (number: number) => ({
      response: `thought ${number}`,
      thought: `thought ${number}`,
      action: `cat ${number}`,
      observation: `content ${number}`,
      state: "{}",
    });
    const query = [
      { role: "system", content: "s" },
      { role: "user", content: "the task" },
    ];
    const trajectory = [{ ...step(1), query }, step(2)];
    const expected = [
      "user: the task",
      'assistant: thought 1 | bash({"command":"cat 1"})',
      "user: content 1",
      'assistant: thought 2 | bash({"command":"cat 2"})',
      "user: content 2",
    ];
    expect(sketch(parse({ trajectory, info: {} }))).toEqual(expected);
    expect(sketch(parse({ attempts: [{ trajectory: [step(9)] }, { trajectory }, {}] }, 2))).toEqual(expected);
  });

  it.each([
    ["no steps", { trajectory: "none", info: {} }],
    ["steps that are none", { trajectory: [1, 2], info: {} }],
    ["a history that is none", { history: [{ content: "x" }], info: {} }],
    ["nothing in it", {}],
  ])("does not take %s for one", (_, document) => {
    expect(() => parse(document)).toThrow("is not a transcript of a known format");
  });

  it("has no messages where nothing happened", () => {
    expect(() => parse({ trajectory: [], history: [], info: {} })).toThrow("holds no messages");
  });

  it("takes hostile items", () => {
    const items = [
      null,
      7,
      "x",
      { role: 1 },
      { role: "assistant", tool_calls: [{}, null], content: [null, {}] },
    ];
    const history = [
      { role: "user", content: "go" },
      ...items.filter((item) => typeof item === "object" && item),
    ];
    const recording = parse({ trajectory: [], history, info: {} });
    expect(checkRecording(recording).valid).toBe(true);
  });
});

describe("played", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "palimpsest-traj-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each([
    ["on one line", undefined],
    ["over many lines, some of which look like lines of a transcript", 2],
  ])("a document %s", async (_, indent) => {
    const path = join(directory, "run.traj");
    await writeFile(path, JSON.stringify(newer, null, indent));
    const conversation = await openConversation(path);
    expect(conversation.overview).toMatchObject({
      format: "swe-agent",
      rounds: 2,
      tools: ["open", "submit"],
      damagedLines: 0,
    });
    const incoming: (readonly Message[])[] = [];
    for await (const round of conversation.rounds()) incoming.push(round.incoming);
    expect(incoming.map((messages) => messages.length)).toEqual([2, 1]);
  });
});
