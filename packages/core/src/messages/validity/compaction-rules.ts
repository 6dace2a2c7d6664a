import {
  blockPath,
  isCompactionRequest,
  isForcedChoice,
  setting,
  type JudgedRequest,
  type RequestRule,
} from "./judged-request.js";
import { isObject, type JsonObject } from "./cursor.js";
import { ownWordings } from "./own-wordings.js";
import type { Problem } from "./problem.js";

/** Compaction on demand: the request for one, and the signed block that it returned. */

export const compactionRequestRules: RequestRule = (judged) => {
  if (!isCompactionRequest(judged.request)) return [];
  const problems = combinedSettings(judged.request).map((name): Problem => ({
    path: "compaction",
    rule: "compaction-combination",
    message: `compaction: ${ownWordings.compactionCombination(name)}`,
  }));
  const incomplete = incompleteTurn(judged);
  if (incomplete !== undefined) problems.push(incomplete);
  const hasContent = judged.messages.some(({ facts }) => facts.role !== "system" && facts.types.length > 0);
  if (!hasContent) {
    problems.push({
      path: "messages",
      rule: "compaction-nothing-to-summarize",
      message: `messages: ${ownWordings.compactionNothingToSummarize}`,
      errorCode: "compaction_nothing_to_summarize",
    });
  }
  return problems;
};

function combinedSettings(request: JsonObject): readonly string[] {
  const combined: string[] = [];
  const stops = request["stop_sequences"];
  if (isObject(request["context_management"])) combined.push("context_management");
  if (Array.isArray(stops) && stops.length > 0) combined.push("stop_sequences");
  if (isObject(setting(request, "output_config", "format")) || isObject(request["output_format"])) {
    combined.push("output_config.format");
  }
  if (isForcedChoice(request)) combined.push("tool_choice");
  if (typeof setting(request, "output_config", "task_budget", "remaining") === "number") {
    combined.push("output_config.task_budget.remaining");
  }
  return combined;
}

/** A last assistant turn with calls that nothing answers. */
function incompleteTurn({ turns }: JudgedRequest): Problem | undefined {
  const last = turns.at(-1);
  if (last?.role !== "assistant") return undefined;
  const answered = new Set(
    last.messages.flatMap(({ facts }) => facts.serverResults.map((result) => result.id)),
  );
  const open = last.messages.find(
    ({ facts }) => facts.toolUses.length > 0 || facts.serverCalls.some((call) => !answered.has(call.id)),
  );
  if (open === undefined) return undefined;
  const path = `messages.${open.index}`;
  return {
    path,
    rule: "compaction-incomplete-turn",
    message: `${path}: ${ownWordings.compactionIncompleteTurn}`,
    errorCode: "compaction_incomplete_turn",
  };
}

export const compactionBlockRules: RequestRule = ({ messages }) => {
  const blocks = messages.flatMap(({ index, facts }) =>
    facts.compactions.map(({ block, isSigned }) => ({ index, block, isSigned })),
  );
  const signed = blocks.find((block) => block.isSigned);
  if (signed === undefined) return [];
  const problems: Problem[] = [];
  const second = blocks[1];
  if (second !== undefined) {
    const path = blockPath(second.index, second.block);
    problems.push({
      path,
      rule: "compaction-block-ambiguous",
      message: `${path}: ${ownWordings.compactionBlockAmbiguous}`,
      errorCode: "compaction_block_ambiguous",
    });
  }
  if (signed.index !== 0 || signed.block !== 0) {
    const path = blockPath(signed.index, signed.block);
    problems.push({
      path,
      rule: "compaction-block-misplaced",
      message: `${path}: ${ownWordings.compactionBlockMisplaced}`,
      errorCode: "compaction_block_misplaced",
    });
  }
  return problems;
};
