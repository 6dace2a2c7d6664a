/** What normalisation mended, by kind. A conversation in good order needs none of them. */
const repairKinds = [
  /** A tool call without a result got a synthetic error result. */
  "missing_result",
  /** A result that arrived after a later response was moved to its call. */
  "late_result",
  /** A result without its call was dropped. */
  "orphan_result",
  /** A second result for one call was dropped. */
  "duplicate_result",
  /** A tool call's id, used before or not allowed, was changed together with its result. */
  "renamed_id",
  /** A tool call's input was not an object, or did not fit its schema. */
  "repaired_input",
  /** A block in a role, or at a place, that may not hold it was dropped. */
  "misplaced_block",
  /** A block of an unknown kind was dropped. */
  "unknown_block",
  /** A block that lacks what its kind demands was dropped or put right. */
  "malformed_block",
  /** The data of a picture or document, or what it is declared as, was put right. */
  "mended_media",
  /** A picture or document that cannot be read was replaced by a text that says so. */
  "unreadable_media",
  /** A picture or document larger than any request may hold was replaced by a text that says so. */
  "oversized_media",
  /** A server tool's call without its result, or the other way round, was dropped. */
  "unpaired_server_block",
  /** A text block without text was dropped. */
  "empty_text",
  /** A message that would have been empty got a placeholder. */
  "empty_content",
  /** Thinking without a signature (a response cut off in the middle) was dropped. */
  "unsigned_thinking",
  /** A response that holds nothing but thinking was dropped. */
  "thinking_only",
  /** Thinking at the very end of the list was dropped. */
  "trailing_thinking",
  /** What JSON parsers refuse (half of a surrogate pair, bottomless nesting) was replaced. */
  "broken_json",
  /** A list that would have started with the assistant got a first user message. */
  "first_user",
] as const;

export type RepairKind = (typeof repairKinds)[number];

export interface Repair {
  readonly kind: RepairKind;
  /** The message it concerns, as far as it is known. */
  readonly uuid?: string;
  readonly toolUseId?: string;
}

/** How often each kind was needed; every kind is present. */
export function countRepairs(repairs: readonly Repair[]): Record<RepairKind, number> {
  const counts = Object.fromEntries(repairKinds.map((kind) => [kind, 0])) as Record<RepairKind, number>;
  for (const repair of repairs) counts[repair.kind] += 1;
  return counts;
}
