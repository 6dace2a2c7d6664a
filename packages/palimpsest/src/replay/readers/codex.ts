import { createHash } from "node:crypto";
import type {
  AssistantBlock,
  ImageBlock,
  Message,
  TextBlock,
  ToolResultContent,
  Usage,
  UserBlock,
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
  type MessageBuilder,
  type RecordedLine,
  type RecordingCounts,
  type RecordingReading,
  type Restated,
} from "./recording.js";

const LINE_TYPES = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]);

/** Codex rollouts: `{timestamp, type, payload}` lines, the Responses API's items among them. */
export const codexReader: FormatReader = {
  format: "codex-rollout",

  recognises: (first) =>
    first.some(({ value }) => LINE_TYPES.has(String(value["type"])) && isFields(value["payload"])),

  needsSurvey: true,
  begin: () => new RolloutSurvey(),
};

/** What later lines say of earlier ones: which messages a person typed, and what a response used. */
class RolloutSurvey implements RecordingReading {
  sessionId = "";
  readonly #typed = new Set<string>();
  readonly usageOfResponse: (Usage | undefined)[] = [];

  survey({ value }: RecordedLine): void {
    const payload = isFields(value["payload"]) ? value["payload"] : {};
    if (value["type"] === "session_meta") this.sessionId ||= asText(payload["id"]);
    if (payload["type"] === "user_message") this.#typed.add(digest(asText(payload["message"])));
    if (payload["type"] === "token_count") this.usageOfResponse.push(usageOf(payload));
  }

  isTyped(text: string): boolean {
    return this.#typed.has(digest(text));
  }

  build(): MessageBuilder {
    return new RolloutReader(this);
  }
}

/** Stands for a text, which may be long. */
const digest = (text: string): string => createHash("sha256").update(text.trim()).digest("base64");

class RolloutReader implements MessageBuilder {
  readonly damaged = [];
  readonly transcript: LinearTranscript;
  readonly #survey: RolloutSurvey;
  #model = "";
  /** A response ends where its usage is reported; the pieces of one share this number. */
  #response = 0;
  #reasoning: string[] = [];
  #lastTotal = 0;
  #counts = { ...noCounts };

  constructor(survey: RolloutSurvey) {
    this.#survey = survey;
    this.transcript = new LinearTranscript(survey.sessionId || "codex");
  }

  counts(): RecordingCounts {
    return this.#counts;
  }

  end(): readonly Message[] {
    return [];
  }

  take({ line, value }: RecordedLine): readonly Message[] {
    if (isFields(value["payload"])) {
      this.transcript.at(line, value["timestamp"]);
      this.#line(String(value["type"]), value["payload"]);
    }
    return this.transcript.drain();
  }

  #line(type: string, payload: Fields): void {
    switch (type) {
      case "response_item":
        this.#item(payload);
        break;
      case "event_msg":
        this.#event(payload);
        break;
      case "turn_context":
        this.#model = asText(payload["model"]) || this.#model;
        break;
      case "compacted":
        this.#compacted(payload);
        break;
      default:
        break;
    }
  }

  #event(payload: Fields): void {
    if (payload["type"] === "user_message") this.#counts.humanTurns += 1;
    if (payload["type"] !== "token_count") return;
    this.#counts.apiResponses += 1;
    this.#response += 1;
    const last = isFields(payload["info"]) ? payload["info"]["last_token_usage"] : undefined;
    this.#lastTotal = isFields(last) ? asNumber(last["total_tokens"]) : 0;
    this.#counts.maxContextTokens = Math.max(this.#counts.maxContextTokens, this.#lastTotal);
  }

  #item(item: Fields): void {
    switch (item["type"]) {
      case "message":
        this.#counts.messages += 1;
        this.#message(item);
        break;
      case "reasoning":
        this.#reasoning.push(...asFieldsList(item["summary"]).map((part) => asText(part["text"])));
        break;
      case "function_call":
        this.#counts.toolCalls += 1;
        this.#call(item, parsedArguments(item["arguments"]));
        break;
      case "custom_tool_call":
        this.#counts.toolCalls += 1;
        this.#call(item, { input: asText(item["input"]) });
        break;
      case "local_shell_call":
        this.#call({ name: "local_shell", ...item }, isFields(item["action"]) ? item["action"] : {});
        break;
      case "tool_search_call":
        this.#call({ name: "tool_search", ...item }, parsedArguments(item["arguments"]));
        break;
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
        this.#output(item, item["output"]);
        break;
      case "tool_search_output":
        this.#output(item, JSON.stringify(item["tools"] ?? []));
        break;
      case "agent_message":
        this.transcript.attachment({ type: "agent_message", content: joinText(item["content"]) });
        break;
      default:
        break;
    }
  }

  #message(item: Fields): void {
    if (item["role"] === "assistant") {
      const text = joinText(item["content"]);
      if (text.trim() !== "") this.#piece([{ type: "text", text }]);
      return;
    }
    const typed = item["role"] === "user" && this.#survey.isTyped(joinText(item["content"]));
    this.transcript.user({ content: userBlocks(item["content"]), isMeta: !typed });
  }

  #piece(content: readonly AssistantBlock[]): void {
    const usage = this.#survey.usageOfResponse[this.#response];
    const reasoning = this.#reasoning.filter((text) => text !== "");
    this.#reasoning = [];
    const stopReason = content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
    this.transcript.assistant(
      { id: `response_${this.#response}`, model: this.#model, content, stopReason, ...(usage && { usage }) },
      reasoning.length > 0 ? { reasoning } : {},
    );
  }

  #call(item: Fields, input: Fields): void {
    const id = asText(item["call_id"]);
    if (id !== "") this.#piece([{ type: "tool_use", id, name: asText(item["name"]) || "unknown", input }]);
  }

  #output(item: Fields, output: unknown): void {
    const content = outputContent(output);
    this.transcript.user({
      content: [{ type: "tool_result", tool_use_id: asText(item["call_id"]), content }],
      isMeta: false,
    });
  }

  /** The history was replaced: what stands in its place is written again, by the program. */
  #compacted(payload: Fields): void {
    this.#counts.boundaries += 1;
    const { transcript } = this;
    transcript.boundary({ trigger: "auto", preTokens: this.#lastTotal });
    const summary = asText(payload["message"]);
    if (summary !== "") {
      transcript.user({ content: summary, isCompactSummary: true, isVisibleInTranscriptOnly: true });
    }
    const restated: Restated = { isRestated: true };
    for (const item of asFieldsList(payload["replacement_history"])) {
      const text = joinText(item["content"]);
      if (item["type"] !== "message" || text.trim() === "" || text === summary) continue;
      if (item["role"] === "assistant") {
        // A response of its own, not a piece of what stood here before or of what follows.
        const id = `restated_${transcript.nextUuid()}`;
        const content = [{ type: "text", text }] as const;
        transcript.assistant({ id, model: this.#model, content, stopReason: "end_turn" }, restated);
      } else {
        transcript.user({ content: userBlocks(item["content"]), isMeta: true }, restated);
      }
    }
    this.#reasoning = [];
  }
}

/** The total includes what was cached; ours are counted apart. */
function usageOf(payload: Fields): Usage | undefined {
  const last = isFields(payload["info"]) ? payload["info"]["last_token_usage"] : undefined;
  if (!isFields(last)) return undefined;
  const cached = asNumber(last["cached_input_tokens"]);
  return {
    input_tokens: Math.max(0, asNumber(last["input_tokens"]) - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: asNumber(last["output_tokens"]),
  };
}

function parsedArguments(value: unknown): Fields {
  if (isFields(value)) return value;
  try {
    const parsed: unknown = JSON.parse(asText(value));
    return isFields(parsed) ? parsed : { arguments: parsed };
  } catch {
    return { arguments: asText(value) };
  }
}

function joinText(content: unknown): string {
  if (typeof content === "string") return content;
  return asFieldsList(content)
    .map((part) => asText(part["text"]))
    .filter((text) => text !== "")
    .join("\n");
}

/** Text and images of a message's parts; data URLs become images of ours. */
function parts(content: unknown): readonly (TextBlock | ImageBlock)[] {
  return asFieldsList(content).flatMap((part): readonly (TextBlock | ImageBlock)[] => {
    const data = /^data:([^;,]+);base64,(.+)$/.exec(asText(part["image_url"]));
    if (data !== null) {
      const source = { type: "base64", media_type: data[1] ?? "", data: data[2] ?? "" } as const;
      return [{ type: "image", source }];
    }
    const text = asText(part["text"]);
    return text.trim() === "" ? [] : [{ type: "text", text }];
  });
}

const userBlocks = (content: unknown): string | readonly UserBlock[] =>
  typeof content === "string" ? content : parts(content);

function outputContent(output: unknown): string | readonly ToolResultContent[] {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return parts(output);
  return isFields(output) ? outputContent(output["content"]) : "";
}
