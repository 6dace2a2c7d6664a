const SENTENCE = "One rule of this house among many others that were written down for whoever works in it. ";

/** Whether a text only fills up a prompt. */
export const isFiller = (text: string): boolean => text.startsWith(SENTENCE.trimEnd());

/** About so many tokens of text in which nothing is referred to. */
export function filler(tokens: number, count: (text: string) => number): string {
  const hundred = count(SENTENCE.repeat(100));
  const times = Math.max(1, Math.round((tokens / hundred) * 100));
  return SENTENCE.repeat(times).trimEnd();
}
