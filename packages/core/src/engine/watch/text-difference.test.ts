import fc from "fast-check";
import { expect, it } from "vitest";
import { clipToBytes, findTextDifference } from "./text-difference.js";

it("shows what differs and a little around it", () => {
  const long = "x".repeat(500);
  expect(findTextDifference("Today is Monday.", "Today is Tuesday.", 1000)).toEqual({
    at: 9,
    before: "Today is Monday.",
    now: "Today is Tuesday.",
  });
  const { at, before, now } = findTextDifference(`${long}a${long}`, `${long}bb${long}`, 1000);
  expect(at).toBe(500);
  expect(before).toBe(`…${"x".repeat(160)}a${"x".repeat(160)}…`);
  expect(now).toBe(`…${"x".repeat(160)}bb${"x".repeat(160)}…`);
  expect(findTextDifference("", long, 100).now).toBe(`${"x".repeat(100)}…`);
});

it("cuts no character apart, and never takes more bytes than allowed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(60), (text, most) => {
      const clipped = clipToBytes(text, most);
      expect(text.startsWith(clipped)).toBe(true);
      expect(new TextEncoder().encode(clipped).length).toBeLessThanOrEqual(most);
      const [next] = Array.from(text.slice(clipped.length));
      if (next !== undefined) {
        expect(new TextEncoder().encode(clipped + next).length).toBeGreaterThan(most);
      }
    }),
  );
});
