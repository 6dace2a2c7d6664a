import { apiTexts } from "./api-texts.js";
import { isObject } from "./cursor.js";
import { CLEAR_THINKING } from "./context-management.js";
import { isForcedChoice, setting, type JudgedRequest, type RequestRule } from "./judged-request.js";
import { ownWordings } from "./own-wordings.js";
import type { Problem } from "./problem.js";
import { declaredTools } from "./tool-definitions.js";

/** Settings of a request against each other and against the model. */

export const maxTokensRules: RequestRule = ({ request, model, options }) => {
  const asked = request["max_tokens"];
  if (typeof asked !== "number") return [];
  if (asked === 0) return prewarmProblems(request);
  const hasLongerOutput = options.betas?.includes("output-300k-2026-03-24") === true;
  if (model === undefined || hasLongerOutput || asked <= model.maxOutputTokens) return [];
  const cap = { name: String(request["model"]), cap: model.maxOutputTokens };
  return [
    {
      path: "max_tokens",
      rule: "max-tokens-over-cap",
      message: `max_tokens: ${apiTexts.maxTokensOverCap(asked, cap)}`,
    },
  ];
};

function prewarmProblems(request: JudgedRequest["request"]): readonly Problem[] {
  const combined: string[] = [];
  if (request["stream"] === true) combined.push("`stream`");
  if (setting(request, "thinking", "type") === "enabled") combined.push('`thinking.type: "enabled"`');
  if (isObject(setting(request, "output_config", "format"))) combined.push("`output_config.format`");
  if (isForcedChoice(request)) combined.push("a `tool_choice` that forces tool use");
  return combined.map((name) => ({
    path: "max_tokens",
    rule: "prewarm-combination",
    message: `max_tokens: ${ownWordings.prewarmCombination(name)}`,
  }));
}

export const thinkingRules: RequestRule = (judged) => {
  const message = unsupportedThinking(judged);
  const problems: Problem[] = [];
  if (message !== undefined) problems.push({ path: "thinking", rule: "thinking-type-unsupported", message });
  const budget = setting(judged.request, "thinking", "budget_tokens");
  const limit = judged.request["max_tokens"];
  const isInterleaved = judged.options.betas?.includes("interleaved-thinking-2025-05-14") === true;
  if (
    setting(judged.request, "thinking", "type") === "enabled" &&
    typeof budget === "number" &&
    typeof limit === "number" &&
    limit > 0 &&
    budget >= limit &&
    !isInterleaved
  ) {
    problems.push({
      path: "thinking.budget_tokens",
      rule: "thinking-budget-over-max-tokens",
      message: apiTexts.thinkingBudgetOverMaxTokens,
    });
  }
  return problems;
};

function unsupportedThinking({ request, model }: JudgedRequest): string | undefined {
  if (model === undefined) return undefined;
  const support = model.capabilities.thinking;
  switch (setting(request, "thinking", "type")) {
    case "enabled":
      return support.enabled ? undefined : apiTexts.thinkingEnabledUnsupported;
    case "adaptive":
      return support.adaptive ? undefined : apiTexts.thinkingAdaptiveUnsupported;
    case "between_tools":
      return support.betweenTools ? undefined : ownWordings.thinkingBetweenToolsUnsupported;
    case "disabled": {
      if (support.disabled === "no") {
        return ownWordings.thinkingDisabledUnsupported(support.betweenTools ? "between_tools" : "adaptive");
      }
      const effort = setting(request, "output_config", "effort");
      const isAboveHigh = effort === "xhigh" || effort === "max";
      return support.disabled === "up-to-high-effort" && isAboveHigh
        ? ownWordings.thinkingDisabledAboveHighEffort
        : undefined;
    }
    default:
      return undefined;
  }
}

export const toolChoiceRules: RequestRule = ({ request, model }) => {
  if (!isObject(request["tool_choice"])) return [];
  const problems: Problem[] = [];
  const report = (rule: Problem["rule"], message: string): number =>
    problems.push({ path: "tool_choice", rule, message });
  const tools = declaredTools(request["tools"]);
  const name = setting(request, "tool_choice", "name");
  if (!Array.isArray(request["tools"]) || request["tools"].length === 0) {
    report("tool-choice-without-tools", apiTexts.toolChoiceWithoutTools);
  } else if (
    setting(request, "tool_choice", "type") === "tool" &&
    typeof name === "string" &&
    !tools.hasUnnamed &&
    !tools.list.includes(name)
  ) {
    report("tool-choice-unknown-tool", apiTexts.toolChoiceUnknownTool(name));
  }
  if (isForcedChoice(request)) {
    if (model?.capabilities.forcedToolChoice === false) {
      report("forced-tool-unsupported", `tool_choice: ${apiTexts.forcedToolUnsupported}`);
    }
    if (setting(request, "thinking", "type") === "enabled") {
      report("forced-tool-with-thinking", apiTexts.forcedToolWithThinking);
    }
  }
  return problems;
};

/** Clearing thinking needs thinking: asked for, or always on. */
export const clearThinkingRule: RequestRule = ({ request, model }) => {
  const edits = setting(request, "context_management", "edits");
  const isAsked =
    Array.isArray(edits) && edits.some((edit: unknown) => isObject(edit) && edit["type"] === CLEAR_THINKING);
  if (!isAsked) return [];
  const type = setting(request, "thinking", "type");
  const isOffUnasked = model !== undefined && model.capabilities.thinking.disabled !== "no";
  if (type !== "disabled" && !(type === undefined && isOffUnasked)) return [];
  return [
    {
      path: "context_management.edits",
      rule: "clear-thinking-without-thinking",
      message: apiTexts.clearThinkingWithoutThinking,
    },
  ];
};
