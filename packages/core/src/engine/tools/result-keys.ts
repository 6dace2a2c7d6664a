import { isFields } from "../../messages/fields.js";
import { hashValue } from "../../messages/hash.js";
import type { Message } from "../../messages/message.js";

/** A shorter result says too little for two of the same to mean anything. */
const LEAST_CHARACTERS = 400;
/** As much of a longer one is compared. */
const MOST_CHARACTERS = 20_000;
const KEY_DIGITS = 8;

/** Names results by their calls and what they brought: who gets the same answer to the same call has done work twice. */
export interface ResultKeys {
  /** The keys of the results in a message that comes next. */
  of(message: Message): readonly string[];
}

/** Messages come from files and may be anything. */
export function createResultKeys(): ResultKeys {
  const calls = new Map<unknown, unknown>();
  return {
    of(message) {
      const content: unknown =
        message.type === "user" || message.type === "assistant" ? message.message?.content : undefined;
      const keys: string[] = [];
      for (const block of Array.isArray(content) ? content : []) {
        if (!isFields(block)) continue;
        if (block["type"] === "tool_use") calls.set(block["id"], [block["name"], block["input"]]);
        if (block["type"] !== "tool_result" || block["is_error"] === true) continue;
        const call = calls.get(block["tool_use_id"]);
        const text = textOf(block["content"]);
        calls.delete(block["tool_use_id"]);
        if (call === undefined || text.length < LEAST_CHARACTERS) continue;
        keys.push(hashValue([call, text.length, text.slice(0, MOST_CHARACTERS)]).slice(0, KEY_DIGITS));
      }
      return keys;
    },
  };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : [])
        .map((item: unknown) => (isFields(item) && typeof item["text"] === "string" ? item["text"] : ""))
        .join("\n");
