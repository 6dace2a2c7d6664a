import { apiTexts } from "./api-texts.js";
import {
  blockPath,
  isCompactionRequest,
  setting,
  turnTypes,
  type JudgedRequest,
  type RequestRule,
  type Turn,
} from "./judged-request.js";
import { leadingResults } from "./tool-pairs.js";

/** Thinking blocks in the last assistant turn. */

const isThinking = (type: string | undefined): boolean => type === "thinking" || type === "redacted_thinking";

/** The first block after a leading compaction block. */
function opening(
  turn: Turn,
): { readonly index: number; readonly block: number; readonly type: string | undefined } | undefined {
  for (const { index, facts } of turn.messages) {
    const block = facts.types.findIndex((type) => type !== "compaction");
    if (block >= 0) return { index, block, type: facts.types[block] };
  }
  return undefined;
}

/**
 * With manual thinking, the assistant turn that is last, or whose calls are being answered, starts with a
 * thinking block. A loop of calls and results is one turn here: it is enough that its first step does.
 */
export const thinkingFirstRule: RequestRule = (judged) => {
  if (setting(judged.request, "thinking", "type") !== "enabled") return [];
  const openings = openLoop(judged).map(opening);
  const last = openings[0];
  if (last?.type === undefined || isThinking(last.type) || isThinking(openings.at(-1)?.type)) return [];
  const path = blockPath(last.index, last.block);
  const message = `${path}.type: ${apiTexts.thinkingBlockMissing(last.type)}`;
  return [{ path, rule: "thinking-block-missing", message }];
};

/** The assistant turns that the answer will continue, the last one first: empty for a new question. */
function openLoop(judged: JudgedRequest): readonly Turn[] {
  const turns = judged.turns.filter((turn) => turn.role !== "system");
  const steps: Turn[] = [];
  let position = turns.length;
  const last = turns[position - 1];
  if (last?.role === "assistant") {
    if (isCompactionRequest(judged.request)) return [];
    steps.push(last);
    position -= 1;
  }
  for (; leadingResults(turns[position - 1]).size > 0; position -= 2) {
    const calls = turns[position - 2];
    if (calls?.role !== "assistant") break;
    steps.push(calls);
  }
  return steps;
}

export const thinkingLastRule: RequestRule = ({ turns }) => {
  const last = turns.at(-1);
  if (last?.role !== "assistant" || !isThinking(turnTypes(last).at(-1))) return [];
  const path = `messages.${last.messages.at(-1)?.index ?? 0}`;
  return [{ path, rule: "thinking-block-last", message: `${path}: ${apiTexts.thinkingBlockLast}` }];
};
