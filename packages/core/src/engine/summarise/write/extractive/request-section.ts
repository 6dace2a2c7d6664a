import { headWithin } from "../../../measure/token-cuts.js";
import { oneLine, collapseSpace, spaceTags } from "../../../../messages/plain-text.js";
import type { HumanText } from "../../people/human-text.js";
import { FIRST_REQUEST } from "../../shape/labels.js";
import { newestThatFit, type Allowance } from "./allowance.js";

const FIRST_SHARE = 0.55;
const LATER_CHARACTERS = 240;
/** Shorter ones are answers, not requests. */
const LEAST_CHARACTERS = 16;

/** Section 1: the first request, and the heads of what was asked for later. */
export function requestSection(texts: readonly HumanText[], allowance: Allowance): readonly string[] {
  const [first, ...later] = texts;
  if (first === undefined) return [];
  const tokens = Math.floor(allowance.left * FIRST_SHARE - allowance.costOf(FIRST_REQUEST));
  const words = spaceTags(collapseSpace(first.text.slice(0, 40_000).toWellFormed()));
  const head = headWithin(words, { estimator: allowance.estimator, tokens });
  const line = `${FIRST_REQUEST}${head}`;
  const opening = head !== "" && allowance.take(line) ? [line] : [];
  const requests = later.filter(({ text }) => text.trim().length >= LEAST_CHARACTERS);
  const write = ({ text }: HumanText) => [`   - Later: ${oneLine(text, LATER_CHARACTERS)}`];
  return [...opening, ...newestThatFit(requests, allowance, write)];
}
