/** Whether one of these long options is among the words, also cut short as programs allow. */
export const longOptionIn = (words: readonly string[], options: readonly string[]): boolean =>
  words.some((word) => {
    if (!word.startsWith("--") || word === "--") return false;
    const name = word.split("=", 1)[0] ?? word;
    return options.some((option) => option.startsWith(name) || name === option);
  });

/** Whether one of these letters is among the short options, also in the middle of several. */
export const shortOptionIn = (words: readonly string[], letters: string): boolean =>
  words.some((word) => /^-[^-]/.test(word) && Array.from(letters).some((letter) => word.includes(letter)));
