import fc from "fast-check";
import { expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { findProblems } from "@palimpsest/core/validity";
import { acceptableSchema } from "./tool-schema.js";

it("keeps a schema that is in order", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string", enum: ["Rome", "Oslo"], description: "Which one" },
      days: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 7 },
      where: { anyOf: [{ $ref: "#/$defs/point" }, { type: "null" }] },
    },
    required: ["city"],
    $defs: { point: { type: "object", properties: { x: { type: "number" } } } },
    additionalProperties: false,
  };
  expect(acceptableSchema({ $schema: "http://json-schema.org/draft-07/schema#", ...schema })).toEqual({
    schema,
    isReduced: false,
  });
});

it("says by properties what stands in references and alternatives at the top", () => {
  const { schema } = acceptableSchema({
    $ref: "#/$defs/base",
    allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }],
    anyOf: [
      { properties: { b: { type: "string" }, k: {} }, required: ["b", "k"] },
      { properties: { c: {} }, required: ["k"] },
    ],
    $defs: { base: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
  });
  expect(schema).toMatchObject({ type: "object", required: ["id", "a", "k"] });
  expect(Object.keys(schema["properties"] as object).toSorted()).toEqual(["a", "b", "c", "id", "k"]);
  expect(schema).not.toHaveProperty("$ref");
  expect(schema).not.toHaveProperty("anyOf");
});

it("mends older drafts and drops what no draft knows", () => {
  const { schema } = acceptableSchema({
    type: "object",
    properties: {
      pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      size: { type: "number", minimum: 0, exclusiveMinimum: true, required: true },
      word: { type: ["string", "any"], pattern: "(", minLength: -1 },
      far: { $ref: "https://example.com/x.json" },
    },
  });
  expect(schema["properties"]).toEqual({
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    size: { type: "number", minimum: 0 },
    word: { type: ["string"] },
    far: {},
  });
});

it("shows a schema that is too large without its texts, or not at all", () => {
  const properties = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string", description: "d".repeat(500) }]),
    );
  const texts = acceptableSchema({ type: "object", properties: properties(100) });
  expect(texts.isReduced).toBe(true);
  expect(Object.keys(texts.schema["properties"] as object)).toHaveLength(100);
  expect(acceptableSchema({ type: "object", properties: properties(3000) })).toEqual({
    schema: { type: "object" },
    isReduced: true,
  });
});

it("makes something that a provider takes of anything, and leaves it alone the second time", () => {
  const keywords =
    "type properties required items anyOf allOf oneOf $ref $defs enum const default pattern minimum not \u001b[0m";
  const keyword = fc.constantFrom(...keywords.split(" "));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), tie("schema"), fc.array(tie("tree"), { maxLength: 3 })),
    schema: fc.dictionary(keyword, tie("tree"), { maxKeys: 5 }),
  }));
  checkProperty("tool schemas", tree, (given) => {
    const { schema } = acceptableSchema(given);
    const problems = findProblems({
      model: "claude-sonnet-5-5",
      max_tokens: 10,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools: [{ name: "t", input_schema: schema }],
    });
    expect(problems).toEqual([]);
    for (const key of ["anyOf", "oneOf", "allOf", "$ref"]) expect(schema).not.toHaveProperty([key]);
    expect(acceptableSchema(schema).schema).toEqual(schema);
  });
});

it("does not fall over what is nested without end", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 20_000; level += 1) deep = { properties: { a: deep }, default: [deep] };
  expect(JSON.stringify(acceptableSchema(deep).schema).length).toBeLessThan(20_000);
});
