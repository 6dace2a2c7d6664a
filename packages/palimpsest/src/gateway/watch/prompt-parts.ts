import { asFields } from "@palimpsest/core/engine";
import { canonicalMessage, type ListedMessage, type PrefixNode } from "@palimpsest/core/tree";

/** A part of a prompt: a tool, a block of the system prompt, or a message. */
export interface PromptPart {
  readonly kind: "tool" | "system" | "message";
  /** Among those of its kind, from 0. */
  readonly index: number;
  /** Of a tool its name, of a message its role. */
  readonly name: string;
  readonly value: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const LONGEST_NAME = 80;
const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, LONGEST_NAME) : "");

/** The messages of a request; what is none in it is one without a role. */
export const messagesOf = ({ messages }: Fields): readonly ListedMessage[] =>
  listOf(messages).map((message) =>
    typeof message === "object" && message !== null && !Array.isArray(message)
      ? (message as ListedMessage)
      : { role: "", content: message },
  );

/** Tools and system prompt of a request, in the order in which they are cached. */
export function headParts(request: Fields): readonly PromptPart[] {
  const { system } = request;
  const blocks = typeof system === "string" ? [{ type: "text", text: system }] : listOf(system);
  return [
    ...listOf(request["tools"]).map((value, index) => ({
      kind: "tool" as const,
      index,
      name: textOf(asFields(value)["name"]),
      value,
    })),
    ...blocks.map((value, index) => ({ kind: "system" as const, index, name: "", value })),
  ];
}

/** The messages of a path. */
export function messageParts(node: PrefixNode): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  for (let at: PrefixNode | undefined = node; at?.message !== undefined; at = at.parent) {
    const { message, depth } = at;
    parts.push({ kind: "message", index: depth - 1, name: textOf(message.role), value: message });
  }
  return parts.toReversed();
}

/** A part as the cache compares it: a text is one block, and markers do not count. */
export const comparable = ({ kind, value }: Pick<PromptPart, "kind" | "value">): unknown =>
  kind === "message" ? canonicalMessage(value as ListedMessage) : withoutMarker(value);

function withoutMarker(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("cache_control" in value)) return value;
  const { cache_control: _marker, ...rest } = value;
  return rest;
}

/** Where two prompts part. */
export interface Difference {
  readonly owner: Pick<PromptPart, "kind" | "index" | "name">;
  /** The first byte of that part, as JSON without markers, that is another. */
  readonly byte: number;
}

/** The first part of the earlier prompt that the later one does not have in its place; undefined where it goes on with all of them. */
export function firstDifference(
  before: readonly PromptPart[],
  now: readonly PromptPart[],
): Difference | undefined {
  for (const [at, part] of before.entries()) {
    const other = now[at];
    if (other?.value === part.value && other?.kind === part.kind) continue;
    const text = JSON.stringify(comparable(part)) ?? "";
    const otherText = other === undefined ? "" : (JSON.stringify(comparable(other)) ?? "");
    if (other !== undefined && other.kind === part.kind && text === otherText) continue;
    // What was put in is named, else what was there.
    const isAdded = other !== undefined && before.length < now.length && other.kind !== "message";
    const { kind, index, name } = isAdded || other?.kind === part.kind ? (other ?? part) : part;
    const byte = other?.kind === part.kind ? differsAt(text, otherText) : 0;
    return { owner: { kind, index, name }, byte };
  }
  return undefined;
}

function differsAt(first: string, second: string): number {
  let at = 0;
  while (at < first.length && first[at] === second[at]) at += 1;
  return Buffer.byteLength(first.slice(0, at));
}
