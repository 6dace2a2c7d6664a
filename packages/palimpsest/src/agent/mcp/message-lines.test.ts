import { expect, it } from "vitest";
import { createMessageLines } from "./message-lines.js";

it("cuts bytes into lines wherever they were cut before", () => {
  const bytes = Buffer.from("one\n\ntwo é\r\nthree");
  for (let at = 0; at <= bytes.length; at += 1) {
    const lines = createMessageLines(100);
    const found = [...lines.add(bytes.subarray(0, at)), ...lines.add(bytes.subarray(at))];
    expect(found).toEqual(["one", "", "two é\r"]);
  }
});

it("refuses a line that is too long, and nothing else", () => {
  const lines = createMessageLines(5);
  expect(lines.add(Buffer.from("12345\n12345\n123"))).toEqual(["12345", "12345"]);
  expect(() => lines.add(Buffer.from("456"))).toThrow("more than 5 bytes");
});
