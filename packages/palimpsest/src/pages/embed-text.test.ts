import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../testing/check-property.js";
import { embedJson, escapeHtml } from "./embed-text.js";

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "</script>",
        "<!--",
        "<script",
        "]]>",
        "&lt;",
        "\u2028",
        "\u2029",
        "\\u003c",
        "\\",
        '"',
        "'",
      ),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\ud800", "\udc00", "\u0000", "\r\n"),
    ),
  )
  .map((pieces) => pieces.join(""));

describe("embedJson", () => {
  it("gives back what went in, and no tag, comment or entity can begin in it", () => {
    checkProperty("embedded JSON", fc.dictionary(hostile, fc.array(hostile)), (value) => {
      const embedded = embedJson(value);
      expect(embedded).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(embedded)).toEqual(JSON.parse(JSON.stringify(value)));
    });
  });

  it("leaves everything else as it is", () => {
    expect(embedJson({ a: [1, "ä €", null] })).toBe('{"a":[1,"ä €",null]}');
    expect(embedJson("</script>")).toBe('"\\u003c/script\\u003e"');
  });
});

describe("escapeHtml", () => {
  it("leaves nothing that ends a text or a quoted attribute", () => {
    checkProperty("escaped text", hostile, (text) => {
      expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
    });
    expect(escapeHtml(`<a href="x">'&amp;`)).toBe("&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;");
  });
});
