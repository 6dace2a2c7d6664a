import type { SummaryVariant } from "../../events/summary-variant.js";

const COMMON = [
  "Primary request and intent",
  "Key technical concepts",
  "Files and code sections",
  "Errors and fixes",
  "Problem solving",
  "All user messages",
  "Pending tasks",
] as const;

/** The titles of the nine sections, in their order. */
export const sectionTitles = (variant: SummaryVariant): readonly string[] =>
  variant === "up_to"
    ? [...COMMON, "Work completed", "Context for continuing work"]
    : [...COMMON, "Current work", "Optional next step"];

/** The number of the section that quotes what people said. */
export const USER_MESSAGES_SECTION = 6;
