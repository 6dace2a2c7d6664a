import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { createBoundedOutput } from "./bounded-output.js";

describe("bounded output", () => {
  it("is everything, or both ends and what was dropped between them", () => {
    checkProperty(
      "bounded output",
      fc.tuple(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 60 }), { maxLength: 40 }),
        fc.integer({ min: 2, max: 200 }),
      ),
      ([chunks, maxBytes]) => {
        const output = createBoundedOutput(maxBytes);
        for (const chunk of chunks) output.add(Buffer.from(chunk));
        const whole = chunks.join("");
        if (whole.length <= maxBytes) {
          expect(output.text()).toBe(whole);
          return;
        }
        const head = Math.ceil(maxBytes / 2);
        const tail = maxBytes - head;
        const dropped = (whole.length - maxBytes).toLocaleString("en-US");
        expect(output.text()).toBe(
          `${whole.slice(0, head)}\n[… ${dropped} bytes were too many to keep …]\n${whole.slice(-tail)}`,
        );
      },
    );
  });

  it("cuts no character in two", () => {
    const output = createBoundedOutput(21);
    for (let count = 0; count < 10; count++) output.add(Buffer.from("€🙂"));
    expect(output.text()).not.toContain("\ufffd");
    expect(output.text()).toMatch(/^€🙂/);
    expect(output.text()).toMatch(/🙂$/);
  });

  it("takes chunks of single bytes without growing", () => {
    const output = createBoundedOutput(1000);
    for (let count = 0; count < 100_000; count++) output.add(Buffer.from("x"));
    expect(output.text().length).toBeLessThan(1100);
  });
});
