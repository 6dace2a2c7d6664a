/** Tokens as a person reads them. */
export const roundedTokens = (tokens: number): string =>
  tokens < 1000 ? String(Math.round(tokens)) : `${Math.round(tokens / 1000)}K`;
