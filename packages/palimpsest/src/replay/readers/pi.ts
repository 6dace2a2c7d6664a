import {
  SYNTHETIC_MODEL,
  type AssistantBlock,
  type ImageBlock,
  type Message,
  type TextBlock,
  type Usage,
} from "@palimpsest/core";
import { LinearTranscript } from "./linear-transcript.js";
import {
  asFieldsList,
  asNumber,
  asText,
  isFields,
  noCounts,
  type Fields,
  type FormatReader,
  type RecordedLine,
} from "./recording.js";

/** pi sessions: version 1 is a list, later versions are a tree of `id` and `parentId`. */
export const piReader: FormatReader = {
  format: "pi",

  recognises: (first) =>
    first[0]?.value["type"] === "session" &&
    typeof first[0].value["id"] === "string" &&
    ("cwd" in first[0].value || "version" in first[0].value),

  read(lines) {
    const reader = new SessionReader(lines);
    for (const line of currentPath(lines)) reader.take(line);
    return { messages: reader.transcript.messages, counts: reader.counts };
  },
};

/** The entries from the root to the last one; all of them where they are not linked. */
function currentPath(lines: readonly RecordedLine[]): readonly RecordedLine[] {
  const entries = lines.slice(1);
  if (!entries.some(({ value }) => typeof value["parentId"] === "string")) return entries;
  const byId = new Map(entries.map((entry) => [entry.value["id"], entry]));
  const path: RecordedLine[] = [];
  const seen = new Set<RecordedLine>();
  for (let entry = entries.at(-1); entry !== undefined && !seen.has(entry);) {
    seen.add(entry);
    path.push(entry);
    entry = byId.get(entry.value["parentId"]);
  }
  return path.toReversed();
}

class SessionReader {
  readonly transcript: LinearTranscript;
  readonly counts = { ...noCounts };
  readonly #lines: readonly RecordedLine[];
  /** The messages that each line became, for the segment that a compaction kept. */
  readonly #made = new Map<number, readonly Message[]>();

  constructor(lines: readonly RecordedLine[]) {
    this.#lines = lines;
    this.transcript = new LinearTranscript(asText(lines[0]?.value["id"]) || "pi");
  }

  take({ line, value }: RecordedLine): void {
    const { messages } = this.transcript;
    const before = messages.length;
    this.transcript.at(line, value["timestamp"]);
    switch (value["type"]) {
      case "message":
        if (isFields(value["message"])) this.#message(value["message"], line);
        break;
      case "custom_message":
        this.transcript.user({ content: blocks(value["content"]), isMeta: true });
        break;
      case "branch_summary":
        this.transcript.user({ content: asText(value["summary"]), isMeta: true });
        break;
      case "compaction":
        this.#compaction(value, line);
        break;
      default:
        break;
    }
    this.#made.set(line, messages.slice(before));
  }

  #message(message: Fields, line: number): void {
    this.counts.messages += 1;
    switch (message["role"]) {
      case "user":
        this.counts.humanTurns += 1;
        this.transcript.user({ content: blocks(message["content"]) });
        break;
      case "assistant":
        this.#assistant(message, line);
        break;
      case "toolResult":
        this.#result(message);
        break;
      case "bashExecution":
        this.#command(message);
        break;
      default:
        this.transcript.user({ content: blocks(message["content"] ?? message["summary"]), isMeta: true });
        break;
    }
  }

  #assistant(message: Fields, line: number): void {
    const content = assistantBlocks(message);
    const usage = usageOf(message["usage"]);
    if (usage !== undefined) {
      this.counts.apiResponses += 1;
      const sum = Object.values(usage).reduce<number>((total, part) => total + asNumber(part), 0);
      this.counts.maxContextTokens = Math.max(this.counts.maxContextTokens, sum);
    }
    this.counts.toolCalls += content.filter((block) => block.type === "tool_use").length;
    // A request that failed or was stopped before anything came back.
    const failed = message["stopReason"] === "error" || message["stopReason"] === "aborted";
    if (failed && content.length === 0) {
      this.transcript.assistant({
        id: `response_${line}`,
        model: SYNTHETIC_MODEL,
        content: [{ type: "text", text: asText(message["errorMessage"]) || "no answer" }],
        isApiErrorMessage: true,
      });
      return;
    }
    this.transcript.assistant({
      id: `response_${line}`,
      model: asText(message["model"]),
      content,
      ...(usage && { usage }),
      stopReason: asText(message["stopReason"]) || null,
    });
  }

  #result(message: Fields): void {
    const content = blocks(message["content"]);
    this.transcript.user({
      content: [
        {
          type: "tool_result",
          tool_use_id: asText(message["toolCallId"]),
          content,
          ...(message["isError"] === true ? { is_error: true } : {}),
        },
      ],
    });
  }

  /** A command that the person ran beside the conversation. */
  #command(message: Fields): void {
    if (message["excludeFromContext"] === true) return;
    const text = `<bash-input>${asText(message["command"])}</bash-input>\n<bash-stdout>${asText(message["output"])}</bash-stdout>`;
    this.transcript.user({ content: text, isMeta: true });
  }

  #compaction(entry: Fields, line: number): void {
    this.counts.boundaries += 1;
    const kept = this.#kept(entry, line);
    const summaryUuid = this.transcript.nextUuid(2);
    const [head, tail] = [kept[0], kept.at(-1)];
    this.transcript.boundary({
      trigger: "auto",
      preTokens: asNumber(entry["tokensBefore"]),
      ...(head &&
        tail && {
          preservedSegment: { headUuid: head.uuid, tailUuid: tail.uuid, anchorUuid: summaryUuid },
        }),
    });
    this.transcript.user({
      content: asText(entry["summary"]),
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    });
  }

  /** The messages from the first kept entry (named by id, or by its place in older files) to this line. */
  #kept(entry: Fields, line: number): readonly Message[] {
    const byIndex = this.#lines[asNumber(entry["firstKeptEntryIndex"])];
    const byId = this.#lines.find(({ value }) => value["id"] === entry["firstKeptEntryId"]);
    const first = typeof entry["firstKeptEntryId"] === "string" ? byId : byIndex;
    if (first === undefined || first === this.#lines[0]) return [];
    return [...this.#made.entries()]
      .filter(([madeFrom]) => madeFrom >= first.line && madeFrom < line)
      .flatMap(([, messages]) => messages)
      .filter(
        (message) => message.type !== "system" && !(message.type === "user" && message.isCompactSummary),
      );
  }
}

function usageOf(usage: unknown): Usage | undefined {
  if (!isFields(usage)) return undefined;
  return {
    input_tokens: asNumber(usage["input"]),
    output_tokens: asNumber(usage["output"]),
    cache_creation_input_tokens: asNumber(usage["cacheWrite"]),
    cache_read_input_tokens: asNumber(usage["cacheRead"]),
  };
}

function assistantBlocks(message: Fields): readonly AssistantBlock[] {
  const native =
    asText(message["api"]).startsWith("anthropic") || asText(message["api"]).startsWith("bedrock");
  return asFieldsList(message["content"]).flatMap((part): readonly AssistantBlock[] => {
    switch (part["type"]) {
      case "text":
        return asText(part["text"]).trim() === "" ? [] : [{ type: "text", text: asText(part["text"]) }];
      case "thinking":
        return native ? [thinkingBlock(part)] : [];
      case "toolCall": {
        const input = isFields(part["arguments"]) ? part["arguments"] : {};
        return [{ type: "tool_use", id: asText(part["id"]), name: asText(part["name"]), input }];
      }
      default:
        return [];
    }
  });
}

function thinkingBlock(part: Fields): AssistantBlock {
  const signature = asText(part["thinkingSignature"]);
  if (part["redacted"] === true) return { type: "redacted_thinking", data: signature };
  return { type: "thinking", thinking: asText(part["thinking"]), signature };
}

function blocks(content: unknown): string | readonly (TextBlock | ImageBlock)[] {
  if (typeof content === "string") return content;
  return asFieldsList(content).flatMap((part): readonly (TextBlock | ImageBlock)[] => {
    if (part["type"] === "image") {
      const source = {
        type: "base64",
        media_type: asText(part["mimeType"]),
        data: asText(part["data"]),
      } as const;
      return [{ type: "image", source }];
    }
    return asText(part["text"]).trim() === "" ? [] : [{ type: "text", text: asText(part["text"]) }];
  });
}
