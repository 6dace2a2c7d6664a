import type { Attachment, ToolResultBlock, ToolUseBlock } from "@palimpsest/core";
import { asFields } from "@palimpsest/core/engine";
import { checkInput } from "../tools/check-input.js";
import type { PermissionSubject, ToolInput, ToolOutput } from "../base/tool.js";
import type { Agent } from "./agent.js";
import { callerOf, contextsOf } from "./hook-words.js";
import { permit } from "./permit.js";
import { INTERRUPTED, stopped, type TurnEnding } from "./turn-ending.js";
import { touchedPaths } from "./touched-paths.js";
import { untilAborted } from "./until-aborted.js";

/** What became of one call. */
export interface CallOutcome {
  readonly result: ToolResultBlock;
  readonly attachments: readonly Attachment[];
  /** The turn ends after the results: with what a tool answered, or because a hook wants it. */
  readonly ending?: TurnEnding;
  /** It was not permitted. */
  readonly isDenied: boolean;
  /** For the person. */
  readonly notices: readonly string[];
  /** What its result says of files that the model has read and that have changed since. */
  readonly staleReadFileStateHint?: string;
}

const UNREAD_RULES =
  "Nothing was changed yet: there are instructions for this place that you had not been shown. They follow. Make the call again, changed where they ask for it.";

/** A tool that does not mind the signal is not waited for any longer. */
const GRACE_MS = 2000;

/**
 * One call from its permission to its result. Never rejects: whatever happens, the call gets a result, so that the
 * conversation stays one that the API accepts.
 */
export async function runCall(agent: Agent, call: ToolUseBlock, signal: AbortSignal): Promise<CallOutcome> {
  const notices: string[] = [];
  const contexts: Attachment[] = [];
  const finish = (output: ToolOutput, more: Partial<CallOutcome> = {}): CallOutcome => ({
    result: resultOf(call.id, output),
    attachments: [...(output.attachments ?? []), ...contexts],
    isDenied: false,
    notices,
    ...more,
  });
  const refuse = (content: string, more: Partial<CallOutcome> = {}): CallOutcome =>
    finish({ content, isError: true }, more);
  try {
    if (signal.aborted) return refuse(INTERRUPTED);
    const tool = agent.tools().get(call.name);
    if (tool === undefined)
      return refuse(`There is no tool named ${JSON.stringify(call.name.slice(0, 100))} now.`);
    const problem = checkInput(call.input, tool.definition.input_schema);
    if (problem !== undefined && tool.isMcp !== true) return refuse(problem);
    const permitted = await permit(agent, {
      tool,
      input: asFields(call.input),
      call,
      signal,
      notices,
      contexts,
    });
    // Hooks that are called off say nothing: what they would have forbidden must not happen.
    if (signal.aborted) return refuse(INTERRUPTED);
    if ("refusal" in permitted) {
      const { refusal, ending, isDenied = false } = permitted;
      return refuse(refusal, { isDenied, ...(ending === undefined ? {} : { ending }) });
    }
    const subject = tool.subject(permitted.input);
    // Whoever edits has read the rules of the place before.
    const rules =
      subject.kind === "edit" ? await agent.nestedMemory?.handleTriggers(subject.paths) : undefined;
    if (rules?.some(({ type }) => type === "nested_memory") === true) {
      contexts.push(...rules);
      return refuse(UNREAD_RULES);
    }
    contexts.push(...(rules ?? []));
    const started = agent.now();
    const { aroundCall = (_call, run) => run() } = agent;
    const output = await aroundCall(call, () =>
      untilAborted(
        tool.run(permitted.input, {
          toolUseId: call.id,
          signal,
          now: agent.now,
          readState: agent.readState,
          touch: (path) => agent.nestedMemory?.touch(path),
          ...(agent.agentId === undefined ? {} : { agentId: agent.agentId }),
          ...(permitted.holdsGit === true ? { holdsGit: true } : {}),
        }),
        { signal, graceMs: GRACE_MS, message: INTERRUPTED },
      ),
    );
    const told = await afterCall(agent, { call, input: permitted.input, output, started, signal });
    contexts.push(...told.contexts);
    notices.push(...told.notices);
    const stale = await staleHint(agent, subject.kind, told.output);
    if (agent.places !== undefined) {
      const call = { subject, input: permitted.input, isMcp: tool.isMcp === true };
      for (const path of touchedPaths(call, agent.places)) agent.nestedMemory?.touch(path);
    }
    const ending =
      told.ending ?? (output.endsTurn === true ? { reason: "done", text: textOf(told.output) } : undefined);
    return finish(stale === undefined ? told.output : withText(told.output, stale), {
      ...(ending === undefined ? {} : { ending }),
      ...(stale === undefined ? {} : { staleReadFileStateHint: stale }),
    });
  } catch (error) {
    if (signal.aborted) return refuse(INTERRUPTED);
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** After whatever may have changed files, or waited for something that has: commands, servers, subagents. */
async function staleHint(
  { changedFiles }: Agent,
  kind: PermissionSubject["kind"],
  { content }: ToolOutput,
): Promise<string | undefined> {
  const takesText =
    typeof content === "string" || content.every(({ type }) => type === "text" || type === "image");
  return kind === "read" || !takesText ? undefined : changedFiles?.hint();
}

const withText = (output: ToolOutput, text: string): ToolOutput => ({
  ...output,
  content:
    typeof output.content === "string"
      ? [output.content, text].filter((part) => part.trim() !== "").join("\n\n")
      : [...output.content, { type: "text", text }],
});

/** A call that does not run, because the turn ends before it. */
export const skippedCall = (call: ToolUseBlock): CallOutcome => ({
  result: resultOf(call.id, { content: "The turn ended before this call: it was not made.", isError: true }),
  attachments: [],
  isDenied: false,
  notices: [],
});

/** A call that is not whole, and does not run. */
export const incompleteCall = (call: ToolUseBlock): CallOutcome => ({
  result: resultOf(call.id, {
    content:
      "This call was cut off, because the answer reached its limit of tokens: it was not made. Say less in one call, for example write a long file in several parts.",
    isError: true,
  }),
  attachments: [],
  isDenied: false,
  notices: [],
});

interface Ran {
  readonly call: ToolUseBlock;
  readonly input: ToolInput;
  readonly output: ToolOutput;
  readonly started: number;
  readonly signal: AbortSignal;
}

async function afterCall(
  agent: Agent,
  { call, input, output, started, signal }: Ran,
): Promise<{
  readonly output: ToolOutput;
  readonly contexts: readonly Attachment[];
  readonly notices: readonly string[];
  readonly ending?: TurnEnding;
}> {
  const said = await agent.hooks.run(
    "PostToolUse",
    {
      toolName: call.name,
      toolInput: input,
      toolUseId: call.id,
      toolResponse: output.content,
      durationMs: agent.now() - started,
      ...callerOf(agent),
    },
    { signal },
  );
  const reason = said.block === undefined ? [] : [`A hook of the person says: ${said.block}`];
  const replaced =
    said.updatedOutput === undefined
      ? output
      : {
          ...output,
          content:
            typeof said.updatedOutput === "string"
              ? said.updatedOutput
              : (JSON.stringify(said.updatedOutput) ?? ""),
        };
  return {
    output: replaced,
    contexts: contextsOf([...reason, ...(said.contexts ?? [])], "PostToolUse"),
    notices: said.message === undefined ? [] : [said.message],
    ...(said.endTurn === undefined ? {} : { ending: stopped(said.endTurn) }),
  };
}

const textOf = ({ content }: ToolOutput): string =>
  typeof content === "string"
    ? content
    : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

const EMPTY = "(no output)";

function resultOf(id: string, { content, isError }: ToolOutput): ToolResultBlock {
  const isBlank = typeof content === "string" ? content.trim() === "" : content.length === 0;
  return {
    type: "tool_result",
    tool_use_id: id,
    content: isBlank ? EMPTY : content,
    ...(isError === true ? { is_error: true } : {}),
  };
}
