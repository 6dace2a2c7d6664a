import type { RequestMessage, ModelRequest } from "@palimpsest/core";
import { hashValue } from "@palimpsest/core/engine";
import { isAcknowledgement, isContinuation } from "./continuation.js";
import {
  conversationFamily,
  conversationKey,
  conversationTag,
  toolsFingerprint,
} from "./conversation-key.js";
import { blocksOf, firstHumanText, isReminder, textOf } from "./prompt-text.js";
import { mentionedToolUseId, parseToolUseId, type ToolUseIdParts } from "./tool-use-id.js";

/** What is remembered of one conversation. */
export interface Conversation {
  /** What its tool_use ids carry. */
  readonly tag: string;
  readonly key: string;
  readonly family: string;
  readonly tools: string;
  /** The highest response that was handed out; -1 before the first. */
  readonly furthest: number;
  /** Texts that stand for everything before them (by hash), with the response that comes next after them. */
  readonly anchors: readonly (readonly [hash: string, next: number])[];
  /** Where it stood when a summary of it was last asked for. */
  readonly compactedAt?: number;
  /** How often each fault was played. */
  readonly faults: Readonly<Record<string, number>>;
}

/** The memory of the players that have a place in a plan. The newest conversation is the last. */
export interface Conversations {
  readonly conversations: readonly Conversation[];
}

export interface Position {
  readonly conversation: Conversation;
  /** The response that the request asks for, counted from 0. */
  readonly next: number;
  /** Whether anything of the conversation was known, from the memory or from its ids. */
  readonly known: boolean;
}

const CONVERSATIONS_KEPT = 256;
const ANCHORS_KEPT = 32;

export function readConversations(memory: unknown): Conversations {
  return typeof memory === "object" && memory !== null && "conversations" in memory
    ? (memory as Conversations)
    : { conversations: [] };
}

/** The memory with a conversation as it is now. */
export function rememberConversation(memory: Conversations, conversation: Conversation): Conversations {
  const others = memory.conversations.filter(({ tag }) => tag !== conversation.tag);
  return { conversations: [...others, conversation].slice(-CONVERSATIONS_KEPT) };
}

/**
 * Where a request stands. In this order:
 * 1. The last tool_use id of ours, and the responses without one after it: retries, forks and rewinds say
 *    themselves where they are, and need no memory.
 * 2. A text after that id which stands for what a compaction took out: the response that came next when it was
 *    first seen, and the responses after it.
 * 3. Without either: the number of responses.
 */
export function locate(request: ModelRequest, memory: Conversations): Position {
  const trace = traceOf(request);
  const { found, anchor } = findConversation(request, trace, memory);
  const conversation = found ?? newConversation(request, trace);
  const known = found !== undefined || trace.lastId !== undefined || anchor?.mention !== undefined;

  if (anchor === undefined) {
    return { conversation, next: nextById(trace), known };
  }
  const hash = hashValue(anchor.text);
  const remembered = conversation.anchors.find(([known]) => known === hash)?.[1];
  const base = remembered ?? firstSeen(anchor, conversation);
  const anchored: Conversation =
    remembered === undefined
      ? { ...conversation, anchors: [...conversation.anchors, [hash, base] as const].slice(-ANCHORS_KEPT) }
      : conversation;
  return { conversation: anchored, next: base + anchor.responsesBehind, known };
}

/** The conversation after a response was handed out. */
export function handedOut(conversation: Conversation, response: number): Conversation {
  const { compactedAt, ...rest } = conversation;
  return {
    ...rest,
    furthest: Math.max(conversation.furthest, response),
    ...(compactedAt !== undefined && compactedAt >= response ? { compactedAt } : {}),
  };
}

/** The conversation after a summary of everything before `next` was asked for. */
export const summaryAsked = (conversation: Conversation, next: number): Conversation => ({
  ...conversation,
  compactedAt: next,
});

interface Anchor {
  readonly text: string;
  readonly mention?: ToolUseIdParts;
  responsesBehind: number;
}

interface Trace {
  readonly lastId?: ToolUseIdParts;
  /** Meaningful where there is no id. */
  readonly responses: number;
  readonly responsesBehindLastId: number;
  /** The last text after the last id that stands for older messages. */
  readonly anchor?: Anchor;
}

/** Only what follows the last id of ours matters: a long conversation costs no more than a short one. */
function traceOf(request: ModelRequest): Trace {
  const start = Math.max(0, request.messages.findLastIndex(holdsOwnId));
  let lastId: ToolUseIdParts | undefined;
  let anchor: Anchor | undefined;
  let responses = 0;
  let behindLastId = 0;
  let previousRole = "";

  for (const message of request.messages.slice(start)) {
    const blocks = blocksOf(message);
    if (message.role !== "assistant") {
      previousRole = message.role;
      for (const block of blocks) {
        const text = textOf(block);
        if (text !== undefined && !isReminder(text)) anchor = anchorOf(text) ?? anchor;
      }
      continue;
    }
    let isResponse = false;
    let idHere: ToolUseIdParts | undefined;
    for (const block of blocks) {
      const text = textOf(block);
      if (block.type === "compaction") {
        const content = block["content"];
        anchor = anchorOf(typeof content === "string" ? content : "", true) ?? anchor;
      } else if (text !== undefined && mentionedToolUseId(text) !== undefined) {
        // A summary that an agent keeps as the assistant's words.
        anchor = anchorOf(text, true) ?? anchor;
      } else if (!(text !== undefined && anchor?.responsesBehind === 0 && isAcknowledgement(text))) {
        isResponse = true;
      }
      if (block.type === "tool_use") idHere = parseToolUseId(block["id"]) ?? idHere;
    }
    if (idHere !== undefined) {
      if (previousRole !== "assistant") responses += 1;
      lastId = idHere;
      behindLastId = 0;
      anchor = undefined;
    } else if (isResponse && previousRole !== "assistant") {
      responses += 1;
      behindLastId += 1;
      if (anchor !== undefined) anchor.responsesBehind += 1;
    }
    previousRole = "assistant";
  }
  return {
    responses,
    responsesBehindLastId: behindLastId,
    ...(lastId === undefined ? {} : { lastId }),
    ...(anchor === undefined ? {} : { anchor }),
  };
}

const holdsOwnId = (message: RequestMessage): boolean =>
  message.role === "assistant" &&
  blocksOf(message).some((block) => block.type === "tool_use" && parseToolUseId(block["id"]) !== undefined);

function anchorOf(text: string, always = false): Anchor | undefined {
  const mention = mentionedToolUseId(text);
  if (mention === undefined && !always && !isContinuation(text)) return undefined;
  return { text, responsesBehind: 0, ...(mention === undefined ? {} : { mention }) };
}

const nextById = ({ lastId, responses, responsesBehindLastId }: Trace): number =>
  lastId === undefined ? responses : lastId.step + 1 + responsesBehindLastId;

/** The response after an anchor that was not seen before. */
function firstSeen(anchor: Anchor, conversation: Conversation): number {
  if (conversation.compactedAt !== undefined) return conversation.compactedAt;
  const mentioned = anchor.mention === undefined ? 0 : anchor.mention.step + 1;
  return Math.max(0, mentioned, conversation.furthest + 1 - anchor.responsesBehind);
}

function findConversation(
  request: ModelRequest,
  trace: Trace,
  { conversations }: Conversations,
): { readonly found?: Conversation; readonly anchor?: Anchor } {
  const { anchor } = trace;
  const withAnchor = anchor === undefined ? {} : { anchor };
  const tag = trace.lastId?.tag ?? anchor?.mention?.tag;
  if (tag !== undefined) {
    const found = conversations.find((conversation) => conversation.tag === tag);
    return found === undefined ? withAnchor : { found, ...withAnchor };
  }

  const first = firstHumanText(request.messages);
  const anchorHash = hashValue(anchor?.text ?? first);
  const anchored = conversations.findLast(({ anchors }) => anchors.some(([hash]) => hash === anchorHash));
  if (anchored !== undefined) {
    return { found: anchored, anchor: anchor ?? { text: first, responsesBehind: trace.responses } };
  }

  const key = conversationKey(request);
  const same = conversations.findLast((conversation) => conversation.key === key);
  if (same !== undefined) return { found: same, ...withAnchor };

  const family = conversationFamily(request);
  const tools = toolsFingerprint(request);
  const relatives = conversations.filter((conversation) => conversation.family === family);
  const expected = relatives.findLast(
    (conversation) => conversation.compactedAt !== undefined && conversation.tools === tools,
  );
  if (anchor === undefined) {
    // A summary was asked for, and what comes is new: a compaction whose words are not known.
    return expected === undefined || first === ""
      ? {}
      : { found: expected, anchor: { text: first, responsesBehind: trace.responses } };
  }
  const found =
    expected ?? relatives.findLast((conversation) => conversation.tools === tools) ?? relatives.at(-1);
  return found === undefined ? { anchor } : { found, anchor };
}

function newConversation(request: ModelRequest, trace: Trace): Conversation {
  const key = conversationKey(request);
  return {
    tag: trace.lastId?.tag ?? trace.anchor?.mention?.tag ?? conversationTag(key),
    key,
    family: conversationFamily(request),
    tools: toolsFingerprint(request),
    furthest: -1,
    anchors: [],
    faults: {},
  };
}
