import {
  isHumanMessage,
  type AssistantMessage,
  type Estimator,
  type Message,
  type UserMessage,
} from "@palimpsest/core";
import { sentBlocks } from "@palimpsest/core/engine";
import { asText, isFields, type Fields } from "../../replay/readers/recording.js";
import type { PartKind } from "../contract.js";
import { blockText } from "./block-text.js";
import { beginningOf, previewOf, shortened } from "./shortened.js";

/** Where a message stands in its file. */
export interface Place {
  /** Of its line; 0 where the file is one document. */
  readonly offset: number;
  /** Of its line; 0 where the file is one document. */
  readonly bytes: number;
  /** Among the messages that were made of this line. */
  readonly sub: number;
  /** Which file of a conversation that has several; the first where it is absent. */
  readonly file?: number;
}

export interface IndexedBlock {
  readonly kind: PartKind;
  readonly type: string;
  /** By estimate. */
  readonly tokens: number;
  readonly characters: number;
  /** Of a tool, a call or a result: the id of the call. */
  readonly call?: string;
  /** Of a call: the tool. */
  readonly name?: string;
}

/** What the index keeps of a message: enough for every figure, and the place of its words. */
export interface IndexedMessage {
  readonly place: Place;
  /** Without most of its words. */
  readonly message: Message;
  /** With which it takes part in a request, in their order. */
  readonly blocks: readonly IndexedBlock[];
}

const WORDS = { characters: 240, items: 40, depth: 4 };
const RESPONSE = { characters: 240, items: 100, depth: 8 };
const RECORD = { characters: 600, items: 20_000, depth: 8 };
const INPUT = { characters: 120, items: 12, depth: 1 };
/** Of what nothing but a line of a list is made. */
const SHOWN_CHARACTERS = 160;

/** The message for the index. */
export function indexMessage(message: Message, place: Place, estimator: Estimator): IndexedMessage {
  const blocks = blocksOf(message).map((block) =>
    indexBlock(block, kindOf(message, block), estimator.block(block)),
  );
  return { place, message: light(message), blocks };
}

/** The blocks of a message as a request has them: system prompt and tools too, where they stand in a recording. */
export function blocksOf(message: Message): readonly unknown[] {
  if (message.type === "system") {
    return headKind(message.subtype) === undefined ? [] : contentBlocks(asText(message.content));
  }
  return sentBlocks(message).flatMap((block) => (typeof block === "string" ? contentBlocks(block) : [block]));
}

function contentBlocks(content: unknown): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** Messages of the system in which a recording tells what stood before all others. */
export const headKind = (subtype: string): "system" | "tools" | undefined =>
  subtype === "system_prompt" ? "system" : subtype === "tool_definitions" ? "tools" : undefined;

function kindOf(message: Message, block: unknown): PartKind {
  switch (message.type) {
    case "assistant":
      return "assistant";
    case "system":
      return headKind(message.subtype) ?? "unknown";
    case "user":
      if (isFields(block) && block["type"] === "tool_result") return "results";
      return isHumanMessage(message) && !isProgramText(message, block) ? "people" : "attachments";
    default:
      return "attachments";
  }
}

/** A text beside a person's own that a program wrote: judged by itself. */
const isProgramText = (message: UserMessage, block: unknown): boolean =>
  isFields(block) &&
  block["type"] === "text" &&
  Array.isArray(message.message.content) &&
  !isHumanMessage({ ...message, message: { role: "user", content: asText(block["text"]) } });

function indexBlock(block: unknown, kind: PartKind, tokens: number): IndexedBlock {
  const fields: Fields = isFields(block) ? block : {};
  const type = beginningOf(asText(fields["type"]) || "text", 60);
  const call = type === "tool_result" ? fields["tool_use_id"] : fields["id"];
  const name = fields["name"];
  return {
    kind,
    type,
    tokens,
    characters: blockText(block).length,
    ...(typeof call === "string" ? { call: beginningOf(call, 200) } : {}),
    ...(typeof name === "string" ? { name: beginningOf(name, 200) } : {}),
  };
}

/** The message with the beginnings of its words alone: what tells messages apart reads no further. */
function light(message: Message): Message {
  switch (message.type) {
    case "user":
      return lightUser(message);
    case "assistant":
      return lightAssistant(message);
    case "attachment":
      return {
        ...linksOf(message),
        type: "attachment",
        attachment: shortened(message.attachment, INPUT) as typeof message.attachment,
      };
    case "system":
      return shortened(message, RECORD) as Message;
    default:
      return { ...linksOf(message), type: "progress" };
  }
}

type Links = Pick<Message, "uuid" | "parentUuid" | "timestamp" | "sessionId">;

/** What a message is known by, and what tells whose it is. */
function linksOf(message: Message): Links {
  const kept = Object.entries(message).filter(
    ([name, value]) => !CONTENT.has(name) && (typeof value !== "object" || value === null),
  );
  return shortened(Object.fromEntries(kept), WORDS) as Links;
}

const CONTENT: ReadonlySet<string> = new Set(["message", "attachment", "toolUseResult", "content"]);

function lightUser(message: UserMessage): Message {
  const content = contentBlocks(message.message?.content);
  const isHuman = isHumanMessage(message);
  return {
    ...linksOf(message),
    type: "user",
    // Whether a person said it is told by all of its words.
    ...(message.isMeta === true || !isHuman ? { isMeta: true } : {}),
    message: { role: "user", content: content.map(lightBlock) as UserMessage["message"]["content"] },
  };
}

function lightAssistant(message: AssistantMessage): Message {
  const { content, ...response } = message.message ?? {};
  const extra = {
    ...("overtakes" in message ? { overtakes: shortened(message.overtakes, RECORD) } : {}),
    ...("reasoning" in message ? { reasoning: [] } : {}),
  };
  return {
    ...linksOf(message),
    ...extra,
    type: "assistant",
    message: {
      ...(shortened(response, RESPONSE) as AssistantMessage["message"]),
      content: contentBlocks(content).map(lightBlock) as AssistantMessage["message"]["content"],
    },
  };
}

function lightBlock(block: unknown): unknown {
  if (!isFields(block)) return shortened(block, INPUT);
  const { type, id, name, tool_use_id: answered, is_error: failed } = block;
  const base = {
    type: shortened(type, INPUT),
    ...(id === undefined ? {} : { id: shortened(id, WORDS) }),
    ...(name === undefined ? {} : { name: shortened(name, WORDS) }),
  };
  switch (type) {
    case "text":
      return { ...base, text: previewOf(asText(block["text"]).trimStart(), WORDS.characters) };
    case "thinking":
      return { ...base, thinking: previewOf(asText(block["thinking"]).trimStart(), SHOWN_CHARACTERS) };
    case "tool_use":
      return { ...base, input: shortened(block["input"], INPUT) };
    case "tool_result":
      return {
        ...base,
        tool_use_id: shortened(answered, WORDS),
        ...(failed === true ? { is_error: true } : {}),
        content: previewOf(blockText(block), SHOWN_CHARACTERS),
      };
    default:
      return base;
  }
}
