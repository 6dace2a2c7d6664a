import { findModel } from "@palimpsest/core";
import type { ConversationOverview, LargeItem, TokenSums } from "../contract.js";
import { previewOf } from "../index/shortened.js";
import { partKinds } from "../index/trace-lane.js";
import { sumOf, type ConversationIndex } from "../index/conversation-index.js";
import type { TracedRequest } from "../index/trace-requests.js";
import { attachmentWords } from "./attachment-words.js";
import { blocksOfRequest } from "./context-blocks.js";
import { costsOf } from "./cost-shares.js";
import type { OpenConversation } from "./conversations.js";
import { endOfContext } from "./end-of-context.js";

const MOST_LARGE = 20;

/** What a conversation consists of and what it cost. */
export async function overview(conversation: OpenConversation): Promise<ConversationOverview> {
  const { index, listed, version, canUndo, thresholds } = conversation;
  const { requests, lanes } = index.traced;
  const newest = newestMain(index);
  const parts = newest === undefined ? [] : (index.parts[newest.number]?.kinds ?? []);
  const end = await endOfContext(conversation);
  const model = findModel(newest?.model ?? "");
  return {
    ...listed,
    version,
    models: modelsOf(requests),
    lanes: lanes.map(({ id, name }, lane) => {
      const own = requests.filter((request) => request.lane === lane);
      return { id, name, requests: own.length, cost: dollarsOf(own) };
    }),
    window: model?.contextWindow ?? null,
    thresholds,
    compactions: index.compactions.map(({ mark }) => mark),
    largest: newest === undefined ? [] : largestOf(index, newest),
    duplicateReads: end.duplicateReads,
    parts: partKinds.flatMap((kind, at) => {
      const tokens = parts[at] ?? 0;
      return tokens === 0 ? [] : [{ kind, tokens, estimated: true }];
    }),
    ...costsOf(index),
    cacheSaved: savedOf(index),
    unknown: end.unknown,
    canUndo,
  };
}

const newestMain = ({ traced }: ConversationIndex): TracedRequest | undefined =>
  traced.requests.findLast(({ lane, context }) => lane === 0 && context !== undefined);

interface ModelShare {
  readonly model: string;
  readonly requests: number;
  readonly usage: TokenSums;
  readonly cost: number | null;
}

function modelsOf(requests: readonly TracedRequest[]): readonly ModelShare[] {
  const byModel = new Map<string, TracedRequest[]>();
  for (const request of requests) {
    const own = byModel.get(request.model);
    if (own === undefined) byModel.set(request.model, [request]);
    else own.push(request);
  }
  return [...byModel]
    .map(([model, own]) => ({ model, requests: own.length, usage: sumOf(own), cost: dollarsOf(own) }))
    .toSorted((a, b) => b.requests - a.requests);
}

/** Of the requests whose price is known; null where there is none. */
function dollarsOf(requests: readonly TracedRequest[]): number | null {
  const known = requests.flatMap(({ cost }) => cost ?? []);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}

const savedOf = ({ cost: { dollars, withoutCache } }: ConversationIndex): number | null =>
  dollars === null ? null : withoutCache - dollars;

/** The largest blocks of a request. */
function largestOf(index: ConversationIndex, request: TracedRequest): readonly LargeItem[] {
  const factor = index.parts[request.number]?.factor ?? 1;
  const calls = new Map<string, string>();
  return blocksOfRequest(index, request)
    .map((placed) => {
      const { ordinal, block, facts } = placed;
      const content = contentOf(index, ordinal)[block];
      if (facts.type === "tool_use" && facts.call !== undefined) calls.set(facts.call, callText(content));
      return {
        placed,
        what: calls.get(facts.call ?? "") ?? (wordsOf(content) || attachmentType(index, ordinal)),
      };
    })
    .filter(({ placed }) => !placed.isCleared)
    .toSorted((a, b) => b.placed.facts.tokens - a.placed.facts.tokens)
    .slice(0, MOST_LARGE)
    .map(({ placed: { ordinal, block, facts }, what }) => ({
      block: `${ordinal}-${block}`,
      kind: facts.kind,
      what,
      tokens: Math.round(facts.tokens * factor),
      estimated: true,
      request: index.traced.requestAfter[ordinal] ?? request.number,
    }));
}

function contentOf({ messages }: ConversationIndex, ordinal: number): readonly unknown[] {
  const message = messages[ordinal]?.message;
  const content = message?.type === "user" || message?.type === "assistant" ? message.message.content : [];
  return typeof content === "string" ? [] : content;
}

/** What a message that a program wrote beside others tells of. */
function attachmentType({ messages }: ConversationIndex, ordinal: number): string {
  const message = messages[ordinal]?.message;
  return message?.type === "attachment" ? attachmentWords(message.attachment) : "";
}

const WHAT_CHARACTERS = 200;

function callText(content: unknown): string {
  const { name = "", input = {} } = content as { readonly name?: string; readonly input?: object };
  const first: string = Object.values(input).find((value) => typeof value === "string") ?? "";
  return previewOf(`${name} ${first}`.replaceAll(/\s+/g, " ").trim(), WHAT_CHARACTERS);
}

function wordsOf(content: unknown): string {
  const { text, type = "" } = (content ?? {}) as { readonly text?: unknown; readonly type?: string };
  return typeof text === "string" && text !== ""
    ? previewOf(text.replaceAll(/\s+/g, " ").trim(), WHAT_CHARACTERS)
    : type;
}
