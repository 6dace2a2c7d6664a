/** Why an image or document goes. */
export type MediaReason =
  /** No request may hold it, whatever else is in there. */
  | "refused"
  /** More of them than a request may hold. */
  | "count"
  /** Together they are too long. */
  | "bytes"
  /** Among many images each must be smaller. */
  | "pixels";
