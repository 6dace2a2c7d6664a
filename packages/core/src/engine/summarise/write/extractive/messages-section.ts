import type { HumanText } from "../../people/human-text.js";
import { oneLine } from "../../../../messages/plain-text.js";
import { quoteHumanTexts, TOTAL_MESSAGE_TOKENS, type QuoteOptions } from "../../people/quote-human-texts.js";
import { USER_MESSAGES_SECTION } from "../../shape/sections.js";
import { Allowance } from "./allowance.js";
import type { EarlierSummary } from "./earlier-summary.js";
import { FOREIGN_LABEL, MESSAGES_LABEL } from "../../shape/labels.js";

const FOREIGN_TOKENS = 3000;
const FOREIGN_CHARACTERS = 400;

export interface MessagesOptions extends QuoteOptions {
  readonly earlier: EarlierSummary;
  /** Whether a boundary among the messages carries on what people said before it. */
  readonly isCarried: boolean;
}

/** Section 6: what people said. Where only another program's summary tells of it, its own words follow. */
export function messagesSection(texts: readonly HumanText[], options: MessagesOptions): readonly string[] {
  const { estimator, totalTokens = TOTAL_MESSAGE_TOKENS } = options;
  const quoted = texts.length === 0 ? [] : [MESSAGES_LABEL, quoteHumanTexts(texts, options)];
  const left = totalTokens - quoted.reduce((sum, text) => sum + estimator.block(text), 0);
  const allowance = new Allowance(Math.min(FOREIGN_TOKENS, left), estimator);
  const foreign = foreignLines(options);
  if (foreign.length === 0 || !allowance.take(FOREIGN_LABEL)) return quoted;
  const lines: string[] = [];
  for (const line of foreign) {
    const shown = `      ${oneLine(line, FOREIGN_CHARACTERS)}`;
    if (!allowance.take(shown)) break;
    lines.push(shown);
  }
  return lines.length === 0 ? quoted : [...quoted, FOREIGN_LABEL, ...lines];
}

/** What a summary of another program's says of the messages, also where one of ours has handed it on since. */
function foreignLines({ earlier, isCarried }: MessagesOptions): readonly string[] {
  const body = earlier.bodies.get(USER_MESSAGES_SECTION) ?? "";
  const lines = body.split(/\r?\n/);
  // The body of a section begins without the blanks of its first line.
  const at = lines.findLastIndex(
    (line, index) => line === FOREIGN_LABEL || (index === 0 && line === FOREIGN_LABEL.trim()),
  );
  return (at === -1 && isCarried ? [] : lines.slice(at + 1)).filter((line) => line.trim() !== "");
}
