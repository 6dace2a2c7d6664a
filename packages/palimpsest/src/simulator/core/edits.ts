import type { ModelRequest } from "@palimpsest/core";
import { amountOf, asNumber, asText, isFields, type Fields } from "../fields.js";
import { blocksOf, isThinking, type WireMessages } from "./message-chain.js";

export interface AppliedEdit {
  readonly type: string;
  readonly cleared_input_tokens: number;
  readonly [count: string]: unknown;
}

export interface EditedMessages {
  readonly messages: WireMessages;
  readonly applied: readonly AppliedEdit[];
}

/** What stands in the place of a result that was cleared. */
const CLEARED = "[cleared by context management]";

type Message = WireMessages[number];

/** Edits messages, each way of editing one once, so that what was edited is the same object again. */
export class MessageEditor {
  readonly #edited = new WeakMap<object, Map<string, Message>>();

  /** The message with each block replaced by what `change` gives; null drops it. Empty messages vanish. */
  edit(
    message: Message,
    key: string,
    change: (block: Fields, index: number) => Fields | null,
  ): Message | undefined {
    let versions = this.#edited.get(message);
    if (versions === undefined) this.#edited.set(message, (versions = new Map()));
    const known = versions.get(key);
    if (known !== undefined) return known.content.length === 0 ? undefined : known;
    const content = blocksOf(message).flatMap((block, index) => {
      const changed = isFields(block) ? change(block, index) : null;
      return changed === null ? [] : [changed];
    });
    const edited = { role: message.role, content } as unknown as Message;
    versions.set(key, edited);
    return content.length === 0 ? undefined : edited;
  }

  withoutThinking(message: Message): Message | undefined {
    return this.edit(message, "no thinking", (block) => (isThinking(asText(block["type"])) ? null : block));
  }

  /** From a compaction block on: everything before it is ignored. */
  fromBlock(message: Message, from: number): Message | undefined {
    return this.edit(message, `from ${from}`, (block, index) => (index < from ? null : block));
  }
}

const hasThinking = (message: Message): boolean =>
  message.role === "assistant" &&
  blocksOf(message).some((block) => isFields(block) && isThinking(asText(block["type"])));

/** A person's turn: anything but results. */
const isPlainTurn = (message: Message): boolean =>
  message.role === "user" &&
  blocksOf(message).some((block) => !isFields(block) || block["type"] !== "tool_result");

/** What models see that forget their thinking once the person has spoken again. */
export function stripOldThinking(messages: WireMessages, editor: MessageEditor): WireMessages {
  const lastPlain = messages.findLastIndex(isPlainTurn);
  if (!messages.slice(0, Math.max(0, lastPlain)).some(hasThinking)) return messages;
  return messages.flatMap((message, index) => {
    if (index >= lastPlain || !hasThinking(message)) return [message];
    return editor.withoutThinking(message) ?? [];
  });
}

const CLEAR_THINKING = "clear_thinking_20251015";

/** The strategies that a request asks for. */
export function editsOf(request: ModelRequest): readonly Fields[] {
  const management = request["context_management"];
  const edits = isFields(management) ? management["edits"] : undefined;
  return Array.isArray(edits) ? edits.filter(isFields) : [];
}

/** Whether the client decides what becomes of thinking; otherwise the model's own way holds. */
export const decidesThinking = (request: ModelRequest): boolean =>
  editsOf(request).some(({ type }) => type === CLEAR_THINKING);

export interface EditTools {
  /** Whether the model keeps thinking across turns: the default of the strategy for it. */
  readonly keepsThinking: boolean;
  readonly editor: MessageEditor;
  /** Tokens of the whole prompt with these messages. */
  readonly tokensOf: (messages: WireMessages) => number;
}

/** The strategies of `context_management`, in their order; the server's own summary is not one of these. */
export function applyEdits(request: ModelRequest, messages: WireMessages, tools: EditTools): EditedMessages {
  let current = messages;
  const applied: AppliedEdit[] = [];
  for (const edit of editsOf(request)) {
    const result =
      edit["type"] === CLEAR_THINKING
        ? clearThinking(edit, current, tools)
        : edit["type"] === "clear_tool_uses_20250919"
          ? clearToolUses(edit, current, tools)
          : undefined;
    if (result === undefined) continue;
    current = result.messages;
    applied.push(result.edit);
  }
  return { messages: current, applied };
}

interface Cleared {
  readonly messages: WireMessages;
  readonly edit: AppliedEdit;
}

function clearThinking(
  edit: Fields,
  messages: WireMessages,
  { editor, tokensOf, keepsThinking }: EditTools,
): Cleared | undefined {
  const keep = edit["keep"] ?? (keepsThinking ? "all" : { type: "thinking_turns", value: 1 });
  if (!isFields(keep) || keep["type"] !== "thinking_turns") return undefined;
  const turns = messages.flatMap((message, index) => (hasThinking(message) ? [index] : []));
  const cleared = new Set(turns.slice(0, Math.max(0, turns.length - asNumber(keep["value"], 1))));
  if (cleared.size === 0) return undefined;
  const next = messages.flatMap((message, index) =>
    cleared.has(index) ? (editor.withoutThinking(message) ?? []) : [message],
  );
  return {
    messages: next,
    edit: {
      type: asText(edit["type"]),
      cleared_thinking_turns: cleared.size,
      cleared_input_tokens: tokensOf(messages) - tokensOf(next),
    },
  };
}

function clearToolUses(
  edit: Fields,
  messages: WireMessages,
  { editor, tokensOf }: EditTools,
): Cleared | undefined {
  const uses = messages.flatMap((message) =>
    blocksOf(message).filter((block): block is Fields => isFields(block) && block["type"] === "tool_use"),
  );
  const trigger = isFields(edit["trigger"]) ? edit["trigger"] : { type: "input_tokens", value: 100_000 };
  const before = tokensOf(messages);
  const reached = trigger["type"] === "tool_uses" ? uses.length : before;
  if (reached <= amountOf(trigger, 100_000)) return undefined;
  const excluded = new Set(Array.isArray(edit["exclude_tools"]) ? edit["exclude_tools"] : []);
  const candidates = uses.filter((use) => !excluded.has(use["name"]));
  const clearedUses = candidates.slice(0, Math.max(0, candidates.length - amountOf(edit["keep"], 3)));
  const ids = new Set(clearedUses.map((use) => use["id"]));
  const inputs = edit["clear_tool_inputs"];
  const clearsInput = (name: unknown): boolean =>
    inputs === true || (Array.isArray(inputs) && inputs.includes(name));
  const next = messages.map((message) => {
    const own = blocksOf(message).filter((block): block is Fields => isFields(block));
    const affected = own.some(
      (block) => ids.has(block["tool_use_id"]) || (ids.has(block["id"]) && clearsInput(block["name"])),
    );
    if (!affected) return message;
    const key = `clear ${JSON.stringify([inputs, own.map((block) => ids.has(block["tool_use_id"] ?? block["id"]))])}`;
    return (
      editor.edit(message, key, (block) => {
        if (block["type"] === "tool_result" && ids.has(block["tool_use_id"]))
          return { ...block, content: CLEARED };
        if (block["type"] === "tool_use" && ids.has(block["id"]) && clearsInput(block["name"])) {
          return { ...block, input: {} };
        }
        return block;
      }) ?? message
    );
  });
  const cleared = before - tokensOf(next);
  if (ids.size === 0 || cleared <= 0 || cleared < amountOf(edit["clear_at_least"], 0)) return undefined;
  return {
    messages: next,
    edit: { type: asText(edit["type"]), cleared_tool_uses: ids.size, cleared_input_tokens: cleared },
  };
}
