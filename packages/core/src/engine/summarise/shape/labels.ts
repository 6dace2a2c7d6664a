/** Lines with which the extractive writer orders its sections, and by which it knows its own summaries again. */
export const NOTHING = "   Nothing that the messages show.";
export const EARLIER_LABEL = "   Earlier:";
export const MESSAGES_LABEL = "   Word for word, in order:";
export const FOREIGN_LABEL = "   Of messages before those, as an earlier summary has them:";
/** Over what a verification added to section 6. */
export const ADDED_LABEL = "   Added word for word, because the summary left them out:";
export const OLDER_FILES_LABEL = "   Of earlier work:";
export const READ_FILES_LABEL = "   Only read, the newest first:";
export const OUTSIDE_FILES_LABEL = "   Changed outside the conversation:";
export const MENTIONED_FILES_LABEL = "   Mentioned in calls and results:";
export const FIRST_REQUEST = "   - First: ";
export const LATEST_REQUEST = "   - The latest request: ";
/** Lines that stand between quotations. */
export const QUOTATION_LABELS: readonly string[] = [MESSAGES_LABEL, ADDED_LABEL, FOREIGN_LABEL, NOTHING];
/** Languages, programs, tools. */
export const CONCEPT_LABELS = ["   - Languages and formats: ", "   - Programs: ", "   - Tools: "] as const;
