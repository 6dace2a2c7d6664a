import { FOREIGN_LABEL, MESSAGES_LABEL, NOTHING } from "./extractive/labels.js";
import { unguardLine } from "./quote-human-texts.js";
import { USER_MESSAGES_SECTION } from "./sections.js";
import { findSections, sectionBody } from "./summary-sections.js";
import { ADDED_LABEL } from "./verify.js";

const LABELS: ReadonlySet<string> = new Set(
  [MESSAGES_LABEL, ADDED_LABEL, NOTHING].map((label) => label.trim()),
);
const QUOTE = /^\[\d+\] /;
const LEFT_OUT = /^\[[12](?:–\d+)?\] stands? only in the transcript\b/;
const BULLET = /^\s*(?:[-*•]|\d+[.)])\s+/;

/**
 * What people said, as a summary quotes it: the other direction of `quoteHumanTexts`. What a model listed in its own
 * way counts item by item, so that no word of it is lost.
 */
export function readQuotedTexts(summary: string): readonly string[] {
  const lines = sectionBody(summary, findSections(summary), USER_MESSAGES_SECTION).split("\n");
  const foreign = lines.findIndex((line) => line.trim() === FOREIGN_LABEL.trim());
  const texts: string[][] = [];
  let open: "quote" | "item" | undefined;
  for (const line of foreign === -1 ? lines : lines.slice(0, foreign)) {
    if (LABELS.has(line.trim()) || (texts.length === 0 && LEFT_OUT.test(line))) {
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
