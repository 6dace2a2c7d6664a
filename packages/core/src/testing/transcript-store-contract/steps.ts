import type { TranscriptContent, TranscriptStore } from "../../engine/ports/transcript-store.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import type { Message } from "../../messages/message.js";
import { checkSame } from "../check.js";

/** Opens, appends the batches one after another, closes. */
export async function write(
  store: TranscriptStore,
  conversationId: string,
  ...batches: readonly (readonly Message[])[]
): Promise<void> {
  const writer = await store.open(conversationId);
  try {
    for (const batch of batches) await writer.append(batch);
  } finally {
    await writer.close();
  }
}

/** Fails unless exactly these messages were read, and no line was damaged. */
export function checkContent(content: TranscriptContent, expected: readonly Message[], what: string): void {
  checkSame(
    content.messages.map(({ uuid }) => uuid),
    expected.map(({ uuid }) => uuid),
    `${what}, uuids`,
  );
  checkSame(content.messages.map(withoutHint), expected.map(withoutHint), what);
  checkSame(content.damaged, [], `${what}, damaged lines`);
}

/** Where a segment lies is the store's own affair: it may be there, and differ. */
function withoutHint(message: Message): unknown {
  if (!isCompactBoundary(message)) return message;
  const { compactMetadata } = message;
  const segment = compactMetadata?.preservedSegment;
  if (segment === undefined) return message;
  const { byteRanges: _hint, ...ends } = segment;
  return { ...message, compactMetadata: { ...compactMetadata, preservedSegment: ends } };
}
