import { apiTexts } from "./api-texts.js";
import { blockPath, turnTypes, type PlacedMessage, type RequestRule, type Turn } from "./judged-request.js";
import type { CallFact } from "./message-facts.js";
import type { Problem } from "./problem.js";
import { resultTypeOf, serverToolCalls, serverToolResults } from "./server-tool-blocks.js";

interface OpenCall extends CallFact {
  readonly index: number;
}

/**
 * Every call that the provider carries out is answered after it in the same turn. Two exceptions: the last
 * turn may end with open calls (it was paused), and beside calls of client tools it may stay open into the
 * next assistant turn, if nothing but the client's results stands between.
 */
export const serverToolPairRules: RequestRule = ({ turns }) => {
  const problems: Problem[] = [];
  const open = new Map<string, OpenCall>();
  for (const [position, turn] of turns.entries()) {
    if (turn.role !== "assistant") continue;
    for (const message of turn.messages) matchResults(message, { open, problems });
    if (open.size === 0) continue;
    if (isInterrupted(turn, turns[position + 1])) continue;
    const paused = position === turns.length - 1 ? trailingCalls(turn) : new Set<string>();
    for (const call of open.values()) {
      open.delete(call.id);
      if (!paused.has(call.id)) problems.push(missingResult(call));
    }
  }
  return problems;
};

/** Opens the calls of a message and closes those it answers; a result without an open call is an orphan. */
function matchResults(
  { index, facts }: PlacedMessage,
  state: { readonly open: Map<string, OpenCall>; readonly problems: Problem[] },
): void {
  const steps = [
    ...facts.serverCalls.map((call) => ({ block: call.block, call, result: undefined })),
    ...facts.serverResults.map((result) => ({ block: result.block, call: undefined, result })),
  ].toSorted((a, b) => a.block - b.block);
  for (const { call, result } of steps) {
    if (call !== undefined) state.open.set(call.id, { ...call, index });
    else if (!state.open.delete(result.id)) {
      const path = blockPath(index, result.block);
      const message = `${path}: ${apiTexts.serverResultOrphan(result.id, result.type)}`;
      state.problems.push({ path, rule: "server-result-orphan", message });
    }
  }
}

function missingResult(call: OpenCall): Problem {
  const result = resultTypeOf(call.type, call.name);
  const text = apiTexts.serverResultMissing({ id: call.id, name: call.name, result });
  return {
    path: blockPath(call.index, call.block),
    rule: "server-result-missing",
    message: `messages.${call.index}: ${text}`,
  };
}

/** Whether the turn waits for client tools, and the next one brings their results alone. */
function isInterrupted(turn: Turn, next: Turn | undefined): boolean {
  return (
    turn.messages.some(({ facts }) => facts.toolUses.length > 0) &&
    next?.role === "user" &&
    turnTypes(next).every((type) => type === "tool_result")
  );
}

/** The ids of calls after which a turn holds nothing but server calls and results. */
function trailingCalls(turn: Turn): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { facts } of turn.messages.toReversed()) {
    const lastOther = facts.types.findLastIndex((type) => !isServerBlock(type));
    for (const call of facts.serverCalls) if (call.block > lastOther) ids.add(call.id);
    if (lastOther >= 0) break;
  }
  return ids;
}

function isServerBlock(type: string | undefined): boolean {
  return serverToolCalls.has(type ?? "") || serverToolResults.has(type ?? "");
}
