import type { Attachment, ToolUseBlock } from "@palimpsest/core";
import { denyInsteadOfAsking, type Judgement } from "../permissions/judgement.js";
import { checkInput } from "../tools/check-input.js";
import type { AgentTool, ToolInput } from "../base/tool.js";
import type { Agent, PermissionVerdict } from "./agent.js";
import { callerOf, contextsOf } from "./hook-words.js";
import { INTERRUPTED, stopped, type TurnEnding } from "./turn-ending.js";
import { untilAborted } from "./until-aborted.js";

interface Asked {
  readonly tool: AgentTool;
  readonly input: ToolInput;
  readonly call: ToolUseBlock;
  readonly signal: AbortSignal;
  readonly notices: string[];
  readonly contexts: Attachment[];
}

type Permitted =
  | {
      readonly input: ToolInput;
      /** See `Judgement`. */
      readonly holdsGit?: boolean;
    }
  | {
      readonly refusal: string;
      /** Left out where the input is what is wrong. */
      readonly isDenied?: boolean;
      readonly ending?: TurnEnding;
    };

const HOOK_ENDED = "A hook of the person ended the turn before this call.";

const denied = (refusal: string): Permitted => ({ refusal, isDenied: true });

/** Hooks are heard first; a rule that forbids a call stays in force whatever they say. */
export async function permit(agent: Agent, asked: Asked): Promise<Permitted> {
  const { tool, call, signal } = asked;
  const said = await agent.hooks.run(
    "PreToolUse",
    { toolName: call.name, toolInput: asked.input, toolUseId: call.id, ...callerOf(agent) },
    { signal },
  );
  note(said, asked, "PreToolUse");
  if (said.endTurn !== undefined) {
    return { refusal: HOOK_ENDED, isDenied: true, ending: stopped(said.endTurn) };
  }
  const input = said.updatedInput ?? asked.input;
  if (said.updatedInput !== undefined && tool.isMcp !== true) {
    const problem = checkInput(input, tool.definition.input_schema);
    if (problem !== undefined) return { refusal: `A hook changed the input. ${problem}` };
  }
  if (said.permission?.behavior === "deny") {
    return denied(said.permission.reason ?? "A hook of the person does not allow this call.");
  }
  const judged = withHook(agent.judge(tool, input), said.permission?.behavior);
  if (judged.behavior === "allow") return judged.holdsGit === true ? { input, holdsGit: true } : { input };
  if (judged.behavior === "deny") return denied(judged.reason);
  return askForIt(agent, { ...asked, input }, judged);
}

/** What a hook allows need not be asked for, unless a rule wants it asked; and what a hook wants asked is. */
function withHook(judgement: Judgement, hook: "allow" | "ask" | "deny" | undefined): Judgement {
  if (hook === "allow" && judgement.behavior === "ask" && judgement.rule === undefined)
    return { ...judgement, behavior: "allow" };
  if (hook === "ask" && judgement.behavior === "allow") {
    return { behavior: "ask", reason: "A hook wants the person to be asked about this call." };
  }
  return judgement;
}

async function askForIt(agent: Agent, asked: Asked, judged: Judgement): Promise<Permitted> {
  const { tool, input, call, signal } = asked;
  const { answer, ...said } = await agent.hooks.run(
    "PermissionRequest",
    { toolName: call.name, toolInput: input, suggestions: judged.suggestions ?? [], ...callerOf(agent) },
    { signal },
  );
  note(said, asked, "PermissionRequest");
  if (said.endTurn !== undefined) {
    return { refusal: HOOK_ENDED, isDenied: true, ending: stopped(said.endTurn) };
  }
  if (answer?.behavior === "deny") {
    const refusal = answer.message ?? "The person's hook did not permit this call.";
    if (answer.interrupt !== true) return denied(refusal);
    return { refusal, isDenied: true, ending: stopped(refusal) };
  }
  if (answer?.behavior === "allow") return permitChanged(agent, tool, answer.updatedInput ?? input);
  const verdict = await askPerson(agent, asked, judged);
  if (verdict.behavior === "allow") {
    return verdict.input === undefined ? { input } : permitChanged(agent, tool, verdict.input);
  }
  if (verdict.endsTurn !== true) return denied(verdict.reason);
  return { refusal: verdict.reason, isDenied: true, ending: stopped(verdict.reason) };
}

/** Whoever allows a call may change its input; what a rule forbids stays forbidden. */
function permitChanged(agent: Agent, tool: AgentTool, input: ToolInput): Permitted {
  const again = agent.judge(tool, input);
  if (again.behavior === "deny") return denied(again.reason);
  const problem = checkInput(input, tool.definition.input_schema);
  return problem !== undefined && tool.isMcp !== true ? { refusal: problem } : { input };
}

async function askPerson(
  { ask, agentId }: Agent,
  { tool, input, call, signal }: Asked,
  judgement: Judgement,
): Promise<PermissionVerdict> {
  if (ask === undefined) return denyInsteadOfAsking(judgement);
  const own = agentId === undefined ? {} : { agentId };
  const asking = ask({ tool, input, judgement, toolUseId: call.id, ...own }, signal);
  return untilAborted(asking, { signal, graceMs: 0, message: INTERRUPTED });
}

interface Said {
  readonly contexts?: readonly string[];
  readonly message?: string;
}

function note(
  said: Said,
  { notices, contexts }: Pick<Asked, "notices" | "contexts">,
  hookEvent: string,
): void {
  if (said.message !== undefined) notices.push(said.message);
  contexts.push(...contextsOf(said.contexts, hookEvent));
}
