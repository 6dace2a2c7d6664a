import { isMainThread, type QuerySource } from "../../messages/call/query-source.js";
import type { SummaryVariant } from "../events/summary-variant.js";

/** What a compaction makes obsolete. */
export type CleanupTarget =
  /** Ids and pinned edits of tier 1. */
  | "clearingState"
  /** What break detection compares with. */
  | "breakBaseline"
  /** Loaded again, memory files included: the host's InstructionsLoaded hook fires. */
  | "userContext"
  | "memoryFiles"
  | "promptSections"
  | "inferredApprovals"
  | "speculativeChecks"
  | "sessionMessages"
  | "tracing"
  | "fileContents";

/** An agent's own. Everything else is one for the whole process, the main thread's. */
const own: ReadonlySet<CleanupTarget> = new Set(["clearingState", "breakBaseline"]);

/** What the beginning of the prompt is made of. */
const prefix: ReadonlySet<CleanupTarget> = new Set(["promptSections", "userContext"]);

export interface CleanupOptions {
  /** Whose conversation was compacted. */
  readonly source: QuerySource;
  readonly variant: SummaryVariant;
  /** Who wrote the summary: `server` keeps the prefix. */
  readonly writer: string;
  /** How each is cleared, in this order; what the host does not have is left out. */
  readonly targets: Partial<Readonly<Record<CleanupTarget, () => void>>>;
}

export interface CleanupReport {
  readonly cleared: readonly CleanupTarget[];
  /** Left alone: shared with the main thread, or part of a prefix that must not change. */
  readonly kept: readonly { readonly target: CleanupTarget; readonly because: "shared" | "prefix" }[];
  /** What a target threw; the others were cleared all the same. */
  readonly failed: readonly { readonly target: CleanupTarget; readonly error: unknown }[];
}

/** Clears what a compaction made obsolete, as far as whoever compacted may. */
export function cleanUpAfterCompaction(options: CleanupOptions): CleanupReport {
  const cleared: CleanupTarget[] = [];
  const kept: CleanupReport["kept"][number][] = [];
  const failed: CleanupReport["failed"][number][] = [];
  for (const target of Object.keys(options.targets) as CleanupTarget[]) {
    const because = keptBecause(target, options);
    if (because !== undefined) {
      kept.push({ target, because });
      continue;
    }
    try {
      options.targets[target]?.();
      cleared.push(target);
    } catch (error) {
      failed.push({ target, error });
    }
  }
  return { cleared, kept, failed };
}

/** Whether a compaction leaves the system prompt as it is. */
export const keepsPrompt = (options: Pick<CleanupOptions, "source" | "variant" | "writer">): boolean =>
  keptBecause("promptSections", options) !== undefined;

function keptBecause(
  target: CleanupTarget,
  { source, variant, writer }: Pick<CleanupOptions, "source" | "variant" | "writer">,
): "shared" | "prefix" | undefined {
  if (!own.has(target) && !isMainThread(source)) return "shared";
  return prefix.has(target) && (variant === "from" || writer === "server") ? "prefix" : undefined;
}
