import type { AssistantBlock, Message, ToolResultBlock, Usage } from "@palimpsest/core";
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

/**
 * Gemini CLI logs: one JSON document, or a log of changes: a header, messages (a later one with the same id
 * replaces the earlier), `$set` of header fields or of all messages, `$rewindTo` a message that goes with
 * everything after it.
 */
export const geminiReader: FormatReader = {
  format: "gemini-cli",

  recognises: (first) => {
    const header = first[0]?.value;
    return (
      header !== undefined &&
      typeof header["sessionId"] === "string" &&
      (Array.isArray(header["messages"]) || ("startTime" in header && "projectHash" in header)) &&
      header["uuid"] === undefined
    );
  },

  needsSurvey: true,
  begin: () => new ChangeLog(),
};

/** What the changes leave is known behind the last one: this format is held as a whole. */
class ChangeLog implements RecordingReading {
  readonly #entries = new Map<string, Fields>();
  #sessionId: string | undefined;

  survey({ value }: RecordedLine): void {
    this.#sessionId ??= asText(value["sessionId"]);
    const rewindTo = value["$rewindTo"];
    if (typeof rewindTo === "string") {
      const ids = [...this.#entries.keys()];
      const from = ids.indexOf(rewindTo);
      for (const id of from < 0 ? [] : ids.slice(from)) this.#entries.delete(id);
    } else if (isFields(value["$set"])) {
      if (Array.isArray(value["$set"]["messages"])) this.#replaceAll(value["$set"]["messages"]);
    } else if (Array.isArray(value["messages"])) {
      this.#replaceAll(value["messages"]);
    } else if (typeof value["id"] === "string") {
      this.#entries.set(value["id"], value);
    }
  }

  build(): MessageBuilder {
    const counts = { ...noCounts };
    return {
      take: () => [],
      end: () =>
        buildMessages([...this.#entries.values()], { sessionId: this.#sessionId || "gemini", counts }),
      counts: () => counts,
      damaged: [],
    };
  }

  #replaceAll(list: unknown): void {
    this.#entries.clear();
    for (const entry of asFieldsList(list)) {
      this.#entries.set(asText(entry["id"]) || `#${this.#entries.size}`, entry);
    }
  }
}

interface Building {
  readonly sessionId: string;
  readonly counts: { -readonly [Name in keyof RecordingCounts]: number };
}

function buildMessages(entries: readonly Fields[], { sessionId, counts }: Building): readonly Message[] {
  const transcript = new LinearTranscript(sessionId);
  for (const [index, entry] of entries.entries()) {
    counts.messages += 1;
    transcript.at(index + 1, entry["timestamp"]);
    if (entry["type"] === "user") {
      counts.humanTurns += 1;
      transcript.user({ content: joinParts(entry["content"]) });
    } else if (entry["type"] === "gemini") {
      const calls = asFieldsList(entry["toolCalls"]);
      const tokens = isFields(entry["tokens"]) ? entry["tokens"] : undefined;
      if (tokens !== undefined) counts.apiResponses += 1;
      counts.toolCalls += calls.length;
      counts.maxContextTokens = Math.max(counts.maxContextTokens, asNumber(tokens?.["total"]));
      addResponse(transcript, { entry, calls, tokens, id: `response_${index + 1}` });
    } else {
      transcript.system({ subtype: asText(entry["type"]) || "info", content: joinParts(entry["content"]) });
    }
  }
  return transcript.drain();
}

interface Response {
  readonly entry: Fields;
  readonly calls: readonly Fields[];
  readonly tokens: Fields | undefined;
  readonly id: string;
}

function addResponse(transcript: LinearTranscript, { entry, calls, tokens, id }: Response): void {
  const text = joinParts(entry["content"]);
  const content: AssistantBlock[] = text.trim() === "" ? [] : [{ type: "text", text }];
  for (const call of calls) {
    const input = isFields(call["args"]) ? call["args"] : {};
    content.push({ type: "tool_use", id: asText(call["id"]), name: asText(call["name"]), input });
  }
  const thoughts = asFieldsList(entry["thoughts"]).map((thought) => asText(thought["description"]));
  const usage = usageOf(tokens);
  if (content.length > 0) {
    transcript.assistant(
      {
        id,
        model: asText(entry["model"]),
        content,
        stopReason: calls.length > 0 ? "tool_use" : "end_turn",
        ...(usage && { usage }),
      },
      thoughts.length > 0 ? { reasoning: thoughts } : {},
    );
  }
  const results = calls.flatMap(resultOf);
  if (results.length > 0) transcript.user({ content: results });
}

/** The input counts what was cached, and thinking is counted beside the output. */
function usageOf(tokens: Fields | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const cached = asNumber(tokens["cached"]);
  return {
    input_tokens: Math.max(0, asNumber(tokens["input"]) - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: asNumber(tokens["output"]) + asNumber(tokens["thoughts"]),
  };
}

function resultOf(call: Fields): readonly ToolResultBlock[] {
  if (call["result"] === undefined || call["result"] === null) return [];
  const failed = call["status"] === "error" || call["status"] === "cancelled";
  return [
    {
      type: "tool_result",
      tool_use_id: asText(call["id"]),
      content: joinParts(call["result"]),
      ...(failed ? { is_error: true } : {}),
    },
  ];
}

/** The text of a message's or a result's parts. */
function joinParts(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(joinParts).filter(Boolean).join("\n");
  if (!isFields(value)) return "";
  if (typeof value["text"] === "string") return value["text"];
  const response = isFields(value["functionResponse"]) ? value["functionResponse"]["response"] : undefined;
  if (!isFields(response)) return "";
  return typeof response["output"] === "string" ? response["output"] : JSON.stringify(response);
}
