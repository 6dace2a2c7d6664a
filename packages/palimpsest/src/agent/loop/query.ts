import {
  createAttachmentMessage,
  createUserMessage,
  type Attachment,
  type EngineStep,
  type Message,
  type ModelResponse,
  type ToolUseBlock,
  type TurnEvent,
  type UserBlock,
} from "@palimpsest/core";
import { takeTurn, type TurnEnd } from "@palimpsest/core/engine";
import { setMaxListeners } from "node:events";
import { announceChanges } from "../mcp/announcements.js";
import type { Agent } from "./agent.js";
import type { AgentEvent, AgentResult } from "../base/agent-event.js";
import { callerOf, contextsOf } from "./hook-words.js";
import { incompleteCall, skippedCall, type CallOutcome } from "./run-call.js";
import { groupCalls, runCalls } from "./run-calls.js";
import { unbroken } from "./stream-unbroken.js";
import type { TurnEnding } from "./turn-ending.js";

export interface QueryOptions {
  readonly signal: AbortSignal;
  /** Requests at most. Default: as many as it takes. */
  readonly maxTurns?: number;
  /** The prompt stays word for word through every compaction. */
  readonly isPinned?: boolean;
  /** What is put beside the prompt, gathered once no hook refuses it: files that it names, a skill. */
  readonly gather?: () => Promise<Gathered>;
}

/** What stands beside a prompt. */
export interface Gathered {
  /** Pictures, after its words. */
  readonly blocks: readonly UserBlock[];
  readonly attachments: readonly Attachment[];
  /** For the person. */
  readonly notices: readonly string[];
  /** Why the prompt is not sent, in a sentence. */
  readonly failure?: string;
}

type Answered = Extract<TurnEnd, { readonly kind: "accepted" }>;

/** What stands in the conversation after somebody pressed a key in the middle of it. */
const INTERRUPTED_TEXT = "[Request interrupted by user]";
/** Hooks that keep the model from stopping are heard so often in a row. */
const MOST_STOP_BLOCKS = 8;

/**
 * Works on what the person said until the model is done. Yields whatever happens; every message is stored before
 * it is told. An abort at any point leaves a conversation that can be gone on with. Without a prompt it goes on where
 * the conversation stands.
 */
export async function* query(
  agent: Agent,
  prompt: string | readonly UserBlock[] | undefined,
  options: QueryOptions,
): AsyncGenerator<AgentEvent, AgentResult> {
  return yield* new Query(agent, options).run(prompt);
}

class Query {
  readonly #agent: Agent;
  readonly #signal: AbortSignal;
  readonly #maxTurns: number;
  readonly #isPinned: boolean;
  readonly #gather: NonNullable<QueryOptions["gather"]>;
  #turns = 0;
  #stopReason: ModelResponse["stop_reason"] = null;
  #stopBlocks = 0;

  constructor(
    agent: Agent,
    { signal, maxTurns = Number.POSITIVE_INFINITY, isPinned = false, gather }: QueryOptions,
  ) {
    this.#agent = agent;
    this.#signal = signal;
    // Each of many calls at once listens to it, and that is no leak.
    setMaxListeners(0, signal);
    this.#maxTurns = maxTurns;
    this.#isPinned = isPinned;
    this.#gather = gather ?? (async () => ({ blocks: [], attachments: [], notices: [] }));
  }

  async *run(prompt: string | readonly UserBlock[] | undefined): AsyncGenerator<AgentEvent, AgentResult> {
    if (prompt !== undefined) {
      const refused = yield* this.#submit(prompt);
      if (refused !== undefined) return refused;
    } else if (!awaitsAnswer(this.#agent.conversation.live)) {
      return this.#end(
        "held",
        "There is nothing to go on with: the last answer is complete. Say what to do next.",
      );
    }
    while (true) {
      if (this.#signal.aborted) return yield* this.#interrupted();
      if (this.#turns >= this.#maxTurns) {
        return this.#end("max-turns", `The limit of ${this.#maxTurns} requests was reached.`);
      }
      const asked = yield* this.#ask();
      if (!("kind" in asked)) return asked;
      const { response, calls, cutOff } = asked;
      this.#stopReason = response.stop_reason;
      if (calls.length > 0) {
        if (cutOff !== undefined) yield { kind: "notice", text: CALL_CUT_OFF };
        const ending = yield* this.#carryOut(calls, cutOff);
        if (this.#signal.aborted) return yield* this.#interrupted();
        if (ending !== undefined) return this.#end(ending.reason, ending.text);
        continue;
      }
      if (response.stop_reason === "pause_turn") continue;
      const remark = remarkOn(response);
      if (remark !== undefined) yield { kind: "notice", text: remark };
      const goesOn = yield* this.#stop(response);
      if (!goesOn) return this.#end("done", textOf(response));
    }
  }

  #end(reason: AgentResult["reason"], text: string): AgentResult {
    return { reason, text, turns: this.#turns, stopReason: this.#stopReason };
  }

  async *#interrupted(): AsyncGenerator<AgentEvent, AgentResult> {
    const { conversation } = this.#agent;
    yield* this.#append([
      createUserMessage(conversation.origin(), { content: INTERRUPTED_TEXT, isMeta: true }),
    ]);
    return this.#end("aborted", "It was interrupted.");
  }

  async *#append(messages: readonly Message[]): AsyncGenerator<AgentEvent> {
    if (messages.length === 0) return;
    await this.#agent.conversation.append(...messages);
    for (const message of messages) yield { kind: "message", message };
  }

  /** Attachments one after the other, in messages of their own. */
  #attachments(attachments: readonly Attachment[], behind: Message | undefined): readonly Message[] {
    const { conversation } = this.#agent;
    let parentUuid = behind?.uuid ?? conversation.origin().parentUuid;
    return attachments.map((attachment) => {
      const message = createAttachmentMessage({ ...conversation.origin(), parentUuid }, attachment);
      parentUuid = message.uuid;
      return message;
    });
  }

  /** Gives the end of the turn where a hook keeps the prompt from the model, or it was called off before they had spoken. */
  async *#submit(given: string | readonly UserBlock[]): AsyncGenerator<AgentEvent, AgentResult | undefined> {
    const agent = this.#agent;
    const { hide = (words) => words } = agent;
    const prompt = typeof given === "string" ? hide(given) : given.map((block) => hideIn(block, hide));
    const text = typeof prompt === "string" ? prompt : prompt.flatMap(textIn).join("\n");
    // What a subagent is told comes from its parent, not from a person.
    const said =
      agent.agentId === undefined
        ? await agent.hooks.run(
            "UserPromptSubmit",
            { prompt: text, ...callerOf(agent) },
            { signal: this.#signal },
          )
        : {};
    if (this.#signal.aborted) return this.#end("aborted", "It was interrupted before the prompt was taken.");
    if (said.message !== undefined) yield { kind: "notice", text: said.message };
    const refusal = said.block ?? said.endTurn;
    if (refusal !== undefined) {
      return this.#end("stopped", refusal.trim() === "" ? "A hook kept the prompt from the model." : refusal);
    }
    const taken = await agent.takeUp?.(this.#signal);
    if (taken?.step !== undefined) yield* this.#told(taken.step);
    if (taken?.notice !== undefined) yield { kind: "notice", text: taken.notice };
    const beside = await this.#gather();
    for (const notice of beside.notices) yield { kind: "notice", text: notice };
    if (this.#signal.aborted) return this.#end("aborted", "It was interrupted before the prompt was taken.");
    if (beside.failure !== undefined) return this.#end("failed", beside.failure);
    agent.refreshPrompt?.();
    const made = createUserMessage(agent.conversation.origin(), {
      content: withBlocks(prompt, beside.blocks),
    });
    const message = this.#isPinned ? { ...made, isPinned: true } : made;
    const contexts = contextsOf(said.contexts, "UserPromptSubmit");
    const stale = await agent.changedFiles?.hint();
    const changed = stale === undefined ? [] : [{ type: "stale_reads", content: stale }];
    const attachments = [...beside.attachments, ...contexts, ...changed, ...(await this.#news())];
    yield* this.#append([message, ...this.#attachments(attachments, message)]);
    return undefined;
  }

  /** What has changed since it was last announced: tools that wait, servers' instructions, kinds of subagents, the mode. */
  async #news(results: readonly Message[] = []): Promise<readonly Attachment[]> {
    const { announcements, reminders, conversation, agentId } = this.#agent;
    const { live } = conversation;
    const caller = agentId === undefined ? {} : { agentId };
    return [
      ...(announcements === undefined ? [] : await announceChanges(announcements, { live, ...caller })),
      ...((await reminders?.([...live, ...results])) ?? []),
    ];
  }

  /** One request with its answer. */
  async *#ask(): AsyncGenerator<AgentEvent, Answered | AgentResult> {
    const { conversation, provider } = this.#agent;
    const turn = takeTurn(conversation, { provider: unbroken(provider), signal: this.#signal });
    let next = await turn.next();
    try {
      for (; next.done !== true; next = await turn.next()) yield* this.#toldOf(next.value);
    } finally {
      // Whoever stops listening does not want the rest either.
      if (next.done !== true) await turn.return(undefined as never);
    }
    const end = next.value;
    if (end.kind === "accepted") {
      this.#turns += 1;
      yield { kind: "message", message: end.message };
      if (end.cacheBreak !== undefined) yield { kind: "cache-break", cacheBreak: end.cacheBreak };
      return end;
    }
    const reason = end.kind === "held" ? end.reason : end.failure.kind;
    if (reason === "aborted") return yield* this.#interrupted();
    const result = this.#end(end.kind, end.message);
    return end.kind === "held" ? { ...result, heldBy: end.reason } : result;
  }

  async *#toldOf(event: TurnEvent): AsyncGenerator<AgentEvent> {
    if (event.kind === "step") yield* this.#told(event.step);
    else if (event.kind === "text") yield { kind: "text", text: event.text };
    else if (event.kind === "thinking") yield { kind: "thinking", text: event.thinking };
    else if (event.kind === "retry") yield event;
  }

  async *#told(step: EngineStep): AsyncGenerator<AgentEvent> {
    yield { kind: "step", step };
    for (const message of step.added) yield { kind: "message", message };
  }

  /** Results are stored before the next call that may change something is made. Gives how the turn ends, where it does. */
  async *#carryOut(
    calls: readonly ToolUseBlock[],
    cutOff: ToolUseBlock | undefined,
  ): AsyncGenerator<AgentEvent, TurnEnding | undefined> {
    let ending: TurnEnding | undefined;
    const whole = calls.filter((call) => call !== cutOff);
    const groups = [...groupCalls(this.#agent, whole), ...(cutOff === undefined ? [] : [[cutOff]])];
    for (const [index, group] of groups.entries()) {
      const outcomes =
        ending?.reason === "stopped"
          ? group.map(skippedCall)
          : group[0] === cutOff
            ? group.map(incompleteCall)
            : yield* runCalls(this.#agent, group, this.#signal);
      ending ??= outcomes.find((outcome) => outcome.ending !== undefined)?.ending;
      yield* this.#keep(outcomes, index === groups.length - 1);
    }
    return ending;
  }

  async *#keep(outcomes: readonly CallOutcome[], isLast: boolean): AsyncGenerator<AgentEvent> {
    const { conversation, nestedMemory } = this.#agent;
    for (const notice of outcomes.flatMap(({ notices }) => notices)) yield { kind: "notice", text: notice };
    const stale = outcomes.find((outcome) => outcome.staleReadFileStateHint !== undefined);
    const results = {
      ...createUserMessage(conversation.origin(), { content: outcomes.map(({ result }) => result) }),
      // For programs that read the transcript; the model is told in the result.
      ...(stale === undefined
        ? {}
        : { toolUseResult: { staleReadFileStateHint: stale.staleReadFileStateHint } }),
    };
    const attachments = [
      ...outcomes.flatMap((outcome) => outcome.attachments),
      ...(isLast ? ((await nestedMemory?.handleTriggers()) ?? []) : []),
      ...(isLast ? await this.#news([results]) : []),
    ];
    yield* this.#append([results, ...this.#attachments(attachments, results)]);
  }

  /** The model is done; whether hooks send it on. */
  async *#stop(response: ModelResponse): AsyncGenerator<AgentEvent, boolean> {
    const agent = this.#agent;
    const lastAssistantMessage = textOf(response);
    const input = { isStopHookActive: this.#stopBlocks > 0, lastAssistantMessage, ...callerOf(agent) };
    const options = { signal: this.#signal };
    const { agentId, agentType = "general", transcriptPath } = agent;
    const own = transcriptPath === undefined ? {} : { agentTranscriptPath: transcriptPath };
    const said =
      agentId === undefined
        ? await agent.hooks.run("Stop", input, options)
        : await agent.hooks.run("SubagentStop", { ...input, agentId, agentType, ...own }, options);
    if (said.message !== undefined) yield { kind: "notice", text: said.message };
    if (said.block === undefined || said.endTurn !== undefined) return false;
    this.#stopBlocks += 1;
    if (this.#stopBlocks > MOST_STOP_BLOCKS) {
      yield {
        kind: "notice",
        text: `A Stop hook blocked ${MOST_STOP_BLOCKS} times in a row; it is not heard any more.`,
      };
      return false;
    }
    const message = createUserMessage(agent.conversation.origin(), { content: said.block, isMeta: true });
    yield* this.#append([message, ...this.#attachments(contextsOf(said.contexts, "Stop"), message)]);
    return true;
  }
}

/** Whether the model has something to answer: the last word is not its own. */
function awaitsAnswer(live: readonly Message[]): boolean {
  const last = live.findLast(({ type }) => type === "user" || type === "assistant");
  return last?.type === "user";
}

const CALL_CUT_OFF =
  "A call of the model was cut off: it reached the limit of tokens for one answer. The model is told, and the call is not made.";

/** What the person should know about how a response ended. */
function remarkOn({ stop_reason: reason }: ModelResponse): string | undefined {
  if (reason === "max_tokens")
    return "The answer was cut off: it reached the limit of tokens for one answer.";
  if (reason === "refusal") return "The model declined to answer.";
  return undefined;
}

const withBlocks = (
  prompt: string | readonly UserBlock[],
  blocks: readonly UserBlock[],
): string | readonly UserBlock[] => {
  if (blocks.length === 0) return prompt;
  return [...(typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt), ...blocks];
};

const hideIn = (block: UserBlock, hide: (text: string) => string): UserBlock =>
  block.type === "text" ? { ...block, text: hide(block.text) } : block;

const textIn = (block: UserBlock): readonly string[] => (block.type === "text" ? [block.text] : []);

const textOf = ({ content }: ModelResponse): string =>
  content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim();
