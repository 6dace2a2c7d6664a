import type { FileRefusal } from "../ports/file-access.js";

/** Why a file that was chosen is not restored. */
export type FileSkipReason = FileRefusal | "does-not-fit";
