import type { CompactionFailed } from "../summarise/run/compaction.js";
import type { ConversationCore } from "./conversation-core.js";
import type { ConversationCompactor } from "./stages.js";
import { clearBySize, planBySize, planClearing } from "./tier-one.js";

const failed: CompactionFailed = {
  kind: "failed",
  reason: "disabled",
  message:
    "The context window is full, and this conversation was created without compaction: begin a new one, or hand `compaction` in.",
  failedAttempts: [],
  calls: [],
};

/** For conversations without compaction: makes room by clearing alone. */
export function createNoCompactor(core: ConversationCore): ConversationCompactor {
  // Nothing else comes behind it: a clearing is worth it wherever it gets the next request through.
  const aims = () => {
    const { thresholds, settings } = core;
    const all = { tokens: 0, keep: settings.clearSizeKeep };
    return [
      { limit: thresholds.autoCompactAt },
      { limit: thresholds.autoCompactAt, target: all },
      { limit: thresholds.hardAt, target: all },
    ];
  };
  return {
    dueAt: () => core.thresholds.limit,
    noteResponse: () => {},
    fitUnanswered: async () => undefined,
    async makeRoom(steps) {
      for (const aim of aims()) {
        const cleared = await clearBySize(core, aim);
        if (cleared === undefined) continue;
        steps.push(cleared);
        return undefined;
      }
      return failed;
    },
    compactNow: async () => failed,
    compact: async () => failed,
    async plan() {
      const { tokens, padded } = core.state.size;
      const { autoCompactAt, isAutoCompactOn } = core.thresholds;
      const cheap = planClearing(core);
      if (cheap !== undefined) return cheap;
      if (!isAutoCompactOn || padded < autoCompactAt) return { tier: "none", tokens };
      for (const aim of aims()) {
        const bySize = planBySize(core, aim);
        if (bySize !== undefined) return { tier: "size-based", tokens, ...bySize };
      }
      return { tier: "none", tokens };
    },
    undo: async () => ({
      kind: "failed",
      reason: "another_conversation",
      message: "There is no compaction to undo.",
    }),
  };
}
