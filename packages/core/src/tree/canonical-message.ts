import { isFields, type Fields } from "../messages/fields.js";

/** A message of whatever list: a role, and content as a text or blocks. What else it has counts too. */
export interface ListedMessage {
  readonly role: string;
  readonly content?: unknown;
}

const known = new WeakMap<object, Fields>();

/**
 * A message as it is told from others: a text is one text block, and markers of the prompt cache are left out where the
 * API defines them (on a block, also inside a result or a document) and nowhere else. Role, order and unknown
 * fields stay. The input is never changed; messages are taken to be immutable.
 */
export function canonicalMessage(message: ListedMessage): Fields {
  let canonical = known.get(message);
  if (canonical === undefined) {
    const { role, content, ...others } = message;
    canonical = { role, content: canonicalContent(content), ...others };
    known.set(message, canonical);
  }
  return canonical;
}

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
