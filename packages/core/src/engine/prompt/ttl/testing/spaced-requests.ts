import type { SpacedRequest } from "../gap-evidence.js";

export const MINUTE = 60_000;

export type GappedRequest = SpacedRequest & { readonly gap: number };

/** Numbers that a request is made of: anything, tokens before, new tokens. */
export type RequestNumbers = readonly [gap: number, prefixTokens: number, newTokens: number];

/** The ends of both lifetimes and their neighbours. */
const edges = [5, 60].flatMap((minutes) => [-1, 0, 1].map((off) => minutes * MINUTE + off));

/** A gap of every length out of a whole number, often one that is just in or just out of a lifetime. */
function toGap(number: number): number {
  const rest = Math.floor(number / 4);
  switch (number % 4) {
    case 0:
      return rest % (5 * MINUTE);
    case 1:
      return 5 * MINUTE + (rest % (55 * MINUTE));
    case 2:
      return 60 * MINUTE + (rest % (3000 * MINUTE));
    default:
      return edges[rest % edges.length] ?? 0;
  }
}

export const toRequest = ([number, prefixTokens, newTokens]: RequestNumbers): GappedRequest => ({
  gap: toGap(number),
  prefixTokens,
  newTokens,
});

/** A conversation: a first request, and those after it. */
export const toConversation = (rows: readonly RequestNumbers[]): readonly SpacedRequest[] => [
  { prefixTokens: 0, newTokens: 30_000 + (rows[0]?.[2] ?? 0) },
  ...rows.map(toRequest),
];
