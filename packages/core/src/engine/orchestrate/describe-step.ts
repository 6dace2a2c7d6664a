/** Tokens as a person reads them. */
const rounded = (tokens: number): string =>
  tokens < 1000 ? String(Math.round(tokens)) : `${Math.round(tokens / 1000)}K`;

interface Change {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The one line that a person sees of a compaction. */
export const describeStep = ({ tokensBefore, tokensAfter }: Change): string =>
  `Conversation compacted · ${rounded(tokensBefore)} → ${rounded(tokensAfter)}`;

/** The one line that a person sees of a clearing. */
export const describeClearing = (results: number, { tokensBefore, tokensAfter }: Change): string =>
  `${results === 1 ? "1 old tool result" : `${results} old tool results`} cleared · ` +
  `${rounded(tokensBefore)} → ${rounded(tokensAfter)}`;

/** The one line that a person sees where pictures had to go. */
export const describeMedia = (count: number, { tokensBefore, tokensAfter }: Change): string =>
  `${count === 1 ? "1 old image or document" : `${count} old images and documents`} replaced by text · ` +
  `${rounded(tokensBefore)} → ${rounded(tokensAfter)}`;
