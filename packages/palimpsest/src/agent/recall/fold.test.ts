import { describe, expect, it } from "vitest";
import { fold, formsOf, ODD_FORMS } from "./fold.js";

describe("formsOf", () => {
  it("knows every character that folds to one whose forms it tells", () => {
    const missed: string[] = [];
    for (let code = 0x20; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      for (const folded of fold(character)) {
        const forms = formsOf(folded);
        if (forms === undefined || forms.includes(character)) continue;
        if (ODD_FORMS[folded] !== character) missed.push(`${character} -> ${folded}`);
      }
    }
    expect(missed).toEqual([]);
  });

  it("gives forms of equal length in bytes, and none for what JSON escapes", () => {
    expect(formsOf("a")).toEqual(["a", "A"]);
    expect(formsOf("ж")).toEqual(["ж", "Ж"]);
    expect(formsOf("7")).toEqual(["7", "7"]);
    expect(formsOf("漢")).toEqual(["漢", "漢"]);
    for (const character of ['"', "\\", "/", "\n", "\u001b", "ß", "\ud800"])
      expect(formsOf(character)).toBeUndefined();
  });
});

describe("fold", () => {
  it("takes the sigma at the end of a word for any other", () => {
    expect(fold("ΟΔΟΣ")).toBe(fold("οδος"));
    expect(fold("ΟΔΟΣ")).toBe("οδοσ");
  });
});
