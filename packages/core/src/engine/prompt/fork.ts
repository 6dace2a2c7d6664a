import type { QuerySource } from "../../messages/call/query-source.js";
import type { RequestMessage, UserRequestMessage } from "../../messages/content.js";
import { findModel } from "../../models/table.js";
import { isThinkingBlock } from "../../messages/predicates.js";
import { isLiveWrite } from "./cache-writes.js";
import { thinkingBudget } from "./fork-max-tokens.js";
import { forkParameters, type ForkAnswer } from "./fork-parameters.js";
import type { Ttl } from "./markers.js";
import { assemble, type BuiltRequest, type CacheSafeParams } from "./request-builder.js";

export interface ForkParts {
  readonly source: QuerySource;
  /** What the fork says after the prefix. */
  readonly messages: readonly RequestMessage[];
  /**
   * The prefix, as the normaliser gives it: by default the messages of the shared request; more where the
   * conversation has gone on since, fewer where only its beginning is wanted.
   */
  readonly prefix?: readonly RequestMessage[];
  /** Write nothing: read what the main thread left and pay for the rest as plain input. Default true. */
  readonly skipCacheWrite?: boolean;
  /** The lifetime of a marker of the fork's own; the shared ones stay as they are. Default 5m. */
  readonly ownTtl?: Ttl;
  /** The time, in milliseconds: prefixes whose time is over are not marked, for that would write them again. */
  readonly now: number;
  /** Not part of the cache key. Default that of the shared request; always more than a thinking budget. */
  readonly maxTokens?: number;
  /**
   * Leaves out what the caller set for its own answers: a format, stop sequences, a forced choice, sampling. Where
   * that changes the cache key only tools and system prompt are read. Default: everything is as it was sent.
   */
  readonly answer?: ForkAnswer;
}

/**
 * A call that reads the prefix of the conversation: the shared request, byte for byte, with messages of its
 * own after it, or after its beginning. Nothing of the conversation changes by it.
 */
export function buildFork(shared: CacheSafeParams, fork: ForkParts): BuiltRequest {
  const { source, skipCacheWrite = true, ownTtl = "5m", maxTokens, now, answer } = fork;
  const { parameters, isKeySame } =
    answer === undefined
      ? { parameters: shared.parameters, isKeySame: true }
      : forkParameters(shared.parameters, answer);
  const params: CacheSafeParams = { ...shared, parameters };
  const { prefix = params.messages } = fork;
  const live = params.writes.filter((write) => isLiveWrite(write, now));
  const reach = readableMessages(params, prefix);
  const lastWrite = isKeySame
    ? live.findLast(({ position }) => position.message < reach)?.position
    : undefined;
  const budget = thinkingBudget(params.parameters.thinking);
  const built = assemble(
    {
      ...params,
      // Edits of messages that the fork does not carry would name what is not there.
      pinnedEdits: params.pinnedEdits.filter(({ position }) => position.message < prefix.length),
      // With nothing left in the cache every marker would write.
      isCachingOn: params.isCachingOn && (!skipCacheWrite || live.length > 0),
    },
    {
      source,
      messages: joinMessages(prefix, fork.messages.map(withoutMarkers)),
      skipCacheWrite,
      ownTtl,
      ...(lastWrite === undefined ? {} : { lastWrite }),
      ...(maxTokens === undefined ? {} : { maxTokens: Math.max(maxTokens, budget + 1) }),
    },
  );
  return { ...built, fork: { prefixMessages: Math.min(prefix.length, params.messages.length) } };
}

/**
 * How many messages of the prefix a fork can read. Where a model strips thinking of earlier turns, what the fork
 * says is such a turn: what stands after the first thinking is another prefix then.
 */
function readableMessages({ parameters }: CacheSafeParams, prefix: readonly RequestMessage[]): number {
  const isKept = findModel(parameters.model)?.capabilities.thinking.keptAcrossTurns ?? true;
  const first = isKept ? -1 : prefix.findIndex(({ content }) => content.some(isThinkingBlock));
  return first === -1 ? prefix.length : first;
}

/** The message without markers of the caller's: where they stand is decided here. */
function withoutMarkers(message: RequestMessage): RequestMessage {
  if (!message.content.some((block) => "cache_control" in block)) return message;
  const content = message.content.map((block) => {
    if (!("cache_control" in block)) return block;
    const { cache_control: _marker, ...rest } = block;
    return rest;
  });
  return { ...message, content } as RequestMessage;
}

/** User content after a user message joins it, as the API would; the blocks before stay what they were. */
function joinMessages(
  prefix: readonly RequestMessage[],
  own: readonly RequestMessage[],
): readonly RequestMessage[] {
  const last = prefix.at(-1);
  const [first, ...rest] = own;
  if (last?.role !== "user" || first?.role !== "user") return [...prefix, ...own];
  const joined: UserRequestMessage = { role: "user", content: [...last.content, ...first.content] };
  return [...prefix.slice(0, -1), joined, ...rest];
}

/** State that a fork gets a copy of: what it does to the copy nobody else sees. */
export interface Cloneable<T> {
  clone(): T;
}

/** Copies of read-state and other mutable state of tools, by name, for one fork. */
export function cloneStates<States extends Readonly<Record<string, unknown>>>(states: {
  readonly [Name in keyof States]: Cloneable<States[Name]>;
}): States {
  return Object.fromEntries(
    Object.entries<Cloneable<unknown>>(states).map(([name, state]) => [name, state.clone()]),
  ) as States;
}
