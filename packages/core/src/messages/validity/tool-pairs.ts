import { apiTexts } from "./api-texts.js";
import {
  blockPath,
  continuesThread,
  isCompactionRequest,
  type JudgedRequest,
  type RequestRule,
  type Turn,
} from "./judged-request.js";
import type { Problem } from "./problem.js";

/** Every call of a client's tool has one result, at the head of the very next turn. */

export const toolPairRules: RequestRule = (judged) =>
  judged.turns.flatMap((turn, position) => {
    if (turn.role === "assistant") return missingResults(judged, position);
    if (turn.role !== "user" || (position === 0 && continuesThread(judged.request))) return [];
    return misplacedResults(turn, judged.turns[position - 1]);
  });

function missingResults({ request, turns }: JudgedRequest, position: number): readonly Problem[] {
  const turn = turns[position];
  if (turn === undefined) return [];
  // an unfinished last turn is a compaction's own problem
  if (position === turns.length - 1 && isCompactionRequest(request)) return [];
  const calls = turn.messages.flatMap(({ index, facts }) =>
    facts.toolUses.map((call) => ({ index, id: call.id })),
  );
  if (calls.length === 0) return [];
  const answered = leadingResults(turns[position + 1]);
  const missing = calls.filter((call) => !answered.has(call.id));
  const first = missing[0];
  if (first === undefined) return [];
  const path = `messages.${first.index}`;
  const ids = [...new Set(missing.map((call) => call.id))];
  return [{ path, rule: "tool-result-missing", message: `${path}: ${apiTexts.toolResultMissing(ids)}` }];
}

/** The ids of the results that stand before all other content of a user turn. */
export function leadingResults(turn: Turn | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  if (turn?.role !== "user") return ids;
  for (const { facts } of turn.messages) {
    const firstOther = facts.types.findIndex((type) => type !== "tool_result");
    for (const result of facts.toolResults) {
      if (firstOther < 0 || result.block < firstOther) ids.add(result.id);
    }
    if (firstOther >= 0) break;
  }
  return ids;
}

/** Results that no call of the turn before asked for, and second results. */
function misplacedResults(turn: Turn, before: Turn | undefined): readonly Problem[] {
  const problems: Problem[] = [];
  const calls = new Set<string>();
  if (before?.role === "assistant") {
    for (const { facts } of before.messages) for (const call of facts.toolUses) calls.add(call.id);
  }
  const seen = new Set<string>();
  for (const { index, facts } of turn.messages) {
    for (const { id, block } of facts.toolResults) {
      const path = blockPath(index, block);
      if (seen.has(id)) {
        const message = `${path}: ${apiTexts.toolResultDuplicate(id)}`;
        problems.push({ path, rule: "tool-result-duplicate", message });
      } else if (!calls.has(id)) {
        const message = `${path}: ${apiTexts.toolResultOrphan(id)}`;
        problems.push({ path, rule: "tool-result-orphan", message });
      }
      seen.add(id);
    }
  }
  return problems;
}

export const uniqueToolUseRule: RequestRule = ({ messages }) => {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const { index, facts } of messages) {
    for (const { id, block } of facts.toolUses) {
      if (seen.has(id)) {
        const path = blockPath(index, block);
        const message = `${path}: ${apiTexts.toolUseIdDuplicate}`;
        problems.push({ path, rule: "tool-use-id-duplicate", message });
      }
      seen.add(id);
    }
  }
  return problems;
};
