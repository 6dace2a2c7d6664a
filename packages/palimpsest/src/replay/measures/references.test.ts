import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { extractReferences, type Reference } from "./references.js";

const flat = (references: readonly Reference[]): readonly string[] =>
  references.map(({ kind, text }) => `${kind} ${text}`);
const of = (input: unknown): readonly string[] => flat(extractReferences(input));

describe("paths", () => {
  it.each([
    ["/home/ann/src/a.ts", ["path /home/ann/src/a.ts"]],
    ["cat src/a-b/c_d.test.ts:42", ["path src/a-b/c_d.test.ts"]],
    ["see package.json.", ["path package.json"]],
    ["from ../lib/foo.js or ./bar/baz", ["path lib/foo.js", "path bar/baz"]],
    ["ls ~/.config/tool/", ["path /.config/tool"]],
    ["curl https://example.com/a?b=c1d2#e, then", ["path https://example.com/a?b=c1d2#e"]],
    ["D:\\work\\main\\x.go", ["path D:\\work\\main\\x.go"]],
    ["D:/work/main", ["path D:/work/main"]],
    ["import @scope/name", ["path @scope/name"]],
    ["/home/jürgen/größe.ts", ["path /home/jürgen/größe.ts"]],
    ["12→src/a.ts", ["path src/a.ts"]],
  ])("%s", (text, expected) => expect(of({ text })).toEqual(expected));

  it.each(["</div>", "// comment", "1/2", "a/b", "rows.map(x)", "this.value", "*.d.ts", "/", "...", "n/a"])(
    "none in %s",
    (text) => expect(of(text)).toEqual([]),
  );
});

describe("identifiers and numbers", () => {
  it.each([
    ["call readFile and max_tokens", ["identifier readFile", "identifier max_tokens"]],
    ["utf8 h264 a1b2c3d", ["identifier utf8", "identifier h264", "identifier a1b2c3d"]],
    ["id 019ed99c-d00d-7613-b2e7-d2f512f78afd", ["identifier 019ed99c-d00d-7613-b2e7-d2f512f78afd"]],
    ["使用fooBar函数", ["identifier fooBar"]],
    [
      "port 8080, 3.14, v1.20.3, 127.0.0.1",
      ["number 8080", "number 3.14", "number v1.20.3", "number 127.0.0.1"],
    ],
  ])("%s", (text, expected) => expect(of(text)).toEqual(expected));

  it.each(["The word Hello, TODO and README", "aB1", "42", "0.5", "____", "größeWert", "v"])(
    "none in %s",
    (text) => expect(of(text)).toEqual([]),
  );

  it("takes numbers that are no strings, at any depth, and not the names of fields", () =>
    expect(of({ line_number: 1200, deep: [{ fileName: [6.022] }], no: null, yes: true })).toEqual([
      "number 1200",
      "number 6.022",
    ]));
});

describe("quoted strings", () => {
  it.each([
    [`grep "no such file" x`, ["quoted no such file"]],
    ["run `npm test` or 'npm ci'", ["quoted npm test", "quoted npm ci"]],
    [`echo "  (hello there)!"`, ["quoted hello there"]],
    [`"{\\"key\\": \\"some words\\"}"`, [`quoted key\\": \\"some words`]],
    [`\\"some words\\" and \\"more words\\"`, ["quoted some words", "quoted more words"]],
    [`"你好世界"`, ["quoted 你好世界"]],
    [`"one\ntwo"`, []],
    [`"ab" "---" '...'`, []],
    ["it's what they're saying, isn't it", []],
    [`"${"long ".repeat(20)}" and "short one"`, ["quoted short one"]],
  ])("%s", (text, expected) => expect(of(text)).toEqual(expected));

  it("is the path that it holds", () => expect(of(`open("/src/a.ts")`)).toEqual(["path /src/a.ts"]));

  it("has what lies inside it as its parts", () => {
    const references = extractReferences(`grep "class FooBar in src/a.ts" .`);
    expect(flat(references)).toEqual(["quoted class FooBar in src/a.ts"]);
    expect(flat(references[0]?.parts ?? [])).toEqual(["identifier FooBar", "path src/a.ts"]);
  });

  it("keeps the first of two that cross", () => expect(of(`'one "two' three"`)).toEqual([`quoted one "two`]));
});

it("lists a text once, and what lies inside a path not beside it", () =>
  expect(of(["src/fooBar/my_file.ts", "src/fooBar/my_file.ts"])).toEqual(["path src/fooBar/my_file.ts"]));

it("reads decoded strings: an escaped newline ends a line", () => {
  const input: unknown = JSON.parse(String.raw`{"command": "echo \"first line\"\nsrc/b.ts"}`);
  expect(of(input)).toEqual(["quoted first line", "path src/b.ts"]);
});

it("never throws, and finds only what stands in the input", () => {
  const piece = fc.constantFrom(
    ...'/ . .. " \' ` \\ \\" \n a aB a_b 123 4.5 é 你好 😀 \ud800 C:\\ :// - ~ @ src/ .ts ( < *'.split(" "),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    fc.string(),
  );
  checkProperty(
    "references",
    fc.oneof(
      text,
      fc.json().map((json): unknown => JSON.parse(json)),
    ),
    (input) => {
      const all = (references: readonly Reference[]): readonly Reference[] =>
        references.flatMap((reference) => [reference, ...all(reference.parts ?? [])]);
      for (const reference of all(extractReferences(input))) {
        expect(reference.text.length).toBeGreaterThan(2);
        if (typeof input === "string") expect(input).toContain(reference.text);
      }
    },
  );
});

it("bears a value that holds itself", () => {
  const input: Record<string, unknown> = { path: "src/a.ts" };
  input["self"] = input;
  expect(of(input)).toEqual(["path src/a.ts"]);
});

it.each(["'", '"', " 'a", '\\"', '\\" "', "/", "a/", "../", "a.b", "1.", "aB ", "C:\\", "http://", "-", "x"])(
  "finds next to nothing in two million characters of %s",
  (piece) => {
    // Looking back at every character would take minutes.
    const text = piece.repeat(2_000_000 / piece.length);
    expect(extractReferences({ text }).length).toBeLessThanOrEqual(1);
  },
);
