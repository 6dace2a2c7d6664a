import { writeDiffs } from "@palimpsest/core/engine";
import { join } from "node:path";
import { createBreakDiffDirectory } from "../../stores/break-diffs.js";
import type { Settings } from "@palimpsest/core";
import type { KeyHider } from "./key-hider.js";

/** What changed at each cache break, in files of the session's. */
export function createSessionBreaks(
  folder: string,
  settings: Pick<Settings, "cacheBreakDiffs" | "cacheBreakDiffBytes">,
  hider: KeyHider,
) {
  const breaks = createBreakDiffDirectory({
    directory: join(folder, "cache-breaks"),
    maxFiles: settings.cacheBreakDiffs,
    maxBytes: settings.cacheBreakDiffBytes,
  });
  return {
    // A request holds what files and people said: keys go out of it here as everywhere.
    diffs: writeDiffs({ save: (diff) => breaks.save({ ...diff, text: hider.text(diff.text) }) }),
    pathOf: breaks.pathOf,
  };
}
