import { sameJson, type ListedMessage, type PrefixNode } from "@palimpsest/core/tree";

/** The messages of a request, as they are held until the next one. */
export interface HeldMessages {
  readonly messages: readonly ListedMessage[];
  /** What they take beside what the tree of beginnings has, in characters, roughly. */
  readonly characters: number;
}

export const nothingHeld: HeldMessages = { messages: [], characters: 0 };

/** Of a place in a list, of a message that is none of the tree's, and of each of its blocks. */
const OF_A_PLACE = 16;
const OF_A_MESSAGE = 400;
const OF_A_BLOCK = 100;

/**
 * The messages with what is remembered in place of what is equal to it: what the request before had, or the tree. Of one that
 * differs from it in markers or spelling only the texts are the remembered ones.
 */
export function heldMessages(
  messages: readonly ListedMessage[],
  node: PrefixNode,
  before: readonly ListedMessage[],
): HeldMessages {
  const held = [...messages];
  let characters = held.length * OF_A_PLACE;
  for (let at: PrefixNode | undefined = node; at?.message !== undefined; at = at.parent) {
    const index = at.depth - 1;
    const message = held[index];
    const [own, last] = [at.message, before[index]];
    if (message === undefined || message === own) continue;
    const known = [last, own].find((one) => one !== undefined && sameJson(one, message));
    held[index] = known ?? withTextsOf(own, message);
    if (known === own) continue;
    const { content } = message;
    characters += OF_A_MESSAGE + (Array.isArray(content) ? content.length * OF_A_BLOCK : 0);
  }
  return { messages: held, characters };
}

const LEVELS = 4;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value whose texts are those of another one, wherever they are equal and stand in the same place. */
function withTextsOf<T>(own: unknown, value: T, levels = LEVELS): T {
  if (own === value || levels < 0) return own === value ? (own as T) : value;
  if (typeof value === "string") {
    // A text alone and one text block are the same message.
    const [only] = Array.isArray(own) && own.length === 1 ? (own as unknown[]) : [];
    return isFields(only) && only["text"] === value ? (only["text"] as T) : value;
  }
  if (Array.isArray(value)) {
    const items = typeof own === "string" ? [{ text: own }] : Array.isArray(own) ? own : [];
    return value.map((item: unknown, index): unknown => withTextsOf(items[index], item, levels - 1)) as T;
  }
  if (!isFields(value) || !isFields(own)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withTextsOf(own[name], field, levels - 1)]),
  ) as T;
}
