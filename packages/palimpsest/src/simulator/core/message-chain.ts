import type { Model, ModelRequest } from "@palimpsest/core";
import { TOKENS_PER_MESSAGE } from "../tokens/block-tokens.js";
import type { BlockFacts, BlockReader } from "./block-facts.js";
import type { Fields } from "../fields.js";
import { digest } from "./digest.js";

export type WireMessages = ModelRequest["messages"];
type Message = WireMessages[number];

/** A prefix of the messages, up to the end of one of them. */
export interface ChainEntry {
  readonly message: Message;
  readonly blocks: readonly BlockFacts[];
  /** The digest and the tokens of the prefix up to each block of this message. */
  readonly digests: readonly string[];
  readonly tokens: readonly number[];
  /** The same at the end of the message. */
  readonly digest: string;
  readonly totalTokens: number;
  readonly hasImage: boolean;
  readonly hasCitations: boolean;
  readonly hasThinking: boolean;
  /** The last message so far with a summary of the API's own; -1 for none. */
  readonly lastCompaction: number;
  /** The last message so far with a breakpoint: a marker, or a server tool's result; -1 for none. */
  readonly lastBreakpoint: number;
  /** Blocks in all messages before this one. */
  readonly blocksBefore: number;
  /** What thinking after this message is bound to: the content so far, thinking left out. */
  readonly binding: string;
}

/** The messages of a request with all that is known of each prefix. Valid until the next one is read. */
export interface MessageChain {
  readonly entries: readonly ChainEntry[];
}

/** The digest and the binding of an empty conversation. */
export const START = "start";

export const blocksOf = (message: Message): readonly unknown[] => {
  const content: unknown = message.content;
  if (typeof content === "string") return [textBlockOf(message, content)];
  return Array.isArray(content) ? content : [];
};

/** A string is one text block: the same object each time, so that what is known of it is found again. */
const textBlocks = new WeakMap<object, Fields>();
function textBlockOf(message: object, text: string): Fields {
  let block = textBlocks.get(message);
  if (block === undefined) textBlocks.set(message, (block = { type: "text", text }));
  return block;
}

interface KnownChain {
  readonly messages: Message[];
  readonly entries: ChainEntry[];
}

/** How many of the newest messages may be new for the rest still to be found. */
const LOOK_BACK = 32;

/**
 * Reads the messages of requests. A conversation that was read before, message object for message object,
 * costs what is new at its end; messages that are sent anew with the same content cost their hashing.
 */
export class ChainReader {
  readonly #blocks: BlockReader;
  readonly #model: Model;
  readonly #known = new WeakMap<object, { readonly chain: KnownChain; readonly index: number }>();

  constructor(blocks: BlockReader, model: Model) {
    this.#blocks = blocks;
    this.#model = model;
  }

  read(messages: WireMessages): MessageChain {
    const { chain, length } = this.#find(messages);
    // What lay after was read with other objects before it: its markers may stand elsewhere now.
    chain.messages.length = length;
    chain.entries.length = length;
    for (let index = length; index < messages.length; index += 1) {
      const message = messages[index];
      if (message === undefined) break;
      const entry = this.#entry(chain.entries[index - 1], message, index);
      chain.messages.push(message);
      chain.entries.push(entry);
      this.#known.set(message, { chain, index });
    }
    return { entries: chain.entries };
  }

  /** The longest beginning that is known, object for object. */
  #find(messages: WireMessages): { readonly chain: KnownChain; readonly length: number } {
    const last = messages.length - 1;
    for (let at = last; at >= Math.max(0, last - LOOK_BACK); at -= 1) {
      const message = messages[at];
      const found = message === undefined ? undefined : this.#known.get(message);
      if (found?.index !== at) continue;
      if (startsAlike(found.chain.messages, messages, at)) return { chain: found.chain, length: at + 1 };
    }
    return { chain: { messages: [], entries: [] }, length: 0 };
  }

  #entry(before: ChainEntry | undefined, message: Message, index: number): ChainEntry {
    const { role } = message;
    const blocks = blocksOf(message).map((block) => this.#blocks.read(block, { role, model: this.#model }));
    const digests: string[] = [];
    const tokens: number[] = [];
    let current = before?.digest ?? START;
    let total = (before?.totalTokens ?? 0) + TOKENS_PER_MESSAGE;
    for (const block of blocks) {
      current = digest(current + block.digest);
      total += block.tokens;
      digests.push(current);
      tokens.push(total);
    }
    const has = (...types: string[]): boolean => blocks.some((block) => types.includes(block.type));
    let binding: string | undefined;
    return {
      message,
      blocks,
      digests,
      tokens,
      digest: current,
      totalTokens: total,
      hasImage: before?.hasImage === true || blocks.some((block) => block.hasImage),
      hasCitations: before?.hasCitations === true || blocks.some((block) => block.hasCitations),
      hasThinking: before?.hasThinking === true || has("thinking", "redacted_thinking"),
      lastCompaction: blocks.some((block) => block.isSummary) ? index : (before?.lastCompaction ?? -1),
      lastBreakpoint: blocks.some((block) => block.marker !== undefined || isServerResult(block.type))
        ? index
        : (before?.lastBreakpoint ?? -1),
      blocksBefore: before === undefined ? 0 : before.blocksBefore + before.blocks.length,
      get binding() {
        return (binding ??= bind(before?.binding ?? START, blocks));
      },
    };
  }
}

function startsAlike(known: readonly unknown[], messages: readonly unknown[], until: number): boolean {
  for (let index = 0; index <= until; index += 1) if (known[index] !== messages[index]) return false;
  return true;
}

/** What thinking is bound to after these blocks; thinking itself may be left out by a client. */
export function bind(before: string, blocks: readonly BlockFacts[]): string {
  return blocks.reduce(
    (current, block) =>
      block.boundTo ?? (leavesNoTrace(block) ? current : digest(current + block.bindingDigest)),
    before,
  );
}

/** A client may leave thinking out, and a compaction that failed is a no-op: nothing is bound to them. */
const leavesNoTrace = ({ type, isSummary }: BlockFacts): boolean =>
  isThinking(type) || (type === "compaction" && !isSummary);

/** The result of a tool that the provider runs itself. */
export const isServerResult = (type: string): boolean => type.endsWith("_tool_result");

export const isThinking = (type: string): boolean => type === "thinking" || type === "redacted_thinking";
