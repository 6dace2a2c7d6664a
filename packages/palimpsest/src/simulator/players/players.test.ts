import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "@palimpsest/core";
import type { Player, PlayerPrompt } from "../player.js";
import { createEchoPlayer } from "./echo-player.js";
import { createLoadPlayer } from "./load-player.js";
import { parsePlayer } from "./parse-player.js";
import { createRecordingPlayer } from "./recording-player.js";
import { createScriptPlayer } from "./script-player.js";
import type { Script } from "./script.js";
import { summaryModes, withSummaries } from "./summaries-player.js";

const bash = {
  name: "bash",
  input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

const promptOf = (request: ModelRequest, sequence = 0): PlayerPrompt => ({
  request,
  messages: request.messages,
  kind: "message",
  now: 0,
  sequence,
});

const hello: ModelRequest = {
  model: "m",
  max_tokens: 10,
  tools: [bash],
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
};

describe("echo", () => {
  it("says one short text", () => {
    expect(createEchoPlayer().answer(promptOf(hello), undefined).answer).toEqual({
      content: [{ type: "text", text: "You said: hello" }],
    });
  });
});

describe("load", () => {
  it("prints about as much as it is told, never the same", () => {
    const { content } = createLoadPlayer({ resultBytes: 10_240, callsPerTurn: 2 }).answer(
      promptOf(hello),
      undefined,
    ).answer;
    const outputs = content.map((block) =>
      execFileSync("sh", ["-c", block.type === "tool_use" ? String(block.input["command"]) : "false"], {
        encoding: "utf8",
      }),
    );
    expect(outputs.map(({ length }) => length)).toEqual([10_240, 10_240]);
    expect(outputs[0]).not.toBe(outputs[1]);
  });

  it("never ends, or after so many turns", () => {
    const run = (player: Player): number => {
      let memory: unknown;
      const messages = [...hello.messages];
      for (let turn = 0; turn < 50; turn += 1) {
        const played = player.answer(promptOf({ ...hello, messages }, turn), memory);
        memory = played.memory;
        const ids = played.answer.content.flatMap((block) =>
          block.type === "tool_use" ? [block.id ?? ""] : [],
        );
        if (ids.length === 0) return turn;
        messages.push({
          role: "assistant",
          content: ids.map((id) => ({ type: "tool_use", id, name: "bash", input: {} })),
        });
        messages.push({
          role: "user",
          content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "x" })),
        });
      }
      return Infinity;
    };
    expect(run(createLoadPlayer({ resultBytes: 10 }))).toBe(Infinity);
    expect(run(createLoadPlayer({ resultBytes: 10, turns: 7, callsPerTurn: 3 }))).toBe(7);
  });
});

describe("parsePlayer", () => {
  const sources = {
    readFile: (path: string) =>
      path === "ok.json" ? '["scripted"]' : path === "bad.json" ? "[3]" : fail("ENOENT"),
  };
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const first = (specification: string, more = {}): unknown =>
    parsePlayer(specification, { ...sources, ...more }).answer(promptOf(hello), undefined).answer.content[0];

  it("makes the player that was asked for", () => {
    expect(first("echo")).toMatchObject({ text: "You said: hello" });
    expect(first("load:1kb")).toMatchObject({ input: { command: expect.stringContaining("i <= 16;") } });
    expect(first("load")).toMatchObject({ input: { command: expect.stringContaining("i <= 160;") } });
    expect(first("script:ok.json+summaries=empty")).toMatchObject({ text: "scripted" });
    expect(
      first("recording:x", { openRecording: (path: string) => createScriptPlayer({ steps: [path] }) }),
    ).toMatchObject({ text: "x" });
  });

  it.each([
    ["nobody", /there is no player "nobody" \(known: echo/],
    ["echo:loud", /"echo" takes no value/],
    ["load:much", /"much" is not a size/],
    ["load:1kb:0", /"0" is not a number of turns/],
    ["load:1kb:1:2:3", /too many parts/],
    ["script:", /needs a file/],
    ["script:none.json", /^none.json: ENOENT/],
    ["script:bad.json", /^bad.json: step 1: is neither/],
    ["recording:x", /cannot be played here/],
    ["echo+summaries=great", /summaries are mediocre, empty/],
  ])("refuses %s", (specification, message) => {
    expect(() => parsePlayer(specification, sources)).toThrow(message);
  });
});

const script: Script = {
  steps: [
    {
      thinking: "hm",
      text: "a",
      calls: [
        { kind: "shell", input: { command: "ls" } },
        { kind: "edit", input: { path: "a", old_string: "b", new_string: "c" } },
      ],
    },
    { error: { status: 529, type: "overloaded_error", message: "Overloaded" } },
    {
      calls: [
        { tool: "anything", input: { a: 1 } },
        { kind: "read", input: { path: "x" } },
      ],
    },
    "text",
  ],
};

const recording = createRecordingPlayer([
  {
    uuid: "1",
    parentUuid: null,
    timestamp: "",
    sessionId: "",
    type: "assistant",
    message: {
      id: "m",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "t", name: "Grep", input: { pattern: "x" } }],
    },
  },
]);

const inner: readonly Player[] = [
  createScriptPlayer(script),
  recording,
  createEchoPlayer(),
  createLoadPlayer({ resultBytes: 100, callsPerTurn: 3 }),
];
const players: readonly Player[] = [
  ...inner,
  ...inner.flatMap((player) => summaryModes.map((mode) => withSummaries(player, { mode }))),
];

const word = fc.constantFrom(
  "hello",
  "",
  "Create a detailed summary of the conversation so far",
  "<summary>old</summary>",
  "CONTEXT CHECKPOINT COMPACTION",
  "generate the <state_snapshot>",
  "This session is being continued",
  "text only, no tool calls",
  "update the session notes file /n.md; not part of the conversation; conversation above; then stop\n# A\n_a_\n\n# Worklog\n_b_\n",
  "toolu_sim_abc_7_0",
);
const text = fc.oneof(
  word,
  fc.string({ unit: "binary" }),
  fc.array(word).map((words) => words.join("\n")),
);
const id = fc.oneof(
  fc.constantFrom(
    "toolu_sim_abc_0_0",
    "toolu_sim_abc_1_0",
    "toolu_sim_abc_999999999_3",
    "toolu_summaries_0_0",
    "toolu_x",
  ),
  fc.string(),
);
const block = fc.oneof(
  text.map((text) => ({ type: "text", text })),
  fc.record({ type: fc.constant("tool_use"), id, name: fc.string(), input: fc.object({ maxDepth: 1 }) }),
  fc.record({
    type: fc.constant("tool_result"),
    tool_use_id: id,
    content: fc.oneof(text, fc.array(text.map((text) => ({ type: "text", text })))),
    is_error: fc.boolean(),
  }),
  fc.record({ type: fc.constant("thinking"), thinking: fc.string(), signature: fc.string() }),
  fc.record({ type: fc.constant("compaction"), content: fc.oneof(text, fc.constant(null)) }),
  fc.anything(),
);
const message = fc.record({
  role: fc.constantFrom("user", "assistant", "system"),
  content: fc.oneof(text, fc.array(block, { maxLength: 4 })),
});
const schema: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom("string", "integer", "number", "boolean", "null", "STRING", 3) }),
    fc.record({ enum: fc.array(fc.jsonValue()) }),
    fc.record({ $ref: fc.constantFrom("#", "#/$defs/a", "#/properties/command", "http://x") }),
    fc.record({ anyOf: fc.array(tie("schema")) }),
    fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(3) }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(
        fc.constantFrom("command", "path", "edits", "old_string", "x", "__proto__"),
        tie("schema"),
      ),
      required: fc.array(fc.constantFrom("command", "path", "x", "y", "__proto__")),
    }),
    fc.object({ maxDepth: 2 }),
  ),
})).schema;
const tool = fc.record({
  name: fc.constantFrom("Bash", "bash", "Read", "Edit", "Grep", "anything", "web_search", "odd tool"),
  input_schema: schema,
});
const request = fc.record(
  {
    model: fc.constant("m"),
    max_tokens: fc.nat(),
    messages: fc.array(message, { maxLength: 8 }),
    system: fc.oneof(text, fc.array(block, { maxLength: 2 })),
    tools: fc.array(tool, { maxLength: 4 }),
    tool_choice: fc.oneof(
      fc.record({
        type: fc.constantFrom("auto", "any", "none", "tool"),
        name: fc.constantFrom("Bash", "nothing"),
      }),
      fc.object(),
    ),
    metadata: fc.oneof(fc.record({ user_id: fc.string() }), fc.jsonValue()),
  },
  { requiredKeys: ["model", "max_tokens", "messages"] },
);

it("players never throw, and what they say is valid: unique ids, offered tools", () => {
  const memories = new Map<Player, unknown>();
  fc.assert(
    fc.property(
      request,
      fc.constantFrom<PlayerPrompt["kind"]>("message", "compaction"),
      fc.nat(players.length - 1),
      (body, kind, index) => {
        const player = players[index];
        if (player === undefined) return;
        const wire = body as unknown as ModelRequest;
        const asked = { ...promptOf(wire, memories.size), kind };
        const before = JSON.stringify(wire);
        const { answer, memory } = player.answer(asked, memories.get(player));
        // The same question with the same memory: the same answer.
        expect(player.answer(asked, memories.get(player)).answer).toEqual(answer);
        expect(JSON.stringify(wire)).toBe(before);
        memories.set(player, memory);

        const offered = new Set((wire.tools ?? []).map(({ name }) => name));
        const ids = new Set<string>();
        for (const block of answer.content) {
          expect(["text", "thinking", "tool_use"]).toContain(block.type);
          if (block.type === "text") expect(typeof block.text).toBe("string");
          if (block.type !== "tool_use") continue;
          expect(offered).toContain(block.name);
          expect(typeof block.input).toBe("object");
          if (block.id === undefined) continue;
          expect(block.id).toMatch(/^[a-zA-Z0-9_-]+$/);
          expect(ids).not.toContain(block.id);
          ids.add(block.id);
        }
        if (wire.tool_choice?.["type"] === "none")
          expect(answer.content.every(({ type }) => type !== "tool_use")).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});
