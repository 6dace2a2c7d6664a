import { describeReasons, inMinutes, safeName } from "./describe-reason.js";
import type { CacheBreak } from "../events/cache-break.js";

/** A break in a few sentences for people. */
export function describeBreak(found: CacheBreak): string {
  const { source, model, lostTokens, expectedTokens, lostShare, cost, gapMs, diagnosis, agrees } = found;
  const figures =
    `${formatTokens(lostTokens)} of ${formatTokens(expectedTokens)} cached tokens ` +
    `(${(lostShare * 100).toFixed(0)}%) were not read`;
  const price = cost === null ? "" : `, which cost about $${cost.toFixed(cost < 0.1 ? 4 : 2)} more`;
  const verdict =
    diagnosis === undefined
      ? ""
      : ` The provider says ${safeName(diagnosis.type)}${agrees === undefined ? "" : agrees ? ", which agrees" : ", which does not agree"}.`;
  return (
    `Cache break in ${safeName(source)} (${safeName(model)}): ${describeReasons(found.reasons)}. ${figures}${price}. ` +
    `The prefix was last used ${inMinutes(gapMs)} before.${verdict}`
  );
}

const formatTokens = (tokens: number): string => Math.round(tokens).toLocaleString("en-US");
