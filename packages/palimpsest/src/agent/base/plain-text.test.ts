import fc from "fast-check";
import { expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { capPlain, isPlain, oneLine, plainText } from "./plain-text.js";

it("takes out what steers a terminal and mends halves of characters", () => {
  expect(plainText("a\u001b[31;1mred\u001b[0m \u001b]0;title\u0007b\u001b]8;;http://x\u001b\\c")).toBe(
    "ared bc",
  );
  expect(plainText("line\r\nnext\tcell\u0000\u0008\u007f\u0085\u009b")).toBe("line\nnext\tcell");
  expect(plainText("\ud83d\ude00 \ud83d \ude00")).toBe("\ud83d\ude00 \uFFFD \uFFFD");
  expect(capPlain("a\ud83d\ude00b", 2)).toBe("a […]");
  expect(oneLine(" a\n\n b\tc ", 10)).toBe("a b c");
});

it("leaves nothing to take out", () => {
  checkProperty("plain text", fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    const plain = plainText(text);
    expect(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}/u.test(plain)).toBe(false);
    expect(isPlain(plain)).toBe(true);
  });
});
