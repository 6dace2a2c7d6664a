import type { AssistantBlock, ContentBlock, ToolResultBlock, ToolResultContent } from "../content.js";
import { asFields, asText, isFields, type Fields } from "../fields.js";
import type { Usage } from "../message.js";
import { reasoningBlock } from "./ai-sdk-reasoning.js";
import { fileBlock } from "./file-block.js";
import { jsonText } from "./imported.js";

/** What OpenCode sends for a part that stands for something that a person had done. */
const RAN_BY_PERSON = "The following tool was executed by the user";
const INTERRUPTED = "[Tool execution was interrupted]";
/** Files that OpenCode has written into texts of their own. */
const SHOWN_AS_TEXT: ReadonlySet<unknown> = new Set(["text/plain", "application/x-directory"]);

/** A time in milliseconds, or a number of tokens: whatever else stands there counts as nothing said. */
export const countOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/** What a part of a user's message says to the model; undefined for what never reaches it. */
export function saidBlock(part: Fields): ContentBlock | undefined {
  const { type, text, ignored, mime, url } = part;
  if (type === "text") {
    return typeof text === "string" && text.trim() !== "" && ignored !== true
      ? { type: "text", text }
      : undefined;
  }
  if (type === "subtask") return { type: "text", text: RAN_BY_PERSON };
  if (type === "file" && !SHOWN_AS_TEXT.has(mime)) return fileBlock({ type: "file", url, mediaType: mime });
  return undefined;
}

/** One answer of a model: OpenCode may keep several in one message. */
export interface OpenCodeStep {
  readonly blocks: AssistantBlock[];
  /** Reasoning without a signature of ours: it is never sent. */
  readonly reasoning: string[];
  readonly results: OpenCodeResult[];
  usage: Usage | undefined;
  reason: string;
  /** When the last of it was there; 0 where nobody says so. */
  at: number;
}

interface OpenCodeResult {
  readonly block: ToolResultBlock;
  /** When it was there, and when it was taken out of what is sent; 0 where nobody says so. */
  readonly at: number;
  readonly clearedAt: number;
}

const newStep = (): OpenCodeStep => ({
  blocks: [],
  reasoning: [],
  results: [],
  usage: undefined,
  reason: "",
  at: 0,
});

/** The answers in the parts of an assistant's message. `idFor` gives each call an id that no other one has. */
export function stepsOf(
  parts: readonly unknown[],
  idFor: (given: string) => string,
): readonly OpenCodeStep[] {
  const steps: OpenCodeStep[] = [];
  let step = newStep();
  const close = (): void => {
    if (step.blocks.length > 0 || step.reasoning.length > 0 || step.usage !== undefined) steps.push(step);
    step = newStep();
  };
  for (const part of parts.filter(isFields)) {
    if (part["type"] === "step-start") close();
    else addPart(step, part, idFor);
  }
  close();
  return steps;
}

function addPart(step: OpenCodeStep, part: Fields, idFor: (given: string) => string): void {
  step.at = Math.max(step.at, countOf(asFields(part["time"])["end"]));
  switch (part["type"]) {
    case "text":
      if (asText(part["text"]).trim() !== "") step.blocks.push({ type: "text", text: asText(part["text"]) });
      break;
    case "reasoning": {
      const { text, metadata } = part;
      const block = reasoningBlock({ text, providerMetadata: metadata });
      const isSigned =
        block.type === "redacted_thinking" || (block.type === "thinking" && block.signature !== "");
      if (isSigned) step.blocks.push(block);
      else if (asText(text) !== "") step.reasoning.push(asText(text));
      break;
    }
    case "tool": {
      const state = asFields(part["state"]);
      const id = idFor(asText(part["callID"]));
      const { input } = state;
      const name = asText(part["tool"]) || "unknown";
      step.blocks.push({ type: "tool_use", id, name, input: isFields(input) ? input : {} });
      step.results.push(resultOf(state, id));
      break;
    }
    case "step-finish":
      step.usage = usageOf(part["tokens"]);
      step.reason = asText(part["reason"]);
      break;
    default:
      break;
  }
}

function resultOf(state: Fields, id: string): OpenCodeResult {
  const { status, output, error, metadata, attachments } = state;
  const time = asFields(state["time"]);
  const kept = status === "error" ? asFields(metadata)["output"] : output;
  const isAnswered = status === "completed" || (status === "error" && typeof kept === "string");
  const text = typeof kept === "string" ? kept : kept === undefined ? "" : jsonText(kept);
  const failure = status === "error" ? asText(error) || jsonText(error) : INTERRUPTED;
  const files = (Array.isArray(attachments) ? attachments.filter(isFields) : []).map(
    ({ url, mime }) => fileBlock({ type: "file", url, mediaType: mime }) as ToolResultContent,
  );
  return {
    block: {
      type: "tool_result",
      tool_use_id: id,
      content: !isAnswered ? failure : files.length === 0 ? text : [{ type: "text", text }, ...files],
      ...(isAnswered ? {} : { is_error: true }),
    },
    at: countOf(time["end"]),
    clearedAt: status === "completed" ? countOf(time["compacted"]) : 0,
  };
}

/**
 * What an answer has used; undefined where nothing was counted. The input is counted beside what was cached. Some
 * versions count reasoning beside the output and some within it: the total tells, where there is one.
 */
export function usageOf(tokens: unknown): Usage | undefined {
  const { total, input, output, reasoning, cache } = asFields(tokens);
  const { read, write } = asFields(cache);
  const prompt = countOf(input) + countOf(read) + countOf(write);
  const beside = countOf(reasoning) > countOf(output) ? countOf(reasoning) : 0;
  const said = countOf(total) > prompt ? countOf(total) - prompt : countOf(output) + beside;
  if (prompt + said === 0) return undefined;
  return {
    input_tokens: countOf(input),
    cache_creation_input_tokens: countOf(write),
    cache_read_input_tokens: countOf(read),
    output_tokens: said,
  };
}

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["tool-calls", "tool_use"],
  ["length", "max_tokens"],
  ["content-filter", "refusal"],
]);

/** The reason in the API's words; null where the answer never came to its end. */
export function stopReasonOf(reason: string, step: OpenCodeStep): string | null {
  if (reason === "") return null;
  return stopReasons.get(reason) ?? (step.results.length > 0 ? "tool_use" : "end_turn");
}
