import { pinnedIn } from "../../../messages/pinned.js";
import type { Division } from "../run/division.js";
import { hasContent } from "./rounds.js";

/** With what is pinned among what is summarised. Undefined where nothing else is. */
export function withPins(division: Division): Division | undefined {
  const pinned = pinnedIn(division.summarised);
  if (pinned.length === 0) return division;
  const isPinned = new Set(pinned);
  const isWorthIt = hasContent(division.summarised.filter((message) => !isPinned.has(message)));
  return isWorthIt ? { ...division, pinned } : undefined;
}
