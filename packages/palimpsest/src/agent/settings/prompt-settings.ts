import { isAbsent, type Fields } from "../base/fields.js";

/** Parts of the system prompt that are only there where somebody asks for them. */
export interface PromptSettings {
  /** Short answers, without what is plain to see. */
  readonly briefAnswers: boolean;
  /** Nobody answers questions: it decides by itself and goes on, after a compaction too. */
  readonly autonomous: boolean;
  /** Figures for how long its words may be. */
  readonly lengthAnchors: boolean;
  /** A folder of the session for files that nobody keeps. */
  readonly scratchpad: boolean;
  /** Tokens that its answers may have in all. */
  readonly tokenBudget?: number;
}

export const defaultPromptSettings: PromptSettings = {
  briefAnswers: false,
  autonomous: false,
  lengthAnchors: false,
  scratchpad: false,
};

const switches = ["briefAnswers", "autonomous", "lengthAnchors", "scratchpad"] as const;

/** What one file says of them. What is not allowed is told to `bad`, and left out. */
export function readPromptSettings(
  content: Fields,
  bad: (key: string, message: string, allowed: string) => void,
): Partial<PromptSettings> {
  const read: { -readonly [Key in keyof PromptSettings]?: PromptSettings[Key] } = {};
  for (const key of switches) {
    const value = content[key];
    if (typeof value === "boolean") read[key] = value;
    else if (!isAbsent(value)) bad(key, "is not true or false", "true or false");
  }
  const budget = content["tokenBudget"];
  if (typeof budget === "number" && Number.isSafeInteger(budget) && budget > 0) read.tokenBudget = budget;
  else if (!isAbsent(budget)) bad("tokenBudget", "is not a number of tokens", "a whole number, 1 or more");
  return read;
}
