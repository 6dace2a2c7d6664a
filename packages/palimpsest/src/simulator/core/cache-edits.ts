import { asText, isFields } from "../fields.js";
import { blocksOf, type MessageChain } from "./message-chain.js";

/**
 * The private extension: `cache_edits` blocks delete results inside the cached prefix. Gives the tokens of
 * those that lie within what was read (up to the position `hit` of the messages' blocks).
 */
export function deletedTokens(chain: MessageChain, hit: number): number {
  const deleted = new Set<string>();
  const results = new Map<string, { readonly tokens: number; readonly position: number }>();
  for (const entry of chain.entries) {
    for (const [index, block] of blocksOf(entry.message).entries()) {
      if (!isFields(block)) continue;
      if (block["type"] === "cache_edits" && Array.isArray(block["edits"])) {
        for (const edit of block["edits"]) if (isFields(edit)) deleted.add(asText(edit["cache_reference"]));
      }
      if (block["type"] === "tool_result") {
        const reference = asText(block["cache_reference"]) || asText(block["tool_use_id"]);
        const tokens = entry.blocks[index]?.tokens ?? 0;
        results.set(reference, { tokens, position: entry.blocksBefore + index });
      }
    }
  }
  let sum = 0;
  for (const reference of deleted) {
    const result = results.get(reference);
    if (result !== undefined && result.position <= hit) sum += result.tokens;
  }
  return sum;
}
