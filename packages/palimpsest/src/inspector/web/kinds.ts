import type { PartKind } from "../contract.js";

/** Kinds of the parts of a request, in the order in which they stand in it and are stacked. */
export const KINDS: readonly PartKind[] = [
  "unknown",
  "system",
  "tools",
  "people",
  "assistant",
  "results",
  "attachments",
];

export const KIND_NAMES: Readonly<Record<PartKind, string>> = {
  system: "system prompt",
  tools: "tool definitions",
  people: "people",
  assistant: "assistant",
  results: "tool results",
  attachments: "attachments",
  unknown: "unknown",
};

const isStriped = (kind: PartKind): boolean => kind === "unknown";

export const swatchOf = (kind: PartKind): string => `kind-${kind}${isStriped(kind) ? " striped" : ""}`;
