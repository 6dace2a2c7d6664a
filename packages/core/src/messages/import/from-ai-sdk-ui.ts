import type { ContentBlock } from "../content.js";
import { asText, isFields, type Fields } from "../fields.js";
import { reasoningBlock } from "./ai-sdk-reasoning.js";
import { fileBlock } from "./file-block.js";
import { jsonText, standIn, wrongRole, type PlacedBlock, type ReadMessage } from "./imported.js";

/** One message of a chat view: all that happened between two messages of a person is one. */
export function readUiMessage(message: Fields, index: number): readonly ReadMessage[] {
  const { role } = message;
  const parts: readonly unknown[] = Array.isArray(message["parts"]) ? message["parts"] : [];
  if (role === "system" || role === "user") {
    const blocks = parts.flatMap((part, place) => {
      const block = saidBlock(part);
      return block === undefined ? [] : [{ block, part: place }];
    });
    return [{ role, blocks }];
  }
  if (role !== "assistant") throw wrongRole(index, role, "system, user or assistant");
  return readSteps(parts);
}

/** An answer ends where the next step starts; its results stand between the two. */
function readSteps(parts: readonly unknown[]): readonly ReadMessage[] {
  const read: ReadMessage[] = [];
  let said: PlacedBlock[] = [];
  let results: PlacedBlock[] = [];
  const close = (): void => {
    if (said.length > 0) read.push({ role: "assistant", blocks: said });
    if (results.length > 0) read.push({ role: "user", blocks: results });
    said = [];
    results = [];
  };
  for (const [part, given] of parts.entries()) {
    if (isFields(given) && given["type"] === "step-start") {
      close();
      continue;
    }
    const call = callOf(given);
    // What is said after a result was said in another answer.
    if (call === undefined && results.length > 0) close();
    const block = call?.call ?? saidBlock(given);
    if (block !== undefined) said.push({ block, part });
    if (call?.result !== undefined) results.push({ block: call.result, part });
  }
  close();
  return read;
}

/** Undefined for what no model sees. */
function saidBlock(part: unknown): ContentBlock | undefined {
  if (!isFields(part)) return standIn(part);
  const type = asText(part["type"]);
  if (type === "text") return { type: "text", text: asText(part["text"]) };
  if (type === "reasoning") return reasoningBlock(part);
  if (type === "file") return fileBlock(part);
  if (type === "step-start" || type.startsWith("source-") || type.startsWith("data-")) return undefined;
  return standIn(part);
}

interface Called {
  readonly call: ContentBlock;
  /** Undefined where the tool has not answered. */
  readonly result: ContentBlock | undefined;
}

/** A call with what came of it; undefined for any other part, and for calls that the provider carried out. */
function callOf(part: unknown): Called | undefined {
  if (!isFields(part) || part["providerExecuted"] === true) return undefined;
  const type = asText(part["type"]);
  const name = type === "dynamic-tool" ? asText(part["toolName"]) : /^tool-(.+)$/.exec(type)?.[1];
  if (name === undefined) return undefined;
  const { toolCallId, input, state } = part;
  const id = asText(toolCallId);
  const outcome = outcomeOf(state, part);
  return {
    call: { type: "tool_use", id, name, input: isFields(input) ? input : {} },
    result:
      outcome === undefined
        ? undefined
        : {
            type: "tool_result",
            tool_use_id: id,
            content: outcome.text,
            ...(outcome.isError ? { is_error: true } : {}),
          },
  };
}

function outcomeOf(
  state: unknown,
  { output, errorText, approval }: Fields,
): { readonly text: string; readonly isError: boolean } | undefined {
  if (state === "output-available")
    return { text: typeof output === "string" ? output : jsonText(output), isError: false };
  if (state === "output-error") return { text: asText(errorText), isError: true };
  if (state !== "output-denied") return undefined;
  const reason = isFields(approval) ? asText(approval["reason"]) : "";
  return { text: reason || "The execution was denied.", isError: true };
}
