import type { AssistantBlock, Message, ToolResultBlock } from "@palimpsest/core";
import { LinearTranscript } from "./linear-transcript.js";
import {
  asFieldsList,
  asText,
  isFields,
  noCounts,
  type Fields,
  type FormatReader,
  type MessageBuilder,
  type RecordingCounts,
  type RecordingReading,
} from "./recording.js";
import { trajectoryItems, trajectoryModel, trajectoryOf } from "./swe-agent-document.js";

/**
 * SWE-agent trajectories: one JSON document with a `history` of messages, or with the steps of a `trajectory` alone.
 * An action that was written as text becomes a call of `bash`, and what came back its result.
 */
export const sweAgentReader: FormatReader = {
  format: "swe-agent",
  recognises: (first) => first.length === 1 && trajectoryOf(first[0]?.value ?? {}) !== undefined,
  needsSurvey: false,
  begin: (): RecordingReading => ({ survey: () => {}, build: () => new TrajectoryBuilder() }),
};

class TrajectoryBuilder implements MessageBuilder {
  readonly damaged = [];
  readonly #counts = { ...noCounts };
  readonly #transcript = new LinearTranscript("swe-agent");
  /** Of the other agents of a run, which share its history, nothing is told. */
  #agent: string | undefined;
  #model = "";
  /** The call that was written as text and has no result yet. */
  #pending: string | undefined;

  take({ value }: { readonly value: Fields }): readonly Message[] {
    const trajectory = trajectoryOf(value);
    if (trajectory === undefined) return [];
    this.#model = trajectoryModel(value);
    for (const [index, item] of trajectoryItems(trajectory).entries()) {
      const agent = asText(item["agent"]);
      if (agent !== "") this.#agent ??= agent;
      if (agent !== "" && agent !== this.#agent) continue;
      this.#transcript.at(index + 1, undefined);
      this.#add(item);
    }
    return this.#transcript.drain();
  }

  end(): readonly Message[] {
    return [];
  }

  counts(): RecordingCounts {
    return this.#counts;
  }

  #add(item: Fields): void {
    const role = asText(item["role"]);
    const text = textOf(item["content"]);
    this.#counts.messages += 1;
    if (role === "system") this.#transcript.system({ subtype: "system_prompt", content: text });
    else if (item["is_demo"] === true) this.#transcript.user({ content: text, isMeta: true });
    else if (role === "assistant") this.#addResponse(item);
    else this.#addIncoming(item, text);
  }

  #addResponse(item: Fields): void {
    const calls = asFieldsList(item["tool_calls"]);
    const action = asText(item["action"]).trim();
    const said = calls.length === 0 && action !== "" ? (item["thought"] ?? item["content"]) : item["content"];
    const id = `response_${this.#counts.apiResponses + 1}`;
    const { content, reasoning } = thinkingOf(item["thinking_blocks"]);
    const text = textOf(said);
    if (text.trim() !== "") content.push({ type: "text", text });
    this.#pending = undefined;
    for (const [index, call] of calls.entries()) content.push(callOf(call, `${id}_${index + 1}`));
    if (calls.length === 0 && action !== "") {
      this.#pending = `${id}_1`;
      content.push({ type: "tool_use", id: this.#pending, name: "bash", input: { command: action } });
    }
    if (content.length === 0) return;
    const called = content.filter(({ type }) => type === "tool_use").length;
    this.#counts.apiResponses += 1;
    this.#counts.toolCalls += called;
    this.#transcript.assistant(
      { id, model: this.#model, content, stopReason: called > 0 ? "tool_use" : "end_turn" },
      reasoning.length > 0 ? { reasoning } : {},
    );
  }

  /** A result, where there is a call that it can belong to; else what was said. */
  #addIncoming(item: Fields, text: string): void {
    const ids: readonly unknown[] = Array.isArray(item["tool_call_ids"]) ? item["tool_call_ids"] : [];
    const id = ids.find((known): known is string => typeof known === "string") ?? this.#pending;
    this.#pending = undefined;
    if (id !== undefined) {
      const result: ToolResultBlock = { type: "tool_result", tool_use_id: id, content: text };
      this.#transcript.user({ content: [result] });
    } else if (text.trim() !== "") {
      this.#counts.humanTurns += 1;
      this.#transcript.user({ content: text });
    }
  }
}

function callOf(call: Fields, ownId: string): AssistantBlock {
  const called = isFields(call["function"]) ? call["function"] : call;
  const id = asText(call["id"]) || ownId;
  return { type: "tool_use", id, name: asText(called["name"]), input: inputOf(called["arguments"]) };
}

/** Arguments are JSON in a text; what is none stays as it was written. */
function inputOf(value: unknown): Fields {
  if (isFields(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isFields(parsed) ? parsed : { arguments: value };
  } catch {
    return { arguments: value };
  }
}

/** Signed thinking belongs to the response; other thinking is kept beside it. */
function thinkingOf(blocks: unknown): {
  readonly content: AssistantBlock[];
  readonly reasoning: readonly string[];
} {
  const content: AssistantBlock[] = [];
  const reasoning: string[] = [];
  for (const block of asFieldsList(blocks)) {
    const [thinking, signature] = [asText(block["thinking"]), asText(block["signature"])];
    if (signature !== "") content.push({ type: "thinking", thinking, signature });
    else if (thinking !== "") reasoning.push(thinking);
  }
  return { content, reasoning };
}

/** The text of a content: itself, or its blocks; a picture is only named. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asFieldsList(content)
    .map((block) => (typeof block["text"] === "string" ? block["text"] : `[${asText(block["type"])}]`))
    .join("\n");
}
