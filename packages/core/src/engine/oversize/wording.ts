import { roundedTokens } from "../measure/rounded-tokens.js";
import type { CutText } from "../boundaries/oversize-boundary.js";

const counted = (characters: number): string => `${characters.toLocaleString("en-US")} characters`;

/** Where all of a text is. */
export interface WholeText {
  readonly characters: number;
  readonly kept: string | undefined;
  /** How the model looks at what was kept. */
  readonly hint: string | undefined;
  /** Why it is nowhere else. */
  readonly lost: "not-kept" | "failed";
}

/** What the model reads between the two ends of a text. */
export function cutNote(leftOut: number, { characters, kept, hint, lost }: WholeText): string {
  const sentences = [
    `${counted(leftOut)} of ${counted(characters)} are left out here, because the whole text does not fit into the context window.`,
    kept === undefined
      ? lost === "failed"
        ? "The rest could not be saved: ask for it in smaller parts if you need it."
        : "The rest is not kept anywhere that you can read: ask for it in smaller parts if you need it."
      : `The whole text is in ${kept}.`,
    ...(hint === undefined ? [] : [hint]),
  ];
  return `\n\n[… ${sentences.join(" ")} …]\n\n`;
}

interface Change {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The one sentence that a person reads. */
export function describeCuts(cuts: readonly CutText[], { tokensBefore, tokensAfter }: Change): string {
  const isOne = cuts.length === 1;
  const what = isOne ? "The newest message" : `${cuts.length} texts of the newest messages`;
  const [first, ...others] = new Set(cuts.flatMap(({ kept }) => kept ?? []));
  const more =
    others.length === 0
      ? ""
      : ` and ${others.length} more ${others.length === 1 ? "file" : "files"} beside it`;
  const where =
    first === undefined
      ? "the rest was not kept anywhere else"
      : `the whole ${isOne ? "text is" : "texts are"} in ${first}${more}`;
  return (
    `${what} did not fit into the context window and ${isOne ? "was" : "were"} cut to the beginning and the end ` +
    `· ${roundedTokens(tokensBefore)} → ${roundedTokens(tokensAfter)} · ${where}.`
  );
}
