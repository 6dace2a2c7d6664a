import { asText, isFields, type Fields } from "../fields.js";

/** One tool, system block or content block of a request, as it is compared with the one at its place before. */
export interface PromptPart {
  readonly section: "tools" | "system" | "messages";
  /** As verdicts name it: `tools.0`, `system.1`, `messages.4.content.0`. */
  readonly path: string;
  /** Whose bytes they are, for people. */
  readonly owner: string;
  /** What kind of thing it is; another kind is another part, whatever its text. */
  readonly kind: string;
  /** The text of a plain text block, else the block as JSON; markers are no part of it. */
  readonly text: string;
}

/** The parts of a request in the order of the prompt: tools, system, messages. */
export function partsOf(body: Fields): readonly PromptPart[] {
  const tools = listOf(body["tools"]).filter((tool) => !isFields(tool) || tool["defer_loading"] !== true);
  return [
    ...tools.map((tool, at) =>
      partOf(tool, { section: "tools", path: `tools.${at}`, owner: `tool ${nameOf(tool, at)}` }),
    ),
    ...blocksIn(body["system"]).map((block, at) =>
      partOf(block, { section: "system", path: `system.${at}`, owner: `system block ${at}` }),
    ),
    ...listOf(body["messages"]).flatMap(messageParts),
  ];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** A string is one text block. */
const blocksIn = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : listOf(content);

const nameOf = (tool: unknown, at: number): string =>
  isFields(tool) && typeof tool["name"] === "string" ? JSON.stringify(tool["name"]) : String(at);

function messageParts(message: unknown, at: number): readonly PromptPart[] {
  if (!isFields(message)) return [];
  const role = asText(message["role"]);
  return blocksIn(message["content"]).map((block, index) => {
    const type = isFields(block) ? asText(block["type"]) : typeof block;
    return partOf(
      block,
      {
        section: "messages",
        path: `messages.${at}.content.${index}`,
        owner: `message ${at} (${role}), block ${index} (${type})`,
      },
      role,
    );
  });
}

function partOf(
  block: unknown,
  place: Pick<PromptPart, "section" | "path" | "owner">,
  role = "",
): PromptPart {
  const bare = withoutMarkers(block);
  if (isFields(bare) && bare["type"] === "text" && Object.keys(bare).length === 2) {
    return { ...place, kind: `${role} text`, text: asText(bare["text"]) };
  }
  return { ...place, kind: `${role} block`, text: JSON.stringify(bare) ?? "" };
}

/** The block, and what a result holds, without what only says where the cache ends. */
function withoutMarkers(block: unknown): unknown {
  if (!isFields(block)) return block;
  const { cache_control: _marker, cache_reference: _reference, ...bare } = block;
  return Array.isArray(bare["content"])
    ? { ...bare, content: (bare["content"] as unknown[]).map(withoutMarkers) }
    : bare;
}

/** What an assistant's message is recognised by when it comes back: the ids of its calls, else its words. */
export function answerKey(content: unknown): string | undefined {
  const blocks = blocksIn(content).filter(isFields);
  const calls = blocks.flatMap((block) => (block["type"] === "tool_use" ? [asText(block["id"])] : []));
  if (calls.length > 0) return `calls ${calls.join(" ")}`;
  const words = blocks
    .map((block) => asText(block["text"]))
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();
  return words === "" ? undefined : `words ${words}`;
}

const MOST_LOOKED_AT = 64;

/** The keys of the assistant's messages in a request, the newest first. */
export function answersIn(body: Fields): readonly string[] {
  const keys: string[] = [];
  for (const message of listOf(body["messages"]).toReversed()) {
    if (keys.length >= MOST_LOOKED_AT) break;
    if (!isFields(message) || message["role"] !== "assistant") continue;
    const key = answerKey(message["content"]);
    if (key !== undefined) keys.push(key);
  }
  return keys;
}
