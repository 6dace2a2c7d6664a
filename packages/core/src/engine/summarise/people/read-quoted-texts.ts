import { FOREIGN_LABEL, QUOTATION_LABELS } from "../shape/labels.js";
import { unguardLine } from "./quote-human-texts.js";
import { USER_MESSAGES_SECTION } from "../shape/sections.js";
import { findSections, sectionBody } from "../shape/summary-sections.js";

const LABELS: ReadonlySet<string> = new Set(QUOTATION_LABELS);
const QUOTE = /^\[\d+\] /;
const LEFT_OUT = /^\[[12](?:–\d+)?\] stands? only in the transcript\b/;
const BULLET = /^\s*(?:[-*•]|\d+[.)])\s+/;

/**
 * What people said, as a summary quotes it: the other direction of `quoteHumanTexts`. What a model listed in its own
 * way counts item by item, so that no word of it is lost.
 */
export function readQuotedTexts(summary: string): readonly string[] {
  const body = sectionBody(summary, findSections(summary), USER_MESSAGES_SECTION);
  const [first = "", ...rest] = body.split("\n");
  // The body of a section begins without the blanks of its first line. Words that look like a label are moved in.
  const lines = [LABELS.has(`   ${first}`) ? `   ${first}` : first, ...rest];
  const foreign = lines.indexOf(FOREIGN_LABEL);
  const texts: string[][] = [];
  let open: "quote" | "item" | undefined;
  for (const line of foreign === -1 ? lines : lines.slice(0, foreign)) {
    if (LABELS.has(line) || (texts.length === 0 && LEFT_OUT.test(line))) {
      open = undefined;
    } else if (QUOTE.test(line)) {
      texts.push([line.replace(QUOTE, "")]);
      open = "quote";
    } else if (open === "quote" || (open === "item" && !BULLET.test(line))) {
      texts.at(-1)?.push(unguardLine(line));
    } else if (line.trim() !== "") {
      texts.push([line.replace(BULLET, "")]);
      open = "item";
    }
  }
  return texts.map((said) => said.join("\n").trim()).filter((text) => text !== "");
}
