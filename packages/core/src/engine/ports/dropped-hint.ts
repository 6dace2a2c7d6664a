import type { Message } from "../../messages/message.js";

/**
 * What a compaction took out of the context and how the model finds it again: one line for the summary message, or undefined
 * where there is no way. Asked once for a summary, with the messages that it stands for.
 */
export type DroppedHint = (dropped: readonly Message[]) => string | undefined;
