import { isFields, type Fields } from "../messages/fields.js";
import { sameJson } from "./same-json.js";

/** A message of whatever list: a role, and content as a text or blocks. What else it has counts too. */
export interface ListedMessage {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * A message as it is told from others: a text is one text block, and markers of the prompt cache are left out where the
 * API defines them (on a block, also inside a result or a document) and nowhere else. Role, order and unknown
 * fields stay. The input is never changed; messages are taken to be immutable.
 */
export function canonicalMessage(message: ListedMessage): Fields {
  const { role, content, ...others } = message;
  return { role, content: canonicalContent(content), ...others };
}

/** Whether two messages are the same but for markers and spelling. Those that are the same JSON are not made canonical for it. */
export const isSameMessage = (one: ListedMessage, other: ListedMessage): boolean =>
  sameJson(one, other) || sameJson(canonicalMessage(one), canonicalMessage(other));

function canonicalContent(content: unknown): unknown {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(canonicalBlock) : content;
}

/** Where the API refuses a marker, a field of that name is something else. */
const unmarkable: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

function canonicalBlock(block: unknown): unknown {
  if (!isFields(block) || unmarkable.has(block["type"])) return block;
  const bare = "cache_control" in block ? withoutMarker(block) : block;
  if (bare["type"] === "tool_result" && bare["content"] !== undefined) {
    return { ...bare, content: canonicalContent(bare["content"]) };
  }
  const { source } = bare;
  if (bare["type"] === "document" && isFields(source) && source["type"] === "content") {
    return { ...bare, source: { ...source, content: canonicalContent(source["content"]) } };
  }
  return bare;
}

const withoutMarker = ({ cache_control: _marker, ...block }: Fields): Fields => block;
