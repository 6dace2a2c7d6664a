import { isCompactBoundary, type Message, type MessageOrigin } from "@palimpsest/core";
import { createSystemMessage } from "@palimpsest/core/engine";
import { ImportError, messagesFromOpenCode, shapeOfList } from "@palimpsest/core/import";
import { listIn } from "./list-in.js";
import { RecordingError } from "./recording-error.js";
import {
  asFieldsList,
  asNumber,
  asText,
  isFields,
  type Fields,
  type FormatReader,
  type MessageBuilder,
  type RecordedLine,
  type RecordingCounts,
  type RecordingReading,
} from "./recording.js";

/**
 * OpenCode: what `opencode export` writes, one document with the session's `info` and its `messages`, each with `info`
 * and `parts`; or those messages alone, as a list or one a line.
 */
export const openCodeReader: FormatReader = {
  format: "opencode",
  recognises: (first) => {
    const values = first.map(({ value }) => value);
    const list = listIn(values);
    return shapeOfList(list) === "opencode" || isSession(values, list);
  },
  needsSurvey: true,
  begin: () => new Export(),
};

/** A session that says so itself, whatever its messages are. */
function isSession([document]: readonly Fields[], list: readonly unknown[]): boolean {
  const info = document?.["info"];
  if (!isFields(info) || document?.["messages"] !== list) return false;
  return typeof info["id"] === "string" && ("projectID" in info || "directory" in info);
}

/** Results that were cleared say so later than they stand there: this format is held as a whole. */
class Export implements RecordingReading {
  readonly #values: Fields[] = [];
  #read: readonly Message[] | undefined;

  survey({ value }: RecordedLine): void {
    this.#values.push(value);
  }

  build(): MessageBuilder {
    const list = listIn(this.#values);
    this.#read ??= readExport(this.#values[0], list);
    const messages = this.#read;
    return { take: () => [], end: () => messages, counts: () => countsOf(list, messages), damaged: [] };
  }
}

function readExport(document: Fields | undefined, list: readonly unknown[]): readonly Message[] {
  const info = document?.["messages"] === list && isFields(document["info"]) ? document["info"] : {};
  const origin = createOrigin(asText(info["id"]) || "opencode");
  try {
    const { messages, system } = messagesFromOpenCode({ info, messages: list }, origin);
    if (system === "") return messages;
    return [createSystemMessage(origin, { subtype: "system_prompt", content: system }), ...messages];
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new RecordingError("unknown_format", `holds messages that cannot be read: ${error.message}`, {
      cause: error,
    });
  }
}

/** Ids are counted: an export may have had its own masked. */
function createOrigin(sessionId: string): MessageOrigin {
  let made = 0;
  return {
    clock: { now: () => 0 },
    ids: { next: () => `${sessionId}:${(made += 1)}` },
    sessionId,
    parentUuid: null,
  };
}

/** Messages, answers and prompts as OpenCode keeps them, whoever wrote them. */
function countsOf(list: readonly unknown[], messages: readonly Message[]): RecordingCounts {
  const entries = asFieldsList(list).map(({ info, parts }) => ({
    info: isFields(info) ? info : {},
    parts: asFieldsList(parts),
  }));
  const answers = entries.filter(({ info }) => info["role"] === "assistant");
  return {
    messages: entries.length,
    apiResponses: answers.length,
    humanTurns: entries.filter(({ info }) => info["role"] === "user").length,
    toolCalls: entries.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool")).length,
    boundaries: messages.filter(isCompactBoundary).length,
    maxContextTokens: answers.reduce((most, { info }) => Math.max(most, contextOf(info["tokens"])), 0),
  };
}

function contextOf(tokens: unknown): number {
  if (!isFields(tokens)) return 0;
  const cache = isFields(tokens["cache"]) ? tokens["cache"] : {};
  const sum = [tokens["input"], tokens["output"], cache["read"], cache["write"]].map(asNumber);
  return asNumber(tokens["total"]) || sum.reduce((total, part) => total + part, 0);
}
