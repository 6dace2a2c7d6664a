import type { Attachment } from "../../../messages/message.js";
import type { RememberedRead } from "../../tools/read-state.js";

/** Instructions of directories, for files that come back after a compaction. `createNestedMemory` makes one. */
export interface RestoredMemory {
  /**
   * What belongs to these files, but for paths that are known: as it is attached, and as it enters the read-state. Changes
   * nothing, and never rejects.
   */
  readonly forFiles: (
    paths: readonly string[],
    isKnown: (path: string) => boolean,
  ) => Promise<readonly { readonly attachment: Attachment; readonly read: RememberedRead }[]>;
}
