/** Lines with which the extractive writer orders its sections, and by which it knows its own summaries again. */
export const NOTHING = "   Nothing that the messages show.";
export const EARLIER_LABEL = "   Earlier:";
export const MESSAGES_LABEL = "   Word for word, in order:";
export const FOREIGN_LABEL = "   Of messages before those, as an earlier summary has them:";
export const OLDER_FILES_LABEL = "   Of earlier work:";
export const READ_FILES_LABEL = "   Only read, the newest first:";
export const OUTSIDE_FILES_LABEL = "   Changed outside the conversation:";
export const MENTIONED_FILES_LABEL = "   Mentioned in calls and results:";
export const FIRST_REQUEST = "   - First: ";
export const LATEST_REQUEST = "   - The latest request: ";
/** Languages, programs, tools. */
export const CONCEPT_LABELS = ["   - Languages and formats: ", "   - Programs: ", "   - Tools: "] as const;
