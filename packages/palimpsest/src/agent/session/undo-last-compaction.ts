import {
  findModel,
  isCompactBoundary,
  type CompactBoundary,
  type Conversation,
  type Message,
} from "@palimpsest/core";
import { undoCompaction } from "@palimpsest/core/engine";

export type UndoOutcome =
  | { readonly kind: "undone"; readonly tokensBefore: number; readonly tokensAfter: number }
  /** With a sentence for the person. */
  | { readonly kind: "failed"; readonly message: string };

interface Undoing {
  readonly conversation: Conversation;
  /** Everything that was stored. */
  readonly history: () => Promise<readonly Message[]>;
}

/**
 * Takes the last compaction back, whichever process made it. The engine has what stood before one of its own; for an
 * older one the conversation goes back to the message before it, and what was said since follows as copies.
 */
export async function undoLastCompaction({ conversation, history }: Undoing): Promise<UndoOutcome> {
  const tokensBefore = conversation.size().tokens;
  const done = (): UndoOutcome => ({
    kind: "undone",
    tokensBefore,
    tokensAfter: conversation.size().tokens,
  });
  const undone = await conversation.undo();
  if (undone.kind === "undone") return done();
  if (undone.reason === "too_large") return failed(undone.message);
  const boundary = conversation.live.findLast(isCompactBoundary);
  if (boundary === undefined) return failed("There is no compaction to undo.");
  const stored = await history();
  const parent = parentOf(boundary, stored);
  if (parent === undefined) {
    return failed(
      "What stood before the last compaction is not in this transcript: it was made before the conversation was branched.",
    );
  }
  const { hardAt } = conversation.size().thresholds;
  const needed =
    tokensOf(boundary, "preTokens") + Math.max(0, tokensBefore - tokensOf(boundary, "postTokens"));
  if (needed > hardAt) {
    return failed(
      `The messages before the compaction have ${needed} tokens and no longer fit into ${hardAt}.`,
    );
  }
  const copies = copiesOfLater(conversation, { boundary, stored });
  const rewound = await conversation.rewind(parent);
  if (rewound.kind === "failed") return failed(rewound.message);
  if (copies.length > 0) await conversation.append(...copies);
  return done();
}

const failed = (message: string): UndoOutcome => ({ kind: "failed", message });

const tokensOf = ({ compactMetadata }: CompactBoundary, name: string): number => {
  const tokens = compactMetadata?.[name];
  return typeof tokens === "number" && Number.isFinite(tokens) ? tokens : 0;
};

/** The message before it; undefined where the transcript begins later, as that of a branch does. */
function parentOf(boundary: CompactBoundary, stored: readonly Message[]): string | undefined {
  const at = stored.findIndex(({ uuid }) => uuid === boundary.uuid);
  const before = stored.slice(0, Math.max(0, at));
  const branched = before.findLast((message) => message.type === "system" && message.subtype === "branched");
  // A boundary that came with the branch: what it stands for is in the other transcript.
  if (branched !== undefined && Date.parse(boundary.timestamp) <= Date.parse(branched.timestamp))
    return undefined;
  return before.find(({ uuid }) => uuid === boundary.logicalParentUuid)?.uuid;
}

/** What was said since the compaction, as it has to be said again after the message before it. */
function copiesOfLater(
  conversation: Conversation,
  { boundary, stored }: { readonly boundary: CompactBoundary; readonly stored: readonly Message[] },
): readonly Message[] {
  const { live, model } = conversation;
  const place = new Map(stored.map(({ uuid }, at) => [uuid, at]));
  let end = place.get(boundary.uuid) ?? -1;
  while (isOutput(stored[end + 1])) end += 1;
  const compacted = live.filter(({ uuid }) => (place.get(uuid) ?? end + 1) <= end);
  const outcome = undoCompaction(
    {
      before: [],
      compacted: { boundary, live: compacted, stored: [] },
      now: live,
      tokens: () => 0,
      mostTokens: Number.POSITIVE_INFINITY,
      isThinkingBound: findModel(model)?.capabilities.thinking.boundToPrefix !== false,
    },
    conversation.origin(),
  );
  return outcome.kind === "undone" ? outcome.stored.slice(1) : [];
}

/** What a compaction writes after its boundary: the summary, pinned messages again, attachments. */
const isOutput = (message: Message | undefined): boolean =>
  message !== undefined &&
  (message.type === "attachment" ||
    (message.type === "user" &&
      (message.isCompactSummary === true ||
        (message as { readonly pinnedUuid?: unknown }).pinnedUuid !== undefined)));
