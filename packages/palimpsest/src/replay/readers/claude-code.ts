import {
  decodeEntry,
  isCompactBoundary,
  isHumanMessage,
  SYNTHETIC_MODEL,
  type DamagedLine,
  type Message,
} from "@palimpsest/core";
import { asFieldsList, asNumber, isFields, type FormatReader, type RecordingCounts } from "./recording.js";

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

  read(lines) {
    const messages: Message[] = [];
    const damaged: DamagedLine[] = [];
    for (const { line, offset, value } of lines) {
      const decoded = decodeEntry(value);
      if (decoded.kind === "message") messages.push(decoded.message);
      else if (decoded.kind === "damaged") damaged.push({ line, offset, reason: decoded.reason });
    }
    return { messages, damaged, counts: count(messages.filter((message) => message.isSidechain !== true)) };
  },
};

function count(messages: readonly Message[]): RecordingCounts {
  const responses = new Set<string>();
  const withUsage = new Set<string>();
  const calls = new Set<unknown>();
  let maxContextTokens = 0;
  for (const message of messages) {
    if (message.type !== "assistant" || message.message.model === SYNTHETIC_MODEL) continue;
    const { id, usage, content } = message.message;
    responses.add(id);
    for (const block of asFieldsList(content)) if (block["type"] === "tool_use") calls.add(block["id"]);
    if (!isFields(usage)) continue;
    withUsage.add(id);
    const sum =
      asNumber(usage["input_tokens"]) +
      asNumber(usage["cache_creation_input_tokens"]) +
      asNumber(usage["cache_read_input_tokens"]) +
      asNumber(usage["output_tokens"]);
    maxContextTokens = Math.max(maxContextTokens, sum);
  }
  return {
    messages: messages.filter((message) => message.type === "user").length + responses.size,
    apiResponses: withUsage.size,
    humanTurns: messages.filter(isHumanMessage).length,
    toolCalls: calls.size,
    boundaries: messages.filter(isCompactBoundary).length,
    maxContextTokens,
  };
}
