import type { ToolUseBlock } from "@palimpsest/core";
import { asFields, telling } from "@palimpsest/core/engine";
import type { Agent } from "./agent.js";
import type { AgentEvent } from "../base/agent-event.js";
import { runCall, type CallOutcome } from "./run-call.js";
import type { ToolInput } from "../base/tool.js";

const MOST_AT_ONCE = 10;

/** Calls that run at the same time; outcomes come in the order of the calls. What happens is told while it happens. */
export function runCalls(
  agent: Agent,
  calls: readonly ToolUseBlock[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, readonly CallOutcome[]> {
  return telling((tell) => Promise.all(calls.map((call) => observed(agent, { call, signal, tell }))));
}

async function observed(
  agent: Agent,
  {
    call,
    signal,
    tell,
  }: {
    readonly call: ToolUseBlock;
    readonly signal: AbortSignal;
    readonly tell: (event: AgentEvent) => void;
  },
): Promise<CallOutcome> {
  const { id, name, input } = call;
  tell({ kind: "tool-start", id, name, input });
  const started = agent.now();
  const outcome = await runCall(agent, call, signal);
  const isError = outcome.result.is_error === true;
  const { isDenied } = outcome;
  tell({ kind: "tool-end", id, name, isError, isDenied, milliseconds: agent.now() - started });
  return outcome;
}

/** Neighbours that only read stand together; every other call stands alone. */
export function groupCalls(
  agent: Agent,
  calls: readonly ToolUseBlock[],
): readonly (readonly ToolUseBlock[])[] {
  const tools = agent.tools();
  const groups: { readonly isReadOnly: boolean; readonly calls: ToolUseBlock[] }[] = [];
  for (const call of calls) {
    const isReadOnly = readsOnly(tools.get(call.name), call);
    const last = groups.at(-1);
    if (last?.isReadOnly === true && isReadOnly && last.calls.length < MOST_AT_ONCE) last.calls.push(call);
    else groups.push({ isReadOnly, calls: [call] });
  }
  return groups.map((group) => group.calls);
}

function readsOnly(
  tool: { readonly isReadOnly: (input: ToolInput) => boolean } | undefined,
  { input }: ToolUseBlock,
): boolean {
  try {
    return tool?.isReadOnly(asFields(input)) === true;
  } catch {
    return false;
  }
}
