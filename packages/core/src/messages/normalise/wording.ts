/** Every sentence that normalisation may put into a request. */

export const MISSING_RESULT_TEXT = "[No result was recorded for this tool call.]";
export const CONTINUE_TEXT = "Continue.";
export const FIRST_USER_TEXT = "[The beginning of this conversation is not available.]";
export const NO_CONTENT_TEXT = "[no content]";
export const UNREADABLE_MEDIA_TEXT = {
  image: "[unreadable image]",
  document: "[unreadable document]",
} as const;
