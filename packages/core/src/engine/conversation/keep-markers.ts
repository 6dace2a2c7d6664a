import type { SendableMessage } from "../../messages/call/sendable-request.js";
import { isFields, type Fields } from "../../messages/fields.js";

/** The API takes no more than that in one request. */
const MOST_MARKERS = 4;

/** What a block is known by, whatever is marked in it: a result by its call, because its content may have been cleared. */
function keyOf(role: unknown, block: Fields): string {
  if (block["type"] === "tool_result") return `result ${String(block["tool_use_id"])}`;
  try {
    const unmarked = JSON.stringify(block, (name, value: unknown) =>
      name === "cache_control" ? undefined : value,
    );
    return `${String(role)} ${unmarked}`;
  } catch {
    // Endless, or too deep: what is sent is another block.
    return "";
  }
}

const markerOf = ({ type, cache_control: marker }: Fields): Fields | undefined =>
  isFields(marker) && type !== "thinking" && type !== "redacted_thinking" ? marker : undefined;

const blocksOf = (message: unknown): readonly { readonly role: unknown; readonly block: Fields }[] => {
  const { role, content } = isFields(message) ? message : {};
  return Array.isArray(content) ? content.filter(isFields).map((block) => ({ role, block })) : [];
};

/**
 * The messages with the caller's own markers (`cache_control`) on those blocks that are still there, the newest four. Blocks
 * that are alike are told apart from the end on: what goes stands at the beginning.
 */
export function keepMarkers(
  given: readonly unknown[],
  messages: readonly SendableMessage[],
): SendableMessage[] {
  const blocks = given.flatMap(blocksOf);
  if (!blocks.some(({ block }) => markerOf(block) !== undefined)) return [...messages];
  const markers = new Map<string, (Fields | undefined)[]>();
  for (const { role, block } of blocks) {
    const key = keyOf(role, block);
    const known = markers.get(key) ?? [];
    known.push(markerOf(block));
    markers.set(key, known);
  }
  let placed = 0;
  const marked = messages.toReversed().map(({ role, content }) => {
    const backwards = content.toReversed().map((block) => {
      const marker = markers.get(keyOf(role, block as unknown as Fields))?.pop();
      if (marker === undefined || placed === MOST_MARKERS) return block;
      placed += 1;
      return { ...block, cache_control: marker };
    });
    return { role, content: backwards.toReversed() } as SendableMessage;
  });
  return marked.toReversed();
}
