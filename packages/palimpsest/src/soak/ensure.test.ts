import { expect, it } from "vitest";
import { ensure, ensureSame } from "./ensure.js";

it("ensure throws what it is told, and asks for it only then", () => {
  expect(() => ensure(false, "broken")).toThrow(/^broken$/);
  expect(() => ensure(false, () => "broken")).toThrow(/^broken$/);
  ensure(true, () => {
    throw new Error("asked");
  });
});

it("ensureSame says where two values begin to differ", () => {
  ensureSame({ a: [1, { b: "x" }] }, { a: [1, { b: "x" }] }, "nothing");
  expect(() => ensureSame([1], [1, 2], "the list")).toThrow(/^the list: \[1\] instead of \[1,2\]$/);
  expect(() => ensureSame(undefined, [], "the list")).toThrow(/^the list: undefined instead of \[\]$/);
  const same = "x".repeat(10_000);
  const thrown = (): void => ensureSame(`${same}a${same}`, `${same}b`, "the text");
  expect(thrown).toThrow(/^the text: …x{40}ax{359}… instead of …x{40}b"$/);
});
