import { firstCharacters } from "./plain-text.js";

const LONGEST_CAUSE = 300;
/** What a terminal might obey, line breaks included. */
const UNPRINTABLE = /[\s\p{Cc}\p{Cf}]+/gu;

/** One sentence for a person; its cause, whoever wrote it, is cut and put on one line of plain text. */
export function withCause(sentence: string, cause: string): string {
  const plain = cause.toWellFormed().replaceAll(UNPRINTABLE, " ").trim();
  const shown =
    plain.length > LONGEST_CAUSE
      ? `${firstCharacters(plain, LONGEST_CAUSE).trimEnd()}…`
      : plain.replace(/(?<![\s.])[\s.]+$/, "");
  return shown === "" ? `${sentence}.` : `${sentence}: ${shown}.`;
}
