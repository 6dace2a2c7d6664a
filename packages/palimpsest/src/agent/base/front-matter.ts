import { isFields, type Fields } from "./fields.js";

export interface FrontMatter {
  /** The fields between the two lines of dashes; none where there are no such lines. */
  readonly fields: Fields;
  /** What stands after them. */
  readonly body: string;
}

/** Of the lines between the dashes: nobody writes more, and YAML is slow to read. */
const MAX_CHARACTERS = 16_000;
const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /^(?:---|\.\.\.)[ \t]*\r?$/m;

/**
 * A text in Markdown without its front matter, and that. Plain `key: value` lines are read as people mean them,
 * `description: Use this: when` included; anything else is YAML, and where it is none, lines again. Never rejects.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const [head] = opening.exec(text) ?? [];
  if (head === undefined) return { fields: {}, body: text.replace(/^\uFEFF/, "") };
  const rest = text.slice(head.length);
  const end = closing.exec(rest.slice(0, MAX_CHARACTERS));
  if (end === null) return { fields: {}, body: text };
  const inside = rest.slice(0, end.index);
  const body = rest.slice(end.index + end[0].length).replace(/^\r?\n/, "");
  return { fields: plainFields(inside) ?? (await yamlFields(inside)) ?? looseFields(inside), body };
}

const key = /^([A-Za-z_][\w-]*)[ \t]*:/;

/** A line as a key and a value; undefined for any other. */
function readRow(row: string): { readonly key: string; readonly value: string } | undefined {
  const [head, name] = key.exec(row) ?? [];
  if (head === undefined || name === undefined) return undefined;
  const rest = row.slice(head.length);
  // `key:value` is none.
  return /^(?:[ \t\r]|$)/.test(rest) ? { key: name, value: rest.trim() } : undefined;
}

/** Undefined as soon as a line is more than a key and a plain value. */
function plainFields(text: string): Fields | undefined {
  const fields: [string, unknown][] = [];
  for (const row of text.split("\n")) {
    if (row.trim() === "" || row.startsWith("#")) continue;
    const { key, value = "" } = readRow(row) ?? {};
    if (key === undefined || value === "" || /^[[{"'|>&*!%@`#-]|\s#/.test(value)) return undefined;
    fields.push([key, scalar(value)]);
  }
  return Object.fromEntries(fields);
}

const scalar = (value: string): unknown =>
  /^(?:true|false)$/i.test(value) ? value.toLowerCase() === "true" : value === "null" ? null : value;

async function yamlFields(text: string): Promise<Fields | undefined> {
  try {
    const { parse } = await import("yaml");
    const parsed: unknown = parse(text, { logLevel: "error", maxAliasCount: 20 });
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Lines with a key, the indented ones after them added; quotes around a whole value taken off. */
function looseFields(text: string): Fields {
  const fields = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const row of text.split("\n")) {
    const read = readRow(row);
    if (read !== undefined) {
      last = [read.value.replace(/^(["'])(.*)\1$/, "$2")];
      fields.set(read.key, last);
    } else if (/^\s+\S/.test(row)) last?.push(row.trim());
  }
  return Object.fromEntries(Array.from(fields, ([key, parts]) => [key, scalar(parts.join(" ").trim())]));
}

/** A list, or a text with commas; undefined where nothing of the kind stands. */
export function textList(value: unknown): readonly string[] | undefined {
  const items: unknown = typeof value === "string" ? splitOutside(value) : value;
  if (!Array.isArray(items)) return undefined;
  return items
    .filter((item) => typeof item === "string")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Commas in brackets of any kind do not part. */
function splitOutside(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
