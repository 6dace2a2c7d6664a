import type { AssistantBlock } from "../messages/content.js";
import type { PrefixNode } from "../tree/prefix-tree.js";
import { sha256 } from "../tree/sha-256.js";
import type { GivenMessage } from "./turn-input.js";

/** Where a conversation may stand that has taken in a beginning of a list. */
export interface Place {
  readonly key: string;
  /** So many messages of the list it has taken in. */
  readonly depth: number;
  /** The last of them as the model said it, and not as the framework hands it back. */
  readonly isAnswer: boolean;
}

/** The places on the way to a list, longest first; answers as the model said them before what the framework made of them. */
export function* placesOf(node: PrefixNode): Generator<Place> {
  for (let at = node; at.parent !== undefined; at = at.parent) {
    const { key, depth } = at;
    const message = at.message as GivenMessage | undefined;
    if (message?.role === "assistant") {
      yield { key: answerKey(at.parent, message.content), depth, isAnswer: true };
    }
    yield { key, depth, isAnswer: false };
  }
}

/** An answer to a list, by what survives its way through a framework: the calls by their ids, and the text without its blanks. */
export function answerKey(node: PrefixNode, content: readonly AssistantBlock[]): string {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return sha256(JSON.stringify([node.key, "answer", calls, text.replaceAll(/\s/g, "")]));
}

/** Where something is kept for a list that something is kept for already: the request was refused since, and room was made. */
export const keyAfter = (key: string): string => sha256(JSON.stringify([key, "after"]));
