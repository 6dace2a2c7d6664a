import { readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** The words of what is called, the first one first: `it.each([…])` and `it.each` are `it`, `each`. */
function wordsOf(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  if (callee.type === "Identifier") return [String(callee["name"])];
  if (callee.type === "MemberExpression") {
    const object = wordsOf(callee["object"]);
    return object.length === 0 ? [] : [...object, ...wordsOf(callee["property"])];
  }
  return wordsOf(callee["callee"] ?? callee["tag"] ?? callee["expression"]);
}

/** A text that stands there as it is: a string, or a template without expressions. */
function literalOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "Literal") return typeof value["value"] === "string" ? value["value"] : undefined;
  if (value.type !== "TemplateLiteral") return undefined;
  const quasis = value["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

const makesTests = new Set(["it", "test", "describe"]);
const neverRun = new Set(["skip", "todo"]);

const wordsCalled = (node: Node): readonly string[] =>
  node.type === "CallExpression" ? wordsOf(node["callee"]) : [];

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
  } else if (isNode(value)) {
    const words = wordsCalled(value);
    const isOfTests = makesTests.has(words[0] ?? "");
    if (isOfTests && words.some((word) => neverRun.has(word))) return;
    const title = isOfTests ? literalOf((value["arguments"] as readonly unknown[])[0]) : undefined;
    if (title !== undefined) found.add(title);
    for (const field of Object.values(value)) collect(field, found);
  }
}

/** Titles of the tests and groups in a file, as they are written there; not of those that never run. */
export function titlesIn(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  collect(parseAst(readFileSync(file, "utf8"), { lang: "ts" }), found);
  return found;
}
