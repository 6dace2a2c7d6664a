/** The sentence of the system prompt about a language of the settings; undefined where none is named. */
export function languageSentence(language: string | undefined): string | undefined {
  const name = language
    ?.replaceAll(/[^\p{L}\p{M}\p{N} ()'.-]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 60);
  if (name === undefined || name === "") return undefined;
  return `Write to the person in this language: ${name}. Code, names, commands and quotations stay as they are.`;
}
