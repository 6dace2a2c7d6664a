import { isHumanMessage, type AssistantMessage, type Message, type MessageOrigin } from "@palimpsest/core";
import { createSystemMessage } from "@palimpsest/core/engine";
import { ImportError, messagesFromList, shapeOfList } from "@palimpsest/core/import";
import { listIn } from "./list-in.js";
import { RecordingError } from "./recording-error.js";
import {
  asFieldsList,
  asText,
  isFields,
  noCounts,
  type Fields,
  type FormatReader,
  type MessageBuilder,
  type RecordedLine,
  type RecordingCounts,
  type RecordingReading,
} from "./recording.js";

/**
 * A plain list of messages, as people keep them: of the Messages API, OpenAI chat, the AI SDK or LangChain. It is a
 * JSON list, the `messages` of a request's body, or one message a line. System prompt and tools are kept beside it.
 */
export const messageListReader: FormatReader = {
  format: "message-list",
  recognises: (first) => shapeOfList(listIn(first.map(({ value }) => value))) !== undefined,
  needsSurvey: true,
  begin: () => new MessageList(),
};

/** A note with the tools of a request's body, for whoever wants to know their size. */
const TOOLS = "tool_definitions";

/** What belongs to a whole list is known after its last line: this format is held as a whole. */
class MessageList implements RecordingReading {
  readonly #values: Fields[] = [];
  #read: readonly Message[] | undefined;

  survey({ value }: RecordedLine): void {
    this.#values.push(value);
  }

  build(): MessageBuilder {
    this.#read ??= readList(this.#values);
    const messages = this.#read;
    return { take: () => [], end: () => messages, counts: () => countsOf(messages), damaged: [] };
  }
}

function readList(values: readonly Fields[]): readonly Message[] {
  const document = values.length === 1 ? values[0] : undefined;
  const origin = createOrigin();
  try {
    const { messages, system } = messagesFromList(
      { messages: listIn(values), system: document?.["system"] },
      origin,
    );
    const model = asText(document?.["model"]);
    const tools = asFieldsList(document?.["tools"]);
    return [
      ...(tools.length === 0
        ? []
        : [createSystemMessage(origin, { subtype: TOOLS, content: JSON.stringify(tools) })]),
      ...(system === "" ? [] : [createSystemMessage(origin, { subtype: "system_prompt", content: system })]),
      ...messages.map((message) => (message.type === "assistant" ? answerOf(message, model) : message)),
    ];
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new RecordingError("unknown_format", `holds messages that cannot be read: ${error.message}`, {
      cause: error,
    });
  }
}

/** Ids are counted, and nobody knows when anything was said. */
function createOrigin(): MessageOrigin {
  let made = 0;
  return {
    clock: { now: () => 0 },
    ids: { next: () => `message-list:${(made += 1)}` },
    sessionId: "message-list",
    parentUuid: null,
  };
}

/** An answer by the model that the request names, ended as its calls say. */
function answerOf(message: AssistantMessage, model: string): AssistantMessage {
  const { message: answer } = message;
  const isCalling = answer.content.some((block: unknown) => isFields(block) && block["type"] === "tool_use");
  return {
    ...message,
    message: {
      ...answer,
      ...(model === "" ? {} : { model }),
      stop_reason: answer.stop_reason ?? (isCalling ? "tool_use" : "end_turn"),
    },
  };
}

function countsOf(messages: readonly Message[]): RecordingCounts {
  const answers = messages.filter((message) => message.type === "assistant");
  const calls = answers.flatMap(({ message }) =>
    message.content.filter((block: unknown) => isFields(block) && block["type"] === "tool_use"),
  );
  return {
    ...noCounts,
    messages: messages.filter((message) => message.type !== "system" || message.subtype !== TOOLS).length,
    apiResponses: answers.length,
    humanTurns: messages.filter(isHumanMessage).length,
    toolCalls: calls.length,
  };
}
