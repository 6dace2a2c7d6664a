import type { Compacted } from "../summarise/run/compaction.js";
import type { EngineStep } from "./conversation-api.js";

/** Tokens as a person reads them. */
const rounded = (tokens: number): string =>
  tokens < 1000 ? String(Math.round(tokens)) : `${Math.round(tokens / 1000)}K`;

interface Change {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The one line that a person sees of a compaction. */
const describeStep = ({ tokensBefore, tokensAfter }: Change): string =>
  `Conversation compacted · ${rounded(tokensBefore)} → ${rounded(tokensAfter)}`;

/** The one line that a person sees of a clearing. */
export const describeClearing = (results: number, { tokensBefore, tokensAfter }: Change): string =>
  `${results === 1 ? "1 old tool result" : `${results} old tool results`} cleared · ` +
  `${rounded(tokensBefore)} → ${rounded(tokensAfter)}`;

/** The one line that a person sees where pictures had to go; the first that no request may hold says why. */
export function describeMedia(
  replaced: readonly { readonly text?: string }[],
  { tokensBefore, tokensAfter }: Change,
): string {
  const count = replaced.length;
  const why = replaced.find(({ text }) => text !== undefined)?.text;
  return [
    `${count === 1 ? "1 image or document" : `${count} images and documents`} replaced by text`,
    ...(why === undefined ? [] : [why]),
    `${rounded(tokensBefore)} → ${rounded(tokensAfter)}`,
  ].join(" · ");
}

/** A compaction as a step that a host is told of. */
export const compactionStep = (compacted: Compacted): EngineStep => ({
  tier: compacted.writer === "notes" ? "notes" : "full",
  added: compacted.stored,
  tokensBefore: compacted.tokensBefore,
  tokensAfter: compacted.tokensAfter,
  text: describeStep(compacted),
  compacted,
});
