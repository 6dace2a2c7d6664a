import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkInput } from "./check-input.js";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});

describe("checkInput", () => {
  it.each([
    ["string", "a", 1],
    ["number", 1.5, "1"],
    ["integer", 1, 1.5],
    ["boolean", false, "false"],
    ["array", [], {}],
    ["object", {}, []],
    ["null", null, 0],
  ])("knows the type %s", (type, good, bad) => {
    expect(checkInput({ value: good }, object({ value: { type } }))).toBeUndefined();
    expect(checkInput({ value: bad }, object({ value: { type } }))).toMatch(
      `value must be ${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`,
    );
  });

  it.each([
    [{ enum: ["a", "b"] }, "a", "c", 'value must be one of "a", "b"'],
    [{ minimum: 1 }, 1, 0, "value must be 1 or more"],
    [{ maximum: 5 }, 5, 6, "value must be 5 or less"],
    [{ minLength: 1 }, "a", "", "value must not be empty"],
    [{ minItems: 1 }, [1], [], "value needs 1 or more"],
    [{ maxItems: 1 }, [1], [1, 2], "value takes 1 at most"],
    [{ items: { type: "string" } }, ["a"], ["a", 2], "value[1] must be a string"],
  ])("knows %j", (schema, good, bad, problem) => {
    expect(checkInput({ value: good }, object({ value: schema }))).toBeUndefined();
    expect(checkInput({ value: bad }, object({ value: schema }))).toContain(problem);
  });

  it("knows what is missing and what is too much, however deep", () => {
    const schema = object({
      list: { type: "array", items: object({ a: { type: "string" } }, { required: ["a"] }) },
    });
    expect(checkInput({ list: [{ a: "x" }] }, schema)).toBeUndefined();
    expect(checkInput({ list: [{}] }, schema)).toContain("list[0].a is missing");
    expect(checkInput({ list: [{ a: "x", b: 1 }] }, schema)).toContain('no field "list[0].b"');
    expect(checkInput({ extra: 1 }, { ...schema, additionalProperties: true })).toBeUndefined();
  });

  it("names a few problems and not all of them", () => {
    const input = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, at]));
    expect((checkInput(input, object({})) ?? "").length).toBeLessThan(600);
    expect((checkInput({ ["x".repeat(100_000)]: 1 }, object({})) ?? "").length).toBeLessThan(300);
  });

  it("is not fooled by names that every object has", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const input: unknown = JSON.parse(`{${JSON.stringify(name)}: 1}`);
      expect(checkInput(input, object({}))).toContain("there is no field");
      expect(checkInput({}, object({}, { required: [name] }))).toContain("is missing");
    }
  });

  it("never throws, whatever the input", () => {
    const schema = object(
      { a: { type: "array", items: { type: "integer", minimum: 0 } }, b: { enum: [1] } },
      { required: ["a"] },
    );
    fc.assert(
      fc.property(fc.anything(), (input) => {
        const said = checkInput(input, schema);
        expect(said === undefined || typeof said === "string").toBe(true);
      }),
    );
  });

  it("takes any input where there is no schema", () => {
    for (const schema of [undefined, null, 1, []]) expect(checkInput({ a: 1 }, schema)).toBeUndefined();
  });
});
