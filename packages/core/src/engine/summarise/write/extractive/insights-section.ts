import { excerpt, type ExcerptOptions } from "../../../../messages/plain-text.js";
import { newestWritten, type Allowance } from "./allowance.js";
import type { Survey } from "./survey.js";

/** Words with which conclusions are drawn and decisions taken. */
const DECIDES =
  /\b(?:root cause|because|turns out|instead|decided|decision|the (?:issue|problem|bug|fix|reason) (?:is|was)|fixed|confirmed|found|therefore|does(?:n't| not) work|all (?:tests )?pass|verified)\b/i;
const FINAL = { maxLines: 6, maxCharacters: 240 };
const PASSING = { maxLines: 2, maxCharacters: 240 };
const FINAL_SHARE = 0.7;
const DECIDING_CHARACTERS = 600;

/** Section 5: what the model said before a person spoke again, and where it drew conclusions on the way. */
export function insightsSection({ entries }: Survey, allowance: Allowance): readonly string[] {
  // The newest stands in section 9.
  const said = entries.filter((entry) => entry.kind === "said").slice(0, -1);
  const final = newestWritten(said, allowance.share(allowance.left * FINAL_SHARE), (entry) =>
    entry.isFinal ? point(entry.text, FINAL) : [],
  );
  const passing = newestWritten(said, allowance, (entry) =>
    !entry.isFinal && DECIDES.test(entry.text.slice(0, DECIDING_CHARACTERS))
      ? point(entry.text, PASSING)
      : [],
  );
  return [...final, ...passing].toSorted((a, b) => a.index - b.index).flatMap(({ lines }) => lines);
}

/** A text of the model as an item of a list. */
function point(text: string, limits: Pick<ExcerptOptions, "maxLines" | "maxCharacters">): readonly string[] {
  const [first, ...rest] = excerpt(text, { ...limits, indent: "     " });
  return first === undefined ? [] : [`   - ${first.trim()}`, ...rest];
}
