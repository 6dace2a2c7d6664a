export interface FilledText {
  readonly text: string;
  /** What was put into its places, in their order; none where it has no places. */
  readonly values: readonly string[];
}

const place = /\\?\$(?:ARGUMENTS(?:\[(\d{1,2})\])?|(\d)(?!\d))/g;

/** The words of what stands after a command's name; quotes hold blanks, and a backslash what stands after it. */
export function splitArguments(args: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < args.length; at += 1) {
    const character = args.charAt(at);
    if (character === "\\" && quote !== "'" && /["'\\\s]/.test(args.charAt(at + 1))) {
      word = (word ?? "") + args.charAt((at += 1));
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if ((character === '"' || character === "'") && args.includes(character, at + 1)) {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Puts arguments into the places for them: `$ARGUMENTS` is all of them, `$1` the first, `$ARGUMENTS[0]` the first too.
 * A text with `$0` counts from there. What is not given is empty; `\$1` stays `$1`. Arguments are not looked through
 * for places.
 */
export function fillArguments(
  text: string,
  { args, countsFromZero }: { readonly args: string; readonly countsFromZero: boolean },
): FilledText {
  const words = splitArguments(args);
  const values: string[] = [];
  const filled = text.replaceAll(place, (found: string, index?: string, digit?: string) => {
    if (found.startsWith("\\")) return found.slice(1);
    const at = index === undefined ? Number(digit) - (countsFromZero ? 0 : 1) : Number(index);
    const value = index === undefined && digit === undefined ? args : (words[at] ?? "");
    values.push(value);
    return value;
  });
  return { text: filled, values };
}

export const countsFromZero = (text: string): boolean => /(?<!\\)\$0(?!\d)/.test(text);

/** Words that mean themselves to every shell. */
const plain = /^[\p{L}\p{N}_@%+=:,./ -]*$/u;

/** Whether an argument can stand in a command. */
export const isPlainArgument = (value: string): boolean => plain.test(value);
