import type { AssistantBlock, ImageBlock, Message, TextBlock, Usage } from "@palimpsest/core";
import { SYNTHETIC_MODEL } from "@palimpsest/core/engine";
import { LinearTranscript } from "./linear-transcript.js";
import {
  asFieldsList,
  asNumber,
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

/** pi sessions: version 1 is a list, later versions are a tree of `id` and `parentId`. */
export const piReader: FormatReader = {
  format: "pi",

  recognises: (first) =>
    first[0]?.value["type"] === "session" &&
    typeof first[0].value["id"] === "string" &&
    ("cwd" in first[0].value || "version" in first[0].value),

  needsSurvey: true,
  begin: () => new SessionSurvey(),
};

/** How the entries are linked: who reads a session has to know its end before its beginning. */
class SessionSurvey implements RecordingReading {
  sessionId = "";
  /** The line of each entry, the header's first. */
  readonly #lines: number[] = [];
  readonly #places = new Map<string, number>();
  readonly #parents: unknown[] = [];
  #isLinked = false;

  survey({ line, value }: RecordedLine): void {
    if (this.#lines.length === 0) this.sessionId = asText(value["id"]);
    else {
      if (typeof value["id"] === "string") this.#places.set(value["id"], this.#lines.length);
      this.#isLinked ||= typeof value["parentId"] === "string";
    }
    this.#parents.push(value["parentId"]);
    this.#lines.push(line);
  }

  build(): MessageBuilder {
    return new SessionReader(this);
  }

  /** The lines of the entries from the root to the last one; all of them where they are not linked. */
  currentPath(): ReadonlySet<number> {
    if (!this.#isLinked) return new Set(this.#lines.slice(1));
    const path = new Set<number>();
    for (let place: number | undefined = this.#lines.length - 1; place !== undefined && place > 0;) {
      const line = this.#lines[place] ?? 0;
      if (path.has(line)) break;
      path.add(line);
      place = this.#places.get(asText(this.#parents[place]));
    }
    return path;
  }

  /** The line of the first entry that a compaction kept: named by id, or by its place in older files. */
  firstKept(entry: Fields): number | undefined {
    const id = entry["firstKeptEntryId"];
    const place = typeof id === "string" ? this.#places.get(id) : asNumber(entry["firstKeptEntryIndex"]);
    return place === undefined || place === 0 ? undefined : this.#lines[place];
  }
}

/** The ends of what one line became. */
interface Made {
  readonly line: number;
  readonly headUuid: string;
  readonly tailUuid: string;
}

class SessionReader implements MessageBuilder {
  readonly damaged = [];
  readonly transcript: LinearTranscript;
  readonly #counts = { ...noCounts };
  readonly #survey: SessionSurvey;
  readonly #path: ReadonlySet<number>;
  /** For the segment that a compaction kept. */
  readonly #made: Made[] = [];

  constructor(survey: SessionSurvey) {
    this.#survey = survey;
    this.#path = survey.currentPath();
    this.transcript = new LinearTranscript(survey.sessionId || "pi");
  }

  counts(): RecordingCounts {
    return this.#counts;
  }

  end(): readonly Message[] {
    return [];
  }

  take({ line, value }: RecordedLine): readonly Message[] {
    if (!this.#path.has(line)) return [];
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
        this.#compaction(value);
        break;
      default:
        break;
    }
    const messages = this.transcript.drain();
    const own = messages.filter(
      (message) => message.type !== "system" && !(message.type === "user" && message.isCompactSummary),
    );
    const [head, tail] = [own[0], own.at(-1)];
    if (head && tail) this.#made.push({ line, headUuid: head.uuid, tailUuid: tail.uuid });
    return messages;
  }

  #message(message: Fields, line: number): void {
    this.#counts.messages += 1;
    switch (message["role"]) {
      case "user":
        this.#counts.humanTurns += 1;
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
      this.#counts.apiResponses += 1;
      const sum = Object.values(usage).reduce<number>((total, part) => total + asNumber(part), 0);
      this.#counts.maxContextTokens = Math.max(this.#counts.maxContextTokens, sum);
    }
    this.#counts.toolCalls += content.filter((block) => block.type === "tool_use").length;
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

  #compaction(entry: Fields): void {
    this.#counts.boundaries += 1;
    const summaryUuid = this.transcript.nextUuid(2);
    const first = this.#survey.firstKept(entry);
    const head = first === undefined ? undefined : this.#made.find(({ line }) => line >= first);
    const tail = this.#made.at(-1);
    this.transcript.boundary({
      trigger: "auto",
      preTokens: asNumber(entry["tokensBefore"]),
      ...(head &&
        tail && {
          preservedSegment: {
            headUuid: head.headUuid,
            tailUuid: tail.tailUuid,
            anchorUuid: summaryUuid,
          },
        }),
    });
    this.transcript.user({
      content: asText(entry["summary"]),
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    });
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
