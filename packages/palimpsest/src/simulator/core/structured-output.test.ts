import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillValue } from "../fill-schema.js";
import { fitsSchema } from "../fits-schema.js";
import { createEchoPlayer } from "../players/echo-player.js";
import { withSummaries } from "../players/summaries-player.js";
import { cannedPlayer, createClient, text, user } from "../testing/client.js";

const verdictSchema = {
  type: "object",
  properties: {
    note: { type: "string" },
    isDone: { type: "boolean" },
    grade: { enum: ["good", "bad"] },
  },
  required: ["note", "isDone", "grade"],
  additionalProperties: false,
};
const format = { type: "json_schema", schema: verdictSchema };
const body = (more: object = { output_config: { format } }) => ({
  model: "claude-opus-5",
  max_tokens: 500,
  messages: [user(text("Is it done?"))],
  ...more,
});
const summaryPrompt =
  "Summarise this conversation in a <summary> element so that the work can go on without it.";

const said = (content: readonly { readonly type: string }[]): string =>
  content.map((block) => ("text" in block ? String(block.text) : "")).join("");

describe("an answer in the format of the caller's", () => {
  it.each([
    ["output_config.format", { output_config: { format } }, undefined],
    ["output_format", { output_format: format }, { betas: ["structured-outputs-2025-11-13"] }],
  ])("is JSON that fits the schema, by %s, whatever the player says", (_name, more, sent) => {
    for (const player of [
      createEchoPlayer(),
      cannedPlayer({ content: [{ type: "text", text: "In plain words." }] }),
    ]) {
      const { content } = createClient({ player }).message(body(more), sent);
      const value: unknown = JSON.parse(said(content));
      expect(fitsSchema(value, verdictSchema)).toBe(true);
    }
  });

  it("is JSON also where a summary is asked for", () => {
    const client = createClient({ player: withSummaries(createEchoPlayer()) });
    const messages = [user(text(summaryPrompt))];
    expect(said(client.message(body({ messages })).content)).toContain("<summary>");
    const value: unknown = JSON.parse(
      said(client.message(body({ messages, output_config: { format } })).content),
    );
    expect(fitsSchema(value, verdictSchema)).toBe(true);
  });

  it("stays to the letter where the player says what fits", () => {
    const json = '{ "note": "yes",  "isDone": true, "grade": "bad" }';
    const player = cannedPlayer({ content: [{ type: "text", text: json }] });
    expect(said(createClient({ player }).message(body()).content)).toBe(json);
  });

  it("leaves calls, refusals and answers without a format alone", () => {
    const call = { type: "tool_use", name: "Read", input: { path: "a" } } as const;
    const player = cannedPlayer(
      { content: [{ type: "text", text: "I look." }, call] },
      { content: [{ type: "text", text: "I can't help with that." }], stopReason: "refusal" },
    );
    const client = createClient({ player });
    const tools = [{ name: "Read", input_schema: { type: "object" } }];
    const called = client.message(body({ tools, output_config: { format } }));
    expect(called.content.map(({ type }) => type)).toEqual(["tool_use"]);
    expect(said(client.message(body()).content)).toBe("I can't help with that.");
    expect(said(client.message(body({ output_config: { effort: "low" } })).content)).toBe("ok");
  });

  it("is cut off at max_tokens like any other", () => {
    const player = cannedPlayer({ content: [{ type: "text", text: "word ".repeat(400) }] });
    const { content, stop_reason } = createClient({ player }).message({ ...body(), max_tokens: 50 });
    expect(stop_reason).toBe("max_tokens");
    expect(() => JSON.parse(said(content)) as unknown).toThrow();
  });
});

const leaf = fc.constantFrom<object>(
  { type: "string" },
  { type: "integer" },
  { type: "number" },
  { type: "boolean" },
  { type: ["string", "null"] },
  { enum: ["a", "b"] },
  { const: 7 },
);
const schema = fc.letrec<{ any: object }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie("any").map((items) => ({ type: "array", items })),
    fc.tuple(tie("any"), tie("any")).map((anyOf) => ({ anyOf })),
    fc.dictionary(fc.constantFrom("note", "path", "list", "__proto__"), tie("any")).map((properties) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
  ),
})).any;

it("fills every schema with something that fits it", () => {
  fc.assert(
    fc.property(schema, (one) => {
      expect(
        fitsSchema(JSON.parse(JSON.stringify(fillValue({ ...one }, { note: "words" }))), { ...one }),
      ).toBe(true);
    }),
  );
});

it.each<[unknown, object]>([
  ["a", { type: "integer" }],
  [1.5, { type: "integer" }],
  [[], { type: "object" }],
  [{}, { type: "object", required: ["a"] }],
  [{ b: 1 }, { type: "object", properties: {}, additionalProperties: false }],
  [{ a: "x" }, { $ref: "#/$defs/one", $defs: { one: { properties: { a: { type: "number" } } } } }],
  ["c", { anyOf: [{ enum: ["a"] }, { const: "b" }] }],
  [1, { $ref: "#" }],
])("%j does not fit %j", (value, one) => {
  expect(fitsSchema(value, { ...one })).toBe(false);
});
