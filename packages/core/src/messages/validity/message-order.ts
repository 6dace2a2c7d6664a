import { apiTexts } from "./api-texts.js";
import {
  continuesThread,
  isCompactionRequest,
  turnTypes,
  type JudgedRequest,
  type RequestRule,
} from "./judged-request.js";
import { ownWordings } from "./own-wordings.js";
import type { Problem } from "./problem.js";
import { serverToolCalls, serverToolResults } from "./server-tool-blocks.js";

/** Which role may stand where, and where content may be empty. */

export const firstRoleRule: RequestRule = ({ request, messages }) => {
  const first = messages[0]?.facts;
  if (first?.role !== "assistant" || first.types[0] === "compaction" || continuesThread(request)) return [];
  return [{ path: "messages.0", rule: "first-role", message: apiTexts.firstRole }];
};

export const systemRoleRules: RequestRule = ({ request, messages, turns, model }) => {
  const problems: Problem[] = [];
  for (const [position, turn] of turns.entries()) {
    const index = turn.messages[0]?.index;
    if (turn.role !== "system" || index === undefined) continue;
    const path = `messages.${index}`;
    if (model?.capabilities.systemMessages === false) {
      problems.push({ path, rule: "system-role-unsupported", message: apiTexts.systemRole });
      continue;
    }
    const report = (text: string): number =>
      problems.push({ path, rule: "system-role-position", message: `${path}: ${text}` });
    const before = turns[position - 1];
    if (before === undefined) {
      if (!continuesThread(request)) report(ownWordings.systemRoleFirst);
    } else if (before.role !== "user" && !endsWithServerResult(turnTypes(before))) {
      report(ownWordings.systemRoleBefore);
    }
    const isFollowed = index < messages.length - 1;
    if (isFollowed && turns[position + 1]?.role !== "assistant") report(ownWordings.systemRoleAfter);
  }
  return problems;
};

function endsWithServerResult(types: readonly (string | undefined)[]): boolean {
  return serverToolResults.has(types.at(-1) ?? "");
}

export const emptyMessageRule: RequestRule = ({ messages }) =>
  messages
    .filter(({ facts, index }) => {
      const isFinalAnswer = facts.role === "assistant" && index === messages.length - 1;
      return facts.isEmpty && facts.role !== undefined && !isFinalAnswer;
    })
    .map(({ index }) => ({
      path: `messages.${index}`,
      rule: "empty-message",
      message: `messages.${index}: ${apiTexts.emptyMessage}`,
    }));

/** A request that ends with an assistant message asks for its continuation. */
export const prefillRules: RequestRule = (judged) => {
  const last = judged.messages.at(-1);
  if (last?.facts.role !== "assistant" || isCompactionRequest(judged.request)) return [];
  const path = `messages.${last.index}`;
  if (judged.model?.capabilities.assistantPrefill === false && !resumes(judged)) {
    return [{ path, rule: "prefill-unsupported", message: apiTexts.prefill }];
  }
  if (!last.facts.endsWithWhitespace) return [];
  return [{ path, rule: "prefill-trailing-whitespace", message: apiTexts.prefillTrailingWhitespace }];
};

/** Whether the last turn is one that the provider paused, or may continue by token. */
function resumes({ request, turns }: JudgedRequest): boolean {
  const token = request["fallback_credit_token"];
  if (token !== undefined && token !== null) return true;
  const last = turns.at(-1);
  const type = last === undefined ? undefined : turnTypes(last).at(-1);
  return (
    type !== undefined && (type === "compaction" || serverToolCalls.has(type) || serverToolResults.has(type))
  );
}
