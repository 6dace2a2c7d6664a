import type { Conversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import type { Agent } from "../loop/agent.js";
import { createKeepAlive, type KeepAlive, type KeepAliveOptions } from "./keep-alive.js";
import { createPreparedCompaction, type PreparedCompaction } from "./prepared-compaction.js";
import { reviewedCompaction } from "./reviewed-compaction.js";
import type { SessionOptions } from "./session-options.js";

/** What happens to a session's conversation while nobody says anything, and when somebody does again. */
export interface SessionPauses
  extends Pick<KeepAlive, "during" | "lastAt">, Pick<PreparedCompaction, "stage"> {
  readonly takeUp: NonNullable<Agent["takeUp"]>;
}

export function createSessionPauses(
  conversation: () => Conversation,
  {
    onNotice,
    reviewSummary,
    settings,
    ...ports
  }: Pick<KeepAliveOptions, "provider" | "now"> & {
    readonly settings: Parameters<typeof createPreparedCompaction>[1]["settings"];
    readonly onNotice: (sentence: string) => void;
  } & Pick<SessionOptions, "reviewSummary">,
): SessionPauses {
  const prepared = createPreparedCompaction(conversation, { inner: compaction, settings });
  const keepAlive = createKeepAlive(conversation, {
    ...ports,
    settings,
    prepared,
    onKept: onNotice,
    onPrepared: onNotice,
  });
  return {
    during: keepAlive.during,
    lastAt: keepAlive.lastAt,
    stage: reviewSummary === undefined ? prepared.stage : reviewedCompaction(prepared.stage, reviewSummary),
    takeUp: (signal) => prepared.takeUp({ isCold: keepAlive.isCold(), signal }),
  };
}
