import { isFields } from "../fields.js";

/** Every sentence that normalisation may put into a request. */

export const MISSING_RESULT_TEXT = "[No result was recorded for this tool call.]";
export const CONTINUE_TEXT = "Continue.";
export const FIRST_USER_TEXT = "[The beginning of this conversation is not available.]";
export const NO_CONTENT_TEXT = "[no content]";

const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/;

/** In the place of an image or document that is not sent: what was there, and why it is left out. */
export function leftOutText(
  kind: "image" | "document",
  { why, source }: { readonly why: string; readonly source?: unknown },
): string {
  const declared = isFields(source) ? source["media_type"] : undefined;
  const type = typeof declared === "string" && MEDIA_TYPE.test(declared) ? ` (${declared})` : "";
  return `[${kind}${type} left out: ${why}]`;
}
