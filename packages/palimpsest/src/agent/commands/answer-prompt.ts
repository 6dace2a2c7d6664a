import type { UserBlock } from "@palimpsest/core";
import type { AgentEvent, AgentResult } from "../base/agent-event.js";
import type { Agent } from "../loop/agent.js";
import type { Gathered, query } from "../loop/query.js";
import type { Session } from "../session/session.js";
import { allowingAgent } from "./allowing-agent.js";
import { gatherSkill } from "./gather-skill.js";
import { readMentions } from "./read-mentions.js";
import { resolveCommand } from "./resolve-command.js";
import { runBuiltIn } from "./run-built-in.js";
import { useModelOf, type ModelInUse } from "./skill-model.js";

/** What a person asks. */
export interface GivenPrompt {
  readonly content: string | readonly UserBlock[];
  /** What came beside it: data, in which no file is named and no command given. */
  readonly piped?: string;
  readonly isPinned?: boolean;
}

/** How it ended. */
export interface PromptResult extends AgentResult {
  /** Of a prompt that the program did itself, or of which nothing was sent: its name, and what came of it. */
  readonly command?: { readonly name: string } & Readonly<Record<string, unknown>>;
  /** The conversation goes on as a new one. */
  readonly startsAnew?: boolean;
}

export interface AnswerOptions {
  readonly session: Session;
  readonly query: typeof query;
  readonly signal: AbortSignal;
  readonly maxTurns?: number;
  /** Commands that the caller has done by itself: named where one is not known. */
  readonly otherCommands?: readonly string[];
}

/**
 * Does what a prompt says: a command of the program's own, a skill by its name, or words for the model with the files that
 * they name. Yields whatever happens.
 */
export async function* answerPrompt(
  prompt: GivenPrompt | undefined,
  options: AnswerOptions,
): AsyncGenerator<AgentEvent, PromptResult> {
  const { session, signal, maxTurns } = options;
  const limits = { signal, ...(maxTurns === undefined ? {} : { maxTurns }) };
  if (prompt === undefined) return yield* options.query(session.agent, undefined, limits);
  const typed = textsOf(prompt.content);
  const resolved = resolveCommand(typed[0] ?? "", session.skills.skills, options.otherCommands);
  if (resolved.kind === "unknown") {
    return { reason: "failed", text: resolved.message, turns: 0, command: { name: resolved.name } };
  }
  if (resolved.kind === "built-in") return yield* builtIn(resolved, prompt, options);
  const content = contentOf(prompt);
  const asked = { ...limits, isPinned: prompt.isPinned === true };
  if (resolved.kind === "words") {
    const gather = () => readMentions(typed.join("\n"), session, signal);
    return yield* options.query(session.agent, content, { ...asked, gather });
  }
  const { skill } = resolved;
  let allowing: Agent;
  try {
    allowing = allowingAgent(skill, session);
  } catch (error) {
    const text = `/${skill.name} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    return { reason: "failed", text, turns: 0, command: { name: skill.name } };
  }
  let gathered: Gathered | undefined;
  let model: ModelInUse | undefined;
  const gather = async (): Promise<Gathered> => {
    gathered = await gatherSkill({ ...resolved, allowing, session, signal });
    if (gathered.failure !== undefined) return gathered;
    model = await useModelOf(skill, session);
    const notices = model.notice === undefined ? gathered.notices : [...gathered.notices, model.notice];
    return { ...gathered, notices };
  };
  // A repository's file allows its own commands, where it is trusted, and nothing that the model calls.
  const agent = skill.source === "user" ? allowing : session.agent;
  try {
    const result = yield* options.query(agent, content, { ...asked, gather });
    return gathered?.failure === undefined ? result : { ...result, command: { name: skill.name } };
  } finally {
    await model?.leave();
  }
}

async function* builtIn(
  { name, args }: { readonly name: Parameters<typeof runBuiltIn>[0]; readonly args: string },
  { content, piped, isPinned }: GivenPrompt,
  options: AnswerOptions,
): AsyncGenerator<AgentEvent, PromptResult> {
  const refused =
    piped !== undefined || (typeof content !== "string" && content.length > 1)
      ? `/${name} takes nothing beside it: no pictures, no further texts, and nothing that is piped in.`
      : isPinned === true && `/${name} is done at once: there is nothing to pin.`;
  if (refused !== false) return { reason: "failed", text: refused, turns: 0, command: { name } };
  const { kind, text, data, step, startsAnew } = await runBuiltIn(name, args, options);
  if (step !== undefined) {
    yield { kind: "step", step };
    for (const message of step.added) yield { kind: "message", message };
  }
  const reason = kind === "done" ? "done" : options.signal.aborted ? "aborted" : "failed";
  return {
    reason,
    text,
    turns: 0,
    command: { name, ...data },
    ...(startsAnew === true ? { startsAnew } : {}),
  };
}

const textsOf = (content: GivenPrompt["content"]): readonly string[] =>
  typeof content === "string"
    ? [content]
    : content.flatMap((block) => (block.type === "text" ? [block.text] : []));

function contentOf({ content, piped }: GivenPrompt): string | readonly UserBlock[] {
  if (piped === undefined) return content;
  return typeof content === "string" ? `${content}\n\n${piped}` : [...content, { type: "text", text: piped }];
}
