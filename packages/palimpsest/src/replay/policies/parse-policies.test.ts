import { describe, expect, it } from "vitest";
import { parsePolicies, policyNames, PolicyError } from "./parse-policies.js";

const names = (text: string): readonly string[] => parsePolicies(text).map(({ name }) => name);

describe("parsePolicies", () => {
  it("knows every policy by its name", () => {
    expect(names(policyNames.join(","))).toEqual([
      "palimpsest",
      "none",
      "truncate",
      "mask",
      "clear-tool-uses",
      "summarise-all",
      "classic",
      "pi",
      "codex",
      "as-recorded",
      "cheat-lines",
      "cheat-paths",
    ]);
  });

  it("takes options, and names a policy as it was written", () => {
    expect(names(" mask(keep=20;batch=10) , mask, truncate( at = 0.5 )")).toEqual([
      "mask(keep=20;batch=10)",
      "mask",
      "truncate( at = 0.5 )",
    ]);
    const [mask, halved, cleared] = parsePolicies(
      "mask(keep=20;batch=10),summarise-all(at=0.5),clear-tool-uses(at=50000;keep=5;least=1000)",
    );
    expect(mask?.description).toBe("keeps the newest 20 tool results, whenever 10 more have come");
    expect(halved?.description).toContain("50%");
    expect(cleared?.description).toBe("the API clears all but 5 results beyond 50000 tokens");
    expect(names("none()")).toEqual(["none()"]);
  });

  it("takes settings of the engine, which win over the environment", () => {
    expect(names("palimpsest(keepRecentTokens=20000)")).toEqual(["palimpsest(keepRecentTokens=20000)"]);
    const env = { PALIMPSEST_KEEP_RECENT_TOKENS: "nonsense", OTHER: "x" };
    expect(parsePolicies("palimpsest(keepRecentTokens=20000)", env)).toHaveLength(1);
  });

  it.each([
    ["", '"" is not a policy: write a name, or name(option=value;option=value)'],
    ["none,", '"" is not a policy: write a name, or name(option=value;option=value)'],
    ["none none", '"none none" is not a policy: write a name, or name(option=value;option=value)'],
    ["mask(keep=1", '"mask(keep=1" is not a policy: write a name, or name(option=value;option=value)'],
    [
      "nothing",
      'there is no policy "nothing" (known are palimpsest, none, truncate, mask, clear-tool-uses, summarise-all, classic, pi, codex, as-recorded, cheat-lines, cheat-paths)',
    ],
    ["constructor", 'there is no policy "constructor"'],
    ["none,none", 'the policy "none" is named twice'],
    ["mask(keep)", 'mask: "keep" is not option=value'],
    ["mask(keep=)", 'mask: "keep=" is not option=value'],
    ["mask(keep=3;)", 'mask: "" is not option=value'],
    ["mask(at=1)", 'mask has no option "at" (keep, batch)'],
    ["mask(constructor=1)", 'mask has no option "constructor" (keep, batch)'],
    ["none(at=1)", 'none has no option "at" (it has none)'],
    ["mask(keep=0)", 'mask: keep cannot be "0": a whole number, 1 or more is expected'],
    ["mask(keep=1.5)", 'mask: keep cannot be "1.5": a whole number, 1 or more is expected'],
    ["mask(keep=many)", 'mask: keep cannot be "many": a whole number, 1 or more is expected'],
    ["mask(keep=1e999)", 'mask: keep cannot be "1e999": a whole number, 1 or more is expected'],
    ["truncate(at=0)", 'truncate: at cannot be "0": a number above 0, at most 1 is expected'],
    ["truncate(at=1.1)", 'truncate: at cannot be "1.1": a number above 0, at most 1 is expected'],
    ["truncate(at=NaN)", 'truncate: at cannot be "NaN": a number above 0, at most 1 is expected'],
    ["palimpsest(nothing=1)", 'palimpsest has no setting "nothing" (see docs/settings.md)'],
    ["palimpsest(__proto__=1)", 'palimpsest has no setting "__proto__" (see docs/settings.md)'],
    ["palimpsest(keepRecentTokens=some)", 'palimpsest: keepRecentTokens cannot be "some": '],
  ])("%s", (text, message) => {
    expect(() => parsePolicies(text)).toThrow(PolicyError);
    expect(() => parsePolicies(text)).toThrow(message);
  });
});
