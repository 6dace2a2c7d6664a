import { roundedTokens } from "../measure/rounded-tokens.js";
import type { Compacted } from "../summarise/run/compaction.js";
import type { EngineStep } from "./conversation-api.js";

interface Change {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

const describeChange = ({ tokensBefore, tokensAfter }: Change): string =>
  `${roundedTokens(tokensBefore)} → ${roundedTokens(tokensAfter)}`;

/** The one line that a person sees of a clearing. */
export const describeClearing = (results: number, change: Change): string =>
  `${results === 1 ? "1 old tool result" : `${results} old tool results`} cleared · ${describeChange(change)}`;

/** The one line that a person sees where pictures had to go; the first that no request may hold says why. */
export function describeMedia(replaced: readonly { readonly text?: string }[], change: Change): string {
  const count = replaced.length;
  const why = replaced.find(({ text }) => text !== undefined)?.text;
  return [
    `${count === 1 ? "1 image or document" : `${count} images and documents`} replaced by text`,
    ...(why === undefined ? [] : [why]),
    describeChange(change),
  ].join(" · ");
}

/** A compaction as a step that a host is told of. */
export const compactionStep = (compacted: Compacted): EngineStep => ({
  tier: compacted.writer === "notes" ? "notes" : "full",
  added: compacted.stored,
  tokensBefore: compacted.tokensBefore,
  tokensAfter: compacted.tokensAfter,
  text: `Conversation compacted · ${describeChange(compacted)}`,
  compacted,
});
