import { createTtlPolicy } from "@palimpsest/core/engine";
import { join } from "node:path";
import { createGapHistoryFile } from "../../packages/palimpsest/src/stores/gap-history-file.js";
import type { Folders } from "./agent-command.js";

const MINUTE = 60_000;

/** Earlier conversations that paused for so many minutes, again and again. */
export async function pausedBefore({ data }: Folders, minutes: number): Promise<void> {
  const policy = createTtlPolicy({
    source: "sdk",
    facts: () => {
      throw new Error("nothing is decided here");
    },
  });
  for (let request = 0; request < 200; request += 1)
    policy.noteRequest({
      at: request * minutes * MINUTE,
      prefixTokens: request === 0 ? 0 : 20_000,
      newTokens: request === 0 ? 20_000 : 500,
    });
  await policy.remember(createGapHistoryFile(join(data, "gaps.json")));
}
