import { plainText } from "../base/plain-text.js";
import { capText } from "./cap-text.js";
import { isAbsent, type Fields } from "../base/fields.js";

/** Reads what a hook wrote, and notes what cannot be meant. */
export interface FieldReader {
  readonly problems: readonly string[];
  readonly wrong: (field: string, allowed: string) => void;
  /** The text, cut where it is too long; undefined for none. */
  readonly text: (from: Fields, field: string) => string | undefined;
}

export function createFieldReader(): FieldReader {
  const problems: string[] = [];
  const wrong = (field: string, allowed: string): void =>
    void problems.push(`\`${field}\` is not understood; allowed: ${allowed}`);
  return {
    problems,
    wrong,
    text(from, field) {
      const value = from[field];
      if (typeof value === "string") return spoken(value);
      if (!isAbsent(value)) wrong(field, "a text");
      return undefined;
    },
  };
}

/** What there is to say, without what steers a terminal, cut where it is too long. */
export function spoken(text: string): string | undefined {
  const said = plainText(text).trim();
  return said === "" ? undefined : capText(said);
}
