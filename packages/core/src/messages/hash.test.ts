import fc from "fast-check";
import { expect, it } from "vitest";
import { hashMessage, hashValue } from "./hash.js";

it("is the same in every process", () => {
  expect(hashValue({ role: "user", content: [{ type: "text", text: "hello" }] })).toMatchInlineSnapshot(
    `"aef63bd33c9f1fd3"`,
  );
});

it("equal JSON has equal hashes, different JSON different ones", () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      const hash = hashValue(value);
      expect(hashValue(JSON.parse(json))).toBe(hash);
      expect(seen.get(hash) ?? json).toBe(json);
      seen.set(hash, json);
    }),
    { numRuns: 20_000 },
  );
});

it("key order counts, undefined does not", () => {
  expect(hashValue({ a: 1, b: 2 })).not.toBe(hashValue({ b: 2, a: 1 }));
  expect(hashValue({ a: 1, b: undefined })).toBe(hashValue({ a: 1 }));
});

it("neighbours cannot trade characters", () => {
  expect(hashValue(["ab", "c"])).not.toBe(hashValue(["a", "bc"]));
  expect(hashValue([[], 1])).not.toBe(hashValue([[1]]));
  expect(hashValue("1")).not.toBe(hashValue(1));
});

it("hashes an object once", () => {
  let reads = 0;
  const message = {
    get text() {
      reads += 1;
      return "x";
    },
  };
  expect(hashMessage(message)).toBe(hashMessage(message));
  expect(reads).toBe(1);
});
