import {
  isCompactBoundary,
  isHumanMessage,
  type DamagedLine,
  type Message,
  type SystemMessage,
  type UserMessage,
} from "@palimpsest/core";
import { decodeEntry, SYNTHETIC_MODEL, type ClearingMetadata } from "@palimpsest/core/engine";
import {
  asFieldsList,
  asNumber,
  isFields,
  type FormatReader,
  type MessageBuilder,
  type RecordedLine,
  type RecordingCounts,
} from "./recording.js";

/** Lines that Claude Code writes beside the messages. */
const OTHER_LINES = new Set([
  "summary",
  "file-history-snapshot",
  "queue-operation",
  "custom-title",
  "ai-title",
]);

/** Claude Code's transcripts, and this project's own: the two have one shape. */
export const claudeCodeReader: FormatReader = {
  format: "claude-code",

  recognises: (first) =>
    first.some(({ value }) => decodeEntry(value).kind === "message" && "sessionId" in value) ||
    (first.length > 0 && first.every(({ value }) => OTHER_LINES.has(String(value["type"])))),

  needsSurvey: false,
  begin: () => ({ survey: () => undefined, build: () => new EntryReader() }),
};

/** A line may say anything where a text or a figure belongs: that counts as nothing said. */
function withPlainFacts(message: Message): Message {
  const { timestamp } = message as { readonly timestamp?: unknown };
  if (timestamp !== undefined && typeof timestamp !== "string") {
    return withPlainFacts({ ...message, timestamp: "" });
  }
  if (message.type === "assistant" && typeof (message.message.model as unknown) !== "string") {
    return { ...message, message: { ...message.message, model: "" } };
  }
  if (message.type === "system" && message.subtype === "microcompact_boundary") return asClearing(message);
  if (!isCompactBoundary(message) || message.compactMetadata === undefined) return message;
  const given: unknown = message.compactMetadata;
  const metadata = isFields(given) ? given : {};
  const { trigger, preTokens } = metadata;
  const isPlain = typeof (trigger ?? "") === "string" && Number.isFinite(preTokens ?? 0);
  if (isPlain && metadata === given) return message;
  const { trigger: _trigger, preTokens: _tokens, ...rest } = metadata;
  return { ...message, compactMetadata: rest } as Message;
}

/** Claude Code tells of its own clearings in other words than we do. */
function asClearing(message: SystemMessage): Message {
  const given = "microcompactMetadata" in message ? message.microcompactMetadata : undefined;
  if (!isFields(given) || !Array.isArray(given["compactedToolIds"]) || "toolUseIds" in given) return message;
  const tokensBefore = asNumber(given["preTokens"]);
  const metadata: ClearingMetadata = {
    variant: "size-based",
    trigger: given["trigger"] === "manual" ? "manual" : "auto",
    toolUseIds: given["compactedToolIds"].filter((id) => typeof id === "string"),
    tokensBefore,
    tokensAfter: Math.max(0, tokensBefore - asNumber(given["tokensSaved"])),
  };
  return { ...message, microcompactMetadata: { ...given, ...metadata } } as Message;
}

class EntryReader implements MessageBuilder {
  readonly damaged: DamagedLine[] = [];
  readonly #responses = new Set<string>();
  readonly #withUsage = new Set<string>();
  readonly #calls = new Set<unknown>();
  #userLines = 0;
  #humanTurns = 0;
  #boundaries = 0;
  #maxContextTokens = 0;

  take({ line, offset, value }: RecordedLine): readonly Message[] {
    const decoded = decodeEntry(value);
    if (decoded.kind === "damaged") this.damaged.push({ line, offset, reason: decoded.reason });
    if (decoded.kind !== "message") return [];
    const message = withPlainFacts(decoded.message);
    if (message.isSidechain !== true) this.#count(message);
    return [message];
  }

  end(): readonly Message[] {
    return [];
  }

  counts(): RecordingCounts {
    return {
      messages: this.#userLines + this.#responses.size,
      apiResponses: this.#withUsage.size,
      humanTurns: this.#humanTurns,
      toolCalls: this.#calls.size,
      boundaries: this.#boundaries,
      maxContextTokens: this.#maxContextTokens,
    };
  }

  #count(message: Message): void {
    if (message.type === "user") this.#userLines += 1;
    if (isHumanMessage(message) && beginsWithWords(message)) this.#humanTurns += 1;
    if (isCompactBoundary(message)) this.#boundaries += 1;
    if (message.type !== "assistant" || message.message.model === SYNTHETIC_MODEL) return;
    const { id, usage, content } = message.message;
    this.#responses.add(id);
    for (const block of asFieldsList(content)) if (block["type"] === "tool_use") this.#calls.add(block["id"]);
    if (!isFields(usage)) return;
    this.#withUsage.add(id);
    const sum =
      asNumber(usage["input_tokens"]) +
      asNumber(usage["cache_creation_input_tokens"]) +
      asNumber(usage["cache_read_input_tokens"]) +
      asNumber(usage["output_tokens"]);
    this.#maxContextTokens = Math.max(this.#maxContextTokens, sum);
  }
}

/** What a host sets before a person's words in the same text: such a message is not counted as a prompt. */
const SET_BEFORE =
  /^\s*(?:<(?:system-reminder|context-reminder|user-prompt-submit-hook|local-command-caveat)\b|\[Request)/;

/** Whether something in a message is a person's from its start on. */
function beginsWithWords({ message: { content } }: UserMessage): boolean {
  if (typeof content === "string") return !SET_BEFORE.test(content);
  return content.some((block) => {
    if (block?.type === "tool_result") return false;
    return block?.type !== "text" || (block.text.trim() !== "" && !SET_BEFORE.test(block.text));
  });
}
