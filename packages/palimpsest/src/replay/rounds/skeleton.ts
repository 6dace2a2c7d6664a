import {
  isCompactBoundary,
  isHumanMessage,
  type AssistantBlock,
  type AssistantMessage,
  type CompactBoundary,
  type Message,
  type SystemMessage,
  type UserBlock,
} from "@palimpsest/core";
import {
  isClearingBoundary,
  isRewound,
  preservedSegmentOf,
  SYNTHETIC_MODEL,
  undoneBoundary,
} from "@palimpsest/core/engine";
import { asFieldsList, asText, isRestated } from "../readers/recording.js";
import { isRestoredState } from "./restored-state.js";

/** What a message is to whoever plays the conversation. */
type Part =
  | "boundary"
  /** Says what a compaction took away. */
  | "summary"
  /** Stands where it stands because of a compaction, if it stands right after one. */
  | "restored"
  | "response"
  | "human"
  | "other"
  /** Tells of results that were cleared. */
  | "clearing"
  /** Never reaches the model. */
  | "nothing";

/** What is remembered of a message until it is known which messages are played. */
export interface Skeleton {
  /** Counted from 0 over all messages of the recording; -1 for what was put in. */
  readonly ordinal: number;
  /** The message without its content: enough for `conversationWindows`. */
  readonly link: Message;
  readonly part: Part;
  /** Of a piece of a response: shared by all its pieces. */
  readonly responseId?: string;
}

export function skeletonOf(message: Message, ordinal: number): Skeleton {
  const part = partOf(message);
  const skeleton = { ordinal, link: linkOf(message), part };
  return isPiece(message) ? { ...skeleton, responseId: responseIdOf(message) } : skeleton;
}

/** Whether what a model said is part of a response that the recording tells of for the first time. */
export const isResponse = (piece: AssistantMessage): boolean => !isOwnSummary(piece) && !isRestated(piece);

/** Whether the message is said by a model. */
export const isPiece = (message: Message): message is AssistantMessage =>
  message.type === "assistant" &&
  message.isApiErrorMessage !== true &&
  message.message.model !== SYNTHETIC_MODEL;

export function responseIdOf({ uuid, message }: AssistantMessage): string {
  const id: unknown = message.id;
  return typeof id === "string" && id !== "" ? id : uuid;
}

function partOf(message: Message): Part {
  switch (message.type) {
    case "user":
      if (message.isCompactSummary === true) return "summary";
      if (isRestated(message) || isRestoredState(message)) return "restored";
      return isHumanMessage(message) ? "human" : "other";
    case "attachment":
      return isRestoredState(message) ? "restored" : "other";
    case "assistant":
      if (!isPiece(message)) return "nothing";
      if (isOwnSummary(message)) return "summary";
      return isResponse(message) ? "response" : "restored";
    case "system":
      if (isCompactBoundary(message)) return "boundary";
      return isClearingBoundary(message) ? "clearing" : "nothing";
    default:
      return "nothing";
  }
}

/** A provider's own summary, and nothing else. */
function isOwnSummary({ message }: AssistantMessage): boolean {
  const blocks = asFieldsList(message.content);
  return blocks.length > 0 && blocks.every((block) => block["type"] === "compaction");
}

/** The links of a message, and what tells its relatives. */
function linkOf(message: Message): Message {
  const { uuid, parentUuid, isSidechain = false, isMeta = false } = message;
  const base = { uuid, parentUuid, isSidechain, isMeta, timestamp: "", sessionId: "" };
  switch (message.type) {
    case "user": {
      const isCompactSummary = message.isCompactSummary === true;
      const content = resultsIn(message.message.content);
      return { ...base, type: "user", isCompactSummary, message: { role: "user", content } };
    }
    case "assistant": {
      const content = callsIn(message.message.content);
      const { id } = message.message;
      return { ...base, type: "assistant", message: { id, role: "assistant", model: "", content } };
    }
    case "attachment":
      return { ...base, type: "attachment", attachment: { type: "" } };
    case "system":
      return isCompactBoundary(message) ? boundaryLink(base, message) : systemLink(base, message);
    default:
      return { ...base, type: "progress" };
  }
}

type Base = Pick<Message, "uuid" | "parentUuid" | "timestamp" | "sessionId">;

/** A boundary that a recording lacks: after it nothing of what stands before is there. */
export function createBoundaryLink(uuid: string): Message {
  const base = { uuid, parentUuid: null, timestamp: "", sessionId: "" };
  return { ...base, type: "system", subtype: "compact_boundary" };
}

function boundaryLink(base: Base, message: CompactBoundary): Message {
  const segment = preservedSegmentOf(message);
  const kept = segment && {
    headUuid: segment.headUuid,
    tailUuid: segment.tailUuid,
    anchorUuid: segment.anchorUuid,
  };
  return {
    ...createBoundaryLink(base.uuid),
    ...base,
    ...(message.logicalParentUuid === undefined ? {} : { logicalParentUuid: message.logicalParentUuid }),
    ...(kept && { compactMetadata: { trigger: "auto", preTokens: 0, preservedSegment: kept } }),
  };
}

function systemLink(base: Base, message: SystemMessage): Message {
  const undone = undoneBoundary(message);
  return {
    ...base,
    type: "system",
    subtype: message.subtype,
    ...(undone === undefined ? {} : { undoneBoundary: undone }),
    ...(isRewound(message) && message.leftOut !== undefined ? { leftOut: message.leftOut } : {}),
  };
}

const NO_INPUT = {};

/** Calls by their ids; a provider's own summary without its words. */
const callsIn = (content: unknown): readonly AssistantBlock[] =>
  asFieldsList(content).flatMap((block): readonly AssistantBlock[] => {
    if (block["type"] === "compaction") return [{ type: "compaction" }];
    if (block["type"] !== "tool_use") return [];
    return [{ type: "tool_use", id: asText(block["id"]), name: "", input: NO_INPUT }];
  });

/** Results by the ids of their calls. */
const resultsIn = (content: unknown): readonly UserBlock[] =>
  asFieldsList(content).flatMap((block): readonly UserBlock[] =>
    block["type"] === "tool_result"
      ? [{ type: "tool_result", tool_use_id: asText(block["tool_use_id"]) }]
      : [],
  );
