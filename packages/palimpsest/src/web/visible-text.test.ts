import { expect, it } from "vitest";
import { visibleLine, visibleText } from "./visible-text.js";

it("shows what moves, hides or reorders characters", () => {
  expect(visibleText("a\u001b[31mb\u202ec\u200bd\u0000\u007f\ufeff")).toBe(
    "a␛[31mb⟨U+202E⟩c⟨U+200B⟩d␀␡⟨U+FEFF⟩",
  );
  expect(visibleText("lone \ud800 and tag \u{e0041}")).toBe("lone ⟨U+D800⟩ and tag ⟨U+E0041⟩");
});

it("leaves texts of people as they are", () => {
  const text = "Grüße, 漢字 \u{1f600} \u2764\ufe0f \u{1f469}\u{1f3fd}\u200d\u{1f4bb}\n\tשלום, e\u0301";
  expect(visibleText(text)).toBe(text);
});

it("is one line where one is wanted", () => {
  expect(visibleLine("a\r\nb\tc    d\r")).toBe("a ↵ b ⇥ c d␍");
});
