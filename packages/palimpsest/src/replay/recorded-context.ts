import type { Accounting, ContextSize, Estimator, Message, Share } from "@palimpsest/core";
import {
  accountFor,
  applyBoundaries,
  conversationWindows,
  createContextMeter,
  createMeasuredSizes,
  isClearingBoundary,
  readUsage,
  type ClearingBoundary,
} from "@palimpsest/core/engine";

/** What stands in the context at the end of a recording. */
export interface RecordedContext {
  readonly size: ContextSize;
  /** Its parts sum to `size.tokens`. */
  readonly accounting: Accounting;
  /** Where the figure for system prompt and tools comes from. */
  readonly head: RecordedHead;
}

export type RecordedHead =
  /** They stand in the recording. */
  | "recorded"
  /** What the first response reports beside the messages that are there. */
  | "left-over"
  | "unknown";

/** In the accounting's attachments: what the recording does not show, as far as its usage tells of it. */
export const HEAD_SHARE = "system-and-tools";
export const UNRECORDED_SHARE = "unrecorded";

/** Measures the end of a conversation as its responses have shown it, without what was cleared, replaced or cut. */
export function recordedContext(messages: readonly Message[], estimator: Estimator): RecordedContext {
  const windows = conversationWindows(messages);
  const recorded = recordedHeadTokens(messages, estimator);
  const shown = recorded > 0 ? undefined : headShownIn(windows, estimator);
  return contextAtEnd(windows.at(-1) ?? [], { estimator, recorded, shown });
}

interface KnownHead {
  readonly estimator: Estimator;
  /** Tokens of system prompt and tools that stand in the recording; 0 for none. */
  readonly recorded: number;
  /** What a first response has shown of them; undefined where no usage is reported. */
  readonly shown: number | undefined;
}

/** The same for live messages, once it is known what stands before them. */
export function contextAtEnd(
  live: readonly Message[],
  { estimator, recorded, shown }: KnownHead,
): RecordedContext {
  const standing = asItStands(live);
  const sizes = createMeasuredSizes(estimator);
  const meter = createContextMeter({
    estimator: sizes,
    overhead: shown ?? 0,
    isOverheadShown: shown !== undefined,
  });
  if (recorded > 0) meter.useHead(recorded);
  const size = meter.append(standing);
  return {
    size,
    accounting: fitted(accountFor(standing, sizes), size),
    head: recorded > 0 ? "recorded" : size.shownOverhead > 0 ? "left-over" : "unknown",
  };
}

const hasUsage = (message: Message): boolean =>
  message.type === "assistant" && readUsage(message.message?.usage) !== undefined;

/** The shown head of the newest window that tells of any; undefined where no usage is reported. */
function headShownIn(windows: readonly (readonly Message[])[], estimator: Estimator): number | undefined {
  let shown: number | undefined;
  for (const window of windows.toReversed()) {
    const start = startOf(window);
    if (start.length === 0) continue;
    shown = headShownBy(start, estimator);
    if (shown > 0) return shown;
  }
  return shown;
}

/** A window up to its first response that reports its usage; nothing where none does. */
export const startOf = (window: readonly Message[]): readonly Message[] =>
  window.slice(0, window.findIndex(hasUsage) + 1);

/** What the first response of a window left for system prompt and tools. It had read what was cleared later. */
export const headShownBy = (start: readonly Message[], estimator: Estimator): number =>
  createContextMeter({ estimator: createMeasuredSizes(estimator) }).append(asItStands(start)).shownOverhead;

/** System prompt and tools that stand in the recording, as they do in the body of a request. */
function recordedHeadTokens(messages: readonly Message[], estimator: Estimator): number {
  return messages.reduce((sum, message) => {
    if (message.type !== "system" || !HEAD_SUBTYPES.has(message.subtype)) return sum;
    return sum + estimator.block({ type: "text", text: message.content ?? "" });
  }, 0);
}

const HEAD_SUBTYPES: ReadonlySet<string> = new Set(["system_prompt", "tool_definitions"]);

/**
 * Live messages as the next request would hold them: what a provider deletes from its own copy is gone too. No boundary
 * has freed anything then that is still there.
 */
function asItStands(live: readonly Message[]): readonly Message[] {
  const originals = new Map<string, Message>();
  const local = live.map((message) => {
    if (!isClearingBoundary(message)) return message;
    const { microcompactMetadata: metadata } = message;
    const done: ClearingBoundary = {
      ...message,
      microcompactMetadata: { ...metadata, tokensBefore: 0, tokensAfter: 0 },
    };
    originals.set(message.uuid, done);
    const boundary: ClearingBoundary = {
      ...message,
      microcompactMetadata: { ...metadata, variant: "size-based" },
    };
    return boundary;
  });
  return applyBoundaries(local).map((message) => originals.get(message.uuid) ?? message);
}

/**
 * The parts by their own sizes, made to sum to what is in the context: what is there beyond them is system prompt and
 * tools, as far as those are known, and what was never recorded. Parts that were estimated at more become smaller.
 */
function fitted(parts: Accounting, size: ContextSize): Accounting {
  const { tokens } = size;
  const known = Math.min(size.shownOverhead || size.overhead, tokens);
  const isPlausible = tokens - known >= parts.total / 2;
  const head = isPlausible ? known : Math.max(0, tokens - parts.total);
  const room = Math.max(0, tokens - head);
  const factor = parts.total > room ? room / parts.total : 1;
  const scaled = (value: number): number => Math.floor(value * factor);
  const shares = (all: Readonly<Record<string, Share>>): Readonly<Record<string, Share>> =>
    Object.fromEntries(
      Object.entries(all).map(([name, share]) => [name, { ...share, tokens: scaled(share.tokens) }]),
    );
  const [toolRequests, toolResults, attachments] = [
    parts.toolRequests,
    parts.toolResults,
    parts.attachments,
  ].map(shares);
  const [human, said, localCommandOutput, other] = [
    parts.human,
    parts.assistant,
    parts.localCommandOutput,
    parts.other,
  ].map(scaled) as [number, number, number, number];
  const sums = [toolRequests, toolResults, attachments].map(sumOf) as [number, number, number];
  const rest = Math.max(0, room - human - said - localCommandOutput - other - sums[0] - sums[1] - sums[2]);
  // What is left of rounding is no part of its own.
  const [assistant, unrecorded] = factor < 1 ? [said + rest, 0] : [said, rest];
  const duplicateReads = parts.duplicateReads.map((read) => ({ ...read, wasted: scaled(read.wasted) }));
  const percent = (part: number): number => (tokens === 0 ? 0 : Math.round((part / tokens) * 1000) / 10);
  return {
    ...parts,
    total: tokens,
    human,
    assistant,
    toolRequests: toolRequests ?? {},
    toolResults: toolResults ?? {},
    localCommandOutput,
    attachments: {
      ...(head > 0 ? { [HEAD_SHARE]: { count: 1, tokens: head } } : {}),
      ...(unrecorded > 0 ? { [UNRECORDED_SHARE]: { count: 1, tokens: unrecorded } } : {}),
      ...attachments,
    },
    other,
    duplicateReads,
    percentages: {
      human: percent(human),
      assistant: percent(assistant),
      toolRequests: percent(sums[0]),
      toolResults: percent(sums[1]),
      localCommandOutput: percent(localCommandOutput),
      duplicateReads: percent(duplicateReads.reduce((sum, { wasted }) => sum + wasted, 0)),
    },
  };
}

const sumOf = (shares: Readonly<Record<string, Share>> = {}): number =>
  Object.values(shares).reduce((sum, { tokens }) => sum + tokens, 0);
