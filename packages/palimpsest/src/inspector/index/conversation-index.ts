import { isCompactBoundary } from "@palimpsest/core";
import { isClearingBoundary } from "@palimpsest/core/engine";
import { clearingsIn, compactionsIn } from "../../replay/analyze-recording.js";
import { recordedBreaks, type RecordedBreak } from "../../replay/recorded-breaks.js";
import { recordedCost, type RecordedCost } from "../../replay/recorded-cost.js";
import type { CompactionMark, ConversationFigures, TimelineMark, TokenSums } from "../contract.js";
import { previewOf } from "./shortened.js";
import type { IndexedMessage } from "./indexed-message.js";
import type { RecordedHeads } from "./recorded-heads.js";
import { headOf, inputOf, scaleParts, type ScaledParts } from "./scale-parts.js";
import type { ScannedRecording } from "./scan-recording.js";
import { isFailure, traceRequests, type TracedConversation, type TracedRequest } from "./trace-requests.js";
import { partKinds } from "./trace-lane.js";

/** Everything that is known of a recording without its words. A value: a file that has grown gives another one. */
export interface ConversationIndex {
  readonly scanned: ScannedRecording;
  readonly messages: readonly IndexedMessage[];
  readonly traced: TracedConversation;
  /** For each request, what its parts have. */
  readonly parts: readonly ScaledParts[];
  readonly breaks: readonly RecordedBreak[];
  /** By the number of the request that lost something. */
  readonly breakOf: ReadonlyMap<number, RecordedBreak>;
  readonly compactions: readonly IndexedCompaction[];
  readonly marks: readonly TimelineMark[];
  readonly cost: RecordedCost;
  readonly usage: TokenSums;
  readonly figures: ConversationFigures;
  readonly title: string;
}

interface IndexedCompaction {
  readonly mark: CompactionMark;
  /** The ordinal of its boundary. */
  readonly boundary: number;
}

const TITLE_CHARACTERS = 200;

/** Works out the figures of a recording from one pass over it. */
export function indexConversation(scanned: ScannedRecording): ConversationIndex {
  const { messages } = scanned;
  const traced = traceRequests(messages);
  const light = messages.map(({ message }) => message);
  const breaks = recordedBreaks({ messages: light });
  const cost = recordedCost(light);
  const byResponse = new Map(
    traced.requests.flatMap(({ lane, responseId, number }) =>
      lane === 0 && responseId !== "" ? [[responseId, number] as const] : [],
    ),
  );
  const breakOf = new Map(
    breaks.flatMap((found) => {
      const number = byResponse.get(found.messageId);
      return number === undefined ? [] : [[number, found] as const];
    }),
  );
  const compactions = compactionMarks(messages, traced);
  const usage = sumOf(traced.requests);
  const main = traced.requests.filter(({ lane, context }) => lane === 0 && context !== undefined);
  const parts = partsOf(traced, scanned.heads);
  const sizeOf = ({ number, usage: { output } }: TracedRequest): number =>
    (parts[number]?.kinds ?? []).reduce((sum, tokens) => sum + tokens, 0) + output;
  const newest = main.at(-1);
  return {
    scanned,
    messages,
    traced,
    parts,
    breaks,
    breakOf,
    compactions,
    marks: [
      ...compactions.map(({ mark }) => compactionMark(mark)),
      ...clearingMarks(messages, traced),
      ...[...breakOf].map(([request, found]) => breakMark(request, found)),
      ...failureMarks(messages, traced),
    ].toSorted((a, b) => a.request - b.request),
    cost,
    usage,
    figures: {
      requests: traced.requests.length,
      messages: messages.filter(({ message }) => message.type === "user" || message.type === "assistant")
        .length,
      compactions: compactions.length,
      clearings: clearingsIn(light).length,
      breaks: breaks.length,
      tokens: newest === undefined ? 0 : sizeOf(newest),
      largestTokens: main.reduce((most, request) => Math.max(most, sizeOf(request)), 0),
      usage,
      cost: cost.dollars,
    },
    title: titleOf(messages),
  };
}

/** By lane, what its first request shows of what is not recorded is in all that follow it. */
function partsOf({ requests }: TracedConversation, recorded: RecordedHeads): readonly ScaledParts[] {
  const bodies = new Map(recorded.requests.map((head) => [head.response, head]));
  const heads = new Map<number, number>();
  return requests.map((request) => {
    const { context, lane } = request;
    if (context === undefined) {
      const input = inputOf(request);
      return { kinds: partKinds.map((kind) => (kind === "unknown" ? input : 0)), factor: 1 };
    }
    const body = bodies.get(request.responseId);
    const rebuilt = context.list.sums(context.length);
    if (body !== undefined) {
      const sums = rebuilt.map(
        (tokens, kind) => tokens + (kind === SYSTEM ? body.system : kind === TOOLS ? body.tools : 0),
      );
      return scaleParts(request, sums, 0);
    }
    if (!heads.has(lane) && request.isReported) heads.set(lane, headOf(request, rebuilt));
    return scaleParts(request, rebuilt, heads.get(lane) ?? 0);
  });
}

const SYSTEM = partKinds.indexOf("system");
const TOOLS = partKinds.indexOf("tools");

const noSums: TokenSums = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

export const sumOf = (requests: readonly Pick<TracedRequest, "usage">[]): TokenSums =>
  requests.reduce(
    (sum, { usage }) => ({
      input: sum.input + usage.input,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite5m: sum.cacheWrite5m + usage.cacheWrite5m,
      cacheWrite1h: sum.cacheWrite1h + usage.cacheWrite1h,
      output: sum.output + usage.output,
    }),
    noSums,
  );

/** The next request after a message; the newest before it where none came. */
function requestNear(ordinal: number, { requests, requestAfter }: TracedConversation): number {
  const next = requestAfter[ordinal] ?? -1;
  if (next >= 0) return next;
  return Math.max(
    0,
    requests.findLastIndex(({ pieces }) => (pieces[0] ?? Infinity) < ordinal),
  );
}

function compactionMarks(
  messages: readonly IndexedMessage[],
  traced: TracedConversation,
): readonly IndexedCompaction[] {
  const boundaries = messages.flatMap(({ message }, ordinal) =>
    message.isSidechain !== true && isCompactBoundary(message) ? [ordinal] : [],
  );
  return compactionsIn(messages.map(({ message }) => message)).map((compaction, index) => {
    const boundary = boundaries[index] ?? 0;
    const mark = {
      id: `c${index}`,
      request: requestNear(boundary, traced),
      at: compaction.at === "" ? null : compaction.at,
      trigger: compaction.trigger,
      tokensBefore: compaction.preTokens,
      tokensAfter: compaction.postTokens,
    };
    return { boundary, mark };
  });
}

const tokensText = (tokens: number): string => `${tokens.toLocaleString("en-US")} tokens`;

const compactionMark = ({
  id,
  request,
  trigger,
  tokensBefore,
  tokensAfter,
}: CompactionMark): TimelineMark => ({
  request,
  kind: "compaction",
  label:
    tokensAfter === null
      ? `compacted (${trigger}) at ${tokensText(tokensBefore)}`
      : `compacted (${trigger}): ${tokensBefore.toLocaleString("en-US")} → ${tokensText(tokensAfter)}`,
  compaction: id,
});

const clearingMarks = (
  messages: readonly IndexedMessage[],
  traced: TracedConversation,
): readonly TimelineMark[] =>
  messages.flatMap(({ message }, ordinal): readonly TimelineMark[] => {
    if (message.isSidechain === true || !isClearingBoundary(message)) return [];
    const { toolUseIds, tokensBefore, tokensAfter } = message.microcompactMetadata;
    const freed = tokensText(Math.max(0, tokensBefore - tokensAfter));
    const results = toolUseIds.length === 1 ? "1 result" : `${toolUseIds.length} results`;
    return [
      {
        request: requestNear(ordinal, traced),
        kind: "clearing",
        label: `${results} cleared, about ${freed}`,
      },
    ];
  });

const breakMark = (request: number, { detail, lostTokens, cost }: RecordedBreak): TimelineMark => ({
  request,
  kind: "break",
  label: `cache break: ${detail}, ${tokensText(lostTokens)} lost`,
  ...(cost === null ? {} : { dollars: cost }),
});

const failureMarks = (
  messages: readonly IndexedMessage[],
  traced: TracedConversation,
): readonly TimelineMark[] =>
  messages.flatMap(({ message }, ordinal): readonly TimelineMark[] => {
    if (!isFailure(message) || message.type !== "assistant") return [];
    const words = message.message.content
      .map((block) => (block?.type === "text" ? block.text : ""))
      .join(" ");
    const label = previewOf(words.trim(), 160) || "a request failed";
    return [{ request: requestNear(ordinal, traced), kind: "failure", label }];
  });

/** What a person said first. */
export function titleOf(messages: readonly IndexedMessage[]): string {
  const isAgentAlone = messages.every(({ message }) => message.isSidechain === true);
  for (const { message, blocks } of messages) {
    if (
      message.type !== "user" ||
      (message.isSidechain === true && !isAgentAlone) ||
      typeof message.message.content === "string"
    )
      continue;
    const words = message.message.content
      .flatMap((block, at) => (block?.type === "text" && blocks[at]?.kind === "people" ? [block.text] : []))
      .join(" ");
    const title = previewOf(words.replaceAll(/\s+/g, " ").trim(), TITLE_CHARACTERS);
    if (title !== "") return title;
  }
  return "";
}
