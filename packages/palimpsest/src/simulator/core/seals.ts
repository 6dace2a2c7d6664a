import { signatureLength } from "../tokens/block-tokens.js";
import { asText, type Fields } from "../fields.js";
import { digest } from "./digest.js";

/**
 * The signatures of the simulated API. They say what they vouch for instead of hiding it, so that the
 * simulator needs no memory of what it signed; a real one is opaque to clients in the same way.
 */

const NONE = "0".repeat(32);
const THINKING = /^simt1([0-9a-f]{32})([0-9a-f]{32})([0-9a-f]{32})A*$/;
const COMPACTION = /^simc1([0-9a-f]{32})([0-9a-f]{32})$/;

export interface ThinkingSeal {
  /** Of the tools, the system prompt and everything before the block. */
  readonly binding: string;
  /** The thinking block before this one; undefined for the first. */
  readonly previous: string | undefined;
  readonly text: string;
}

/** A signature as long as the tokens of the thinking demand. */
export function sealThinking(seal: ThinkingSeal, tokens: number): string {
  const signed = `simt1${seal.binding}${seal.previous ?? NONE}${digest(seal.text)}`;
  return signed.padEnd(signatureLength(tokens), "A");
}

export interface OpenedSeal {
  readonly binding: string;
  readonly previous: string | undefined;
  readonly textDigest: string;
}

/** Undefined for a signature that the simulator did not write. */
export function openThinkingSeal(signature: string): OpenedSeal | undefined {
  const match = THINKING.exec(signature);
  if (match === null) return undefined;
  const [, binding = "", previous = "", textDigest = ""] = match;
  return { binding, previous: previous === NONE ? undefined : previous, textDigest };
}

/** Names a thinking block to the one after it. */
export const thinkingId = (signature: string): string => digest(signature);

export interface CompactionSeal {
  readonly binding: string;
  readonly contentDigest: string;
}

export const sealCompaction = (content: string, binding: string): string =>
  `simc1${binding}${digest(content)}`;

/** What a compaction block vouches for, in whichever field it carries it. */
export function readCompactionSeal(block: Fields): CompactionSeal | undefined {
  const match = COMPACTION.exec(asText(block["signature"]) || asText(block["encrypted_content"]));
  if (match === null) return undefined;
  const [, binding = "", contentDigest = ""] = match;
  return { binding, contentDigest };
}
