import { partsOf, type BlockParts } from "./block-text.js";
import type { Estimator } from "../ports/estimator.js";
import { rememberMessages } from "./remember-messages.js";

const CHARACTERS_PER_TOKEN = 4;
const FLAT_MEDIA_TOKENS = 2000;
const PADDING = 4 / 3;

/** The classic rule: characters / 4, media flat, padded by a third where it is compared with a limit. */
export function createHeuristicEstimator(): Estimator {
  const block = (value: unknown): number => tokensOf(partsOf(value));
  return {
    name: "heuristic",
    block,
    message: rememberMessages(block),
    pad: (tokens) => Math.ceil(tokens * PADDING),
  };
}

function tokensOf(parts: BlockParts): number {
  const characters = parts.texts.reduce(
    (sum, text) => sum + Math.round(text.length / CHARACTERS_PER_TOKEN),
    0,
  );
  const media = parts.images.length + parts.documents + parts.documentTexts.length;
  const signatures = Math.round(parts.signatureCharacters / CHARACTERS_PER_TOKEN);
  return characters + signatures + media * FLAT_MEDIA_TOKENS;
}
