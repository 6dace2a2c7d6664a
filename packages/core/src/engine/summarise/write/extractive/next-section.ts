import { linesOf, spaceTags } from "../../../../messages/plain-text.js";
import { headWithin } from "../../../measure/token-cuts.js";
import { oneLine } from "../../../../messages/plain-text.js";
import type { Allowance } from "./allowance.js";
import type { Survey } from "./survey.js";

const REQUEST_CHARACTERS = 300;
const MAX_READ = 40_000;

/** Section 9: the last words of the model, quoted, and what the person said after them. */
export function nextSection({ entries }: Survey, allowance: Allowance): readonly string[] {
  const at = entries.findLastIndex(({ kind }) => kind === "said");
  const said = entries[at];
  const answers = entries.slice(at + 1).flatMap((entry) => (entry.kind === "human" ? [entry.text] : []));
  const asked = answers.at(-1);
  const closing =
    asked === undefined
      ? []
      : [`   The user's latest words, to be answered next: ${oneLine(asked, REQUEST_CHARACTERS)}`];
  if (!allowance.takeAll(closing)) return [];
  if (said?.kind !== "said") return closing;
  const label = "   The last words of the assistant:";
  if (!allowance.take(label)) return closing;
  const quoted = linesOf(spaceTags(said.text.slice(0, MAX_READ).toWellFormed()))
    .filter((line) => line.trim() !== "")
    .map((line) => `      ${line}`)
    .join("\n");
  const head = headWithin(quoted, { estimator: allowance.estimator, tokens: Math.floor(allowance.left) - 2 });
  return head.trim() !== "" && allowance.take(head) ? [label, head, ...closing] : closing;
}
