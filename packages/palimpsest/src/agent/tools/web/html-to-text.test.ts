import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../../../testing/check-property.js";
import { htmlToText } from "./html-to-text.js";

const read = (html: string): string => htmlToText(html, "https://example.com/docs/page");

describe("a page", () => {
  it("is read as a person would read it", () => {
    const html = `<!doctype html><html><head><title>The &amp; title</title><style>p{}</style>
      <script>if (a < b) alert("</p>")</script></head><body><!-- <p>not this</p> -->
      <h1>Heading <em>one</em></h1><p>First
      paragraph with <b>bold</b> text&nbsp;&#8212;&#x263A; and a <a href="../other?a=1&amp;b=(2)">link</a>.</p>
      <ul><li>one<ul><li><p>inner</p></li></ul></li><li></li><li>two</li></ul>
      <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
      <pre>x  =  1
  y</pre>line<br>break<img src=x alt="a picture"><svg><title>no</title><text>no</text></svg></body></html>`;
    expect(read(html)).toBe(
      `The & title

# Heading one

First paragraph with bold text —☺ and a [link](https://example.com/other?a=1&b=%282%29).

- one
  - inner
- two

a | b
1 | 2

x  =  1
  y

line
break[image: a picture]`,
    );
  });

  it("keeps no address that cannot be fetched", () => {
    expect(
      read(`<a href="javascript:alert(1)">a</a> <a href="#x">b</a> <a href="data:x">c</a> <a>d</a>`),
    ).toBe("a b c d");
    expect(read(`<a href=/x>one<a href='/y'>two</a> <a href="/z"></a>three`)).toBe(
      "[one](https://example.com/x)[two](https://example.com/y) three",
    );
  });

  it("may be broken", () => {
    expect(read("a < b && c > d")).toBe("a < b && c > d");
    expect(read("text<p title='")).toBe("text");
    expect(read("text<!-- never closed")).toBe("text");
    expect(read("text<script>never closed")).toBe("text");
    expect(read("&#0;&#xd800;&#9999999;&unknown;&amp")).toBe("\ufffd\ufffd\ufffd&unknown;&");
    expect(read(`<p don't>it's</p><p a="x>y">z</p>`)).toBe("it's\n\nz");
    expect(read("</ul></li></a></pre>x")).toBe("x");
    expect(read("<SCRIPT>x</ScRiPt >y")).toBe("y");
  });

  it("never throws, and lets no script through", () => {
    const piece = fc.constantFrom(
      ..."<script>|</script>|<a href='|'>|</a>|<p|>|<!--|-->|<pre>|</pre>|<li>|&amp;|&#|x|\"|=|<td>| |\n|<title>|</title>|<".split(
        "|",
      ),
    );
    checkProperty("html", fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(typeof read(pieces.join(""))).toBe("string");
      expect(read(`<script>evil()</script>${pieces.join("")}`)).not.toContain("evil");
    });
  });

  it.each([
    "<",
    "<a ",
    "<a href='",
    '<a href="x" href=" ',
    "<!--",
    "<script>",
    "<script></script",
    "</",
    "<title>",
    "&",
    "&#",
    " ",
    "<pre> ",
    "<pre>\n",
    "<ul><li>",
    "<a href=x>",
    "<td>",
    "= '",
    "<p =\"'",
    // Looking back at every character would take minutes.
  ])("of nothing but %j without end is read, and becomes no longer", (piece) => {
    const page = piece.repeat(Math.ceil(1_000_000 / piece.length));
    expect(read(page).length).toBeLessThanOrEqual(page.length);
  });
});
