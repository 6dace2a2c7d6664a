/** What a summary covers: everything, what comes after a pivot, or what comes before it. */
export type SummaryVariant = "full" | "from" | "up_to";
