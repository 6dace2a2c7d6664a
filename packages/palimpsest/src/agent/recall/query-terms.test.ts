import { describe, expect, it } from "vitest";
import { queryTerms } from "./query-terms.js";

const termsOf = (query: string): readonly string[] | undefined => queryTerms(query)?.terms;

describe("queryTerms", () => {
  it("takes words and quoted phrases, without case and each once", () => {
    expect(termsOf('Port  "Connection Refused" port 80')).toEqual(["port", "connection refused", "80"]);
  });

  it("takes every other character as it is", () => {
    expect(termsOf("a.*b [x] (y|z) $1 c:\\dir")).toEqual(["a.*b", "[x]", "(y|z)", "$1", "c:\\dir"]);
    expect(termsOf('un"balanced')).toEqual(['un"balanced']);
  });

  it("finds nothing to look for in punctuation alone", () => {
    for (const query of ["", "  ", '"', '""', "???", "!!! ---", '"..." /', "\\\\", "\u0000"])
      expect(queryTerms(query)).toBeUndefined();
    expect(termsOf("🦊")).toEqual(["🦊"]);
  });
});
