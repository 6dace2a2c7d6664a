import { jsonTexts } from "./json-texts.js";
import { quotedSpans } from "./quoted-spans.js";
import { nameSpans, type ReferenceKind, type ReferenceSpan } from "./reference-spans.js";

/** Something that a tool input names: what an agent must have seen somewhere to write it. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly text: string;
  /** What a quoted string itself holds: it counts where the string as a whole was never seen. */
  readonly parts?: readonly Reference[];
}

/**
 * The references of a tool input: of its strings and numbers, not of the names of its fields. Each text once, in
 * order. What lies inside another is not listed beside it. Never throws; takes time in proportion to the input.
 */
export function extractReferences(input: unknown): readonly Reference[] {
  const found = new Map<string, Reference>();
  for (const text of jsonTexts(input)) {
    for (const reference of referencesOf(text)) {
      if (!found.has(reference.text)) found.set(reference.text, reference);
    }
  }
  return [...found.values()];
}

/** A span and what lies in it. */
interface Node {
  readonly span: ReferenceSpan;
  readonly inner: Node[];
}

function referencesOf(text: string): readonly Reference[] {
  const spans = [...quotedSpans(text), ...nameSpans(text)];
  const top: Node[] = [];
  const open: Node[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    while ((open.at(-1)?.span.end ?? Infinity) <= span.start) open.pop();
    const around = open.at(-1);
    // Quotation marks of two kinds that cross: the string that began first stands.
    if (around !== undefined && span.end > around.span.end) continue;
    const node: Node = { span, inner: [] };
    (around?.inner ?? top).push(node);
    open.push(node);
  }
  return top.flatMap((node) => toReferences(text, node));
}

function toReferences(text: string, node: Node): readonly Reference[] {
  const { kind, start, end } = node.span;
  if (kind !== "quoted") return [{ kind, text: text.slice(start, end) }];
  const words = quotedWords(text.slice(start, end));
  const parts = node.inner.flatMap((inner) => toReferences(text, inner));
  if (words === undefined || parts.some((part) => part.text.includes(words))) return parts;
  return [parts.length === 0 ? { kind, text: words } : { kind, text: words, parts }];
}

const MIN_WORDS = 3;

/** A quoted string without the punctuation and blanks at its ends; undefined where little or nothing is left. */
export function quotedWords(text: string): string | undefined {
  const words = text.replaceAll(/^[^\w\u0080-\uffff]+|(?<=[\w\u0080-\uffff])[^\w\u0080-\uffff]+$/g, "");
  return words.length >= MIN_WORDS && /[\p{L}\p{N}]/u.test(words) ? words : undefined;
}
