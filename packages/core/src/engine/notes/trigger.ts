import type { Settings } from "../settings/settings.js";

/** What an extraction is decided by. */
export interface ExtractionFacts {
  /** Tokens of the context now. */
  readonly tokens: number;
  /** Tokens at the last extraction; undefined before the first. */
  readonly tokensAtLast: number | undefined;
  readonly toolCallsSince: number;
  /** The newest response made no call: the turn has ended. */
  readonly hasTurnEnded: boolean;
  /** A call still lacks its result. */
  readonly hasOpenCalls: boolean;
}

type TriggerSettings = Pick<
  Settings,
  "notesFirstTokens" | "notesTokensBetweenUpdates" | "notesToolCallsBetweenUpdates"
>;

/**
 * Whether the notes are due: the context has grown enough, and either enough was done or the turn is over. Only
 * once a round is whole.
 */
export function isExtractionDue(facts: ExtractionFacts, settings: TriggerSettings): boolean {
  const { tokens, tokensAtLast, toolCallsSince, hasTurnEnded, hasOpenCalls } = facts;
  if (hasOpenCalls) return false;
  const hasGrown =
    tokensAtLast === undefined
      ? tokens >= settings.notesFirstTokens
      : tokens - tokensAtLast >= settings.notesTokensBetweenUpdates;
  return hasGrown && (toolCallsSince >= settings.notesToolCallsBetweenUpdates || hasTurnEnded);
}
