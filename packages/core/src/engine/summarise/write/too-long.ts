import { createUserMessage, type MessageOrigin } from "../../../messages/construct.js";
import type { Message, UserMessage } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import { groupByRound, hasContent } from "../divide/rounds.js";

/** Stands before what is left where that would begin with the model's words. */
export const TRUNCATION_MARKER = "[earlier conversation truncated for compaction retry]";

/** What a refusal says; figures that it does not have are absent. */
export interface TooLong {
  readonly actualTokens?: number;
  readonly maximumTokens?: number;
}

export interface TruncateOptions {
  readonly estimator: Estimator;
  readonly origin: MessageOrigin;
  /** The digest of all that was dropped so far, for the head of the retry; undefined where it has nothing to say. */
  readonly digest: (dropped: readonly Message[]) => string | undefined;
  /** Share of the groups that goes where the refusal names no figures. */
  readonly share: number;
}

export interface Truncated {
  /** For the next attempt: digest and marker at its head. */
  readonly messages: readonly Message[];
  /** Everything that was dropped so far, in order. */
  readonly dropped: readonly Message[];
}

/**
 * Drops the oldest rounds, as many as the refusal asks for. `attempted` is what was refused, digest and marker
 * of an earlier attempt included; `dropped` is what earlier attempts left out. Undefined: nothing can go.
 */
export function dropOldest(
  { attempted, dropped }: { readonly attempted: readonly Message[]; readonly dropped: readonly Message[] },
  refusal: TooLong,
  options: TruncateOptions,
): Truncated | undefined {
  const groups = groupByRound(attempted.filter((message) => !isRetryMessage(message)));
  const count = groupsToDrop(groups, refusal, options);
  const gone = groups.slice(0, count).flat();
  const rest = groups.slice(count).flat();
  if (gone.length === 0 || !hasContent(rest)) return undefined;
  const allDropped = [...dropped, ...gone];
  const digest = options.digest(allDropped);
  const first = rest.find((message) => message.type === "user" || message.type === "assistant");
  const head = [
    ...(first?.type === "assistant" || digest !== undefined ? [TRUNCATION_MARKER] : []),
    ...(digest === undefined ? [] : [digest]),
  ];
  return {
    messages: [...head.map((text) => retryMessage(text, options.origin)), ...rest],
    dropped: allDropped,
  };
}

function groupsToDrop(
  groups: readonly (readonly Message[])[],
  { actualTokens, maximumTokens }: TooLong,
  { estimator, share }: TruncateOptions,
): number {
  if (actualTokens === undefined || maximumTokens === undefined || actualTokens <= maximumTokens) {
    return Math.max(1, Math.ceil(groups.length * share));
  }
  let covered = 0;
  const gap = actualTokens - maximumTokens;
  const enough = groups.findIndex((group) => {
    covered += group.reduce((sum, message) => sum + estimator.message(message), 0);
    return covered >= gap;
  });
  return enough === -1 ? groups.length : enough + 1;
}

interface RetryMessage extends UserMessage {
  readonly isCompactionRetry: true;
}

const retryMessage = (text: string, origin: MessageOrigin): RetryMessage => ({
  ...createUserMessage(origin, { content: text, isMeta: true }),
  isCompactionRetry: true,
});

/** What an earlier retry put at the head; by its flag, never by its words alone. */
const isRetryMessage = (message: Message): boolean =>
  message.type === "user" &&
  message.isMeta === true &&
  (message as Partial<RetryMessage>).isCompactionRetry === true;
