import {
  createAttachmentMessage,
  createUserMessage,
  type Attachment,
  type EngineStep,
  type Message,
  type ModelProvider,
  type ModelResponse,
  type Outcome,
  type PreparedRequest,
  type ToolUseBlock,
  type UserBlock,
} from "@palimpsest/core";
import { createCallMeter } from "@palimpsest/core/engine";
import { setMaxListeners } from "node:events";
import { announceChanges } from "../mcp/announcements.js";
import type { Agent } from "./agent.js";
import type { AgentEvent, AgentResult } from "../base/agent-event.js";
import { callerOf, contextsOf } from "./hook-words.js";
import { incompleteCall, skippedCall, type CallOutcome } from "./run-call.js";
import { groupCalls, runCalls } from "./run-calls.js";
import { streamUnbroken } from "./stream-unbroken.js";
import { telling } from "./telling.js";
import type { TurnEnding } from "./turn-ending.js";

export interface QueryOptions {
  readonly signal: AbortSignal;
  /** Requests at most. Default: as many as it takes. */
  readonly maxTurns?: number;
}

type StreamRetry = NonNullable<NonNullable<Parameters<ModelProvider["stream"]>[1]>["onRetry"]>;

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
  #turns = 0;
  #stopReason: ModelResponse["stop_reason"] = null;
  #stopBlocks = 0;

  constructor(agent: Agent, { signal, maxTurns = Number.POSITIVE_INFINITY }: QueryOptions) {
    this.#agent = agent;
    this.#signal = signal;
    // Each of many calls at once listens to it, and that is no leak.
    setMaxListeners(0, signal);
    this.#maxTurns = maxTurns;
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
      if ("reason" in asked) return asked;
      const { response } = asked;
      this.#stopReason = response.stop_reason;
      const calls = response.content.filter((block): block is ToolUseBlock => block.type === "tool_use");
      if (calls.length > 0) {
        const cutOff = cutOffCall(response);
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

  /** Attachments one behind the other, in messages of their own. */
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
    const said = await agent.hooks.run(
      "UserPromptSubmit",
      { prompt: text, ...callerOf(agent) },
      { signal: this.#signal },
    );
    if (this.#signal.aborted) return this.#end("aborted", "It was interrupted before the prompt was taken.");
    if (said.message !== undefined) yield { kind: "notice", text: said.message };
    const refusal = said.block ?? said.endTurn;
    if (refusal !== undefined) {
      return this.#end("stopped", refusal.trim() === "" ? "A hook kept the prompt from the model." : refusal);
    }
    const message = createUserMessage(agent.conversation.origin(), { content: prompt });
    const contexts = contextsOf(said.contexts, "UserPromptSubmit");
    yield* this.#append([message, ...this.#attachments([...contexts, ...(await this.#news())], message)]);
    return undefined;
  }

  /** What has changed since it was last announced: tools that wait, servers' instructions, kinds of subagents. */
  async #news(): Promise<readonly Attachment[]> {
    const { announcements, conversation, agentId } = this.#agent;
    if (announcements === undefined) return [];
    const { live } = conversation;
    return announceChanges(announcements, { live, ...(agentId === undefined ? {} : { agentId }) });
  }

  /** One request with its answer. */
  async *#ask(): AsyncGenerator<AgentEvent, { readonly response: ModelResponse } | AgentResult> {
    const { conversation } = this.#agent;
    while (true) {
      const prepared = await conversation.prepare({ signal: this.#signal });
      for (const step of prepared.steps) yield* this.#told(step);
      if (prepared.kind === "held") {
        if (prepared.reason === "aborted") return yield* this.#interrupted();
        return this.#end("held", prepared.message);
      }
      const outcome = yield* this.#send(prepared);
      if (outcome === undefined) return yield* this.#interrupted();
      const observed = await conversation.observe(prepared, outcome, { signal: this.#signal });
      if (observed.kind === "retry") {
        yield* this.#told(observed.step);
        continue;
      }
      if (observed.kind === "failed") return this.#end("failed", observed.message);
      this.#turns += 1;
      yield { kind: "message", message: observed.message };
      if (outcome.kind === "response") {
        if (observed.cacheBreak !== undefined) yield { kind: "cache-break", cacheBreak: observed.cacheBreak };
        return { response: outcome.response };
      }
    }
  }

  async *#told(step: EngineStep): AsyncGenerator<AgentEvent> {
    yield { kind: "step", step };
    for (const message of step.added) yield { kind: "message", message };
  }

  /** Undefined where it was called off. What is cut off on the way is charged, whoever still listens. */
  async *#send(prepared: PreparedRequest): AsyncGenerator<AgentEvent, Outcome | undefined> {
    const { provider, conversation } = this.#agent;
    const left = new AbortController();
    const signal = AbortSignal.any([this.#signal, left.signal]);
    try {
      return yield* telling(async (tell) => {
        const meter = createCallMeter(prepared.call.request);
        const onRetry: StreamRetry = (retry) => {
          meter.onRetry(retry);
          tell({ kind: "retry", ...retry });
        };
        const { onProgress } = meter;
        const options = { call: prepared.call, signal, onRetry, onProgress };
        try {
          for await (const output of streamUnbroken(provider, options)) {
            meter.see(output);
            if (output.kind === "text") tell({ kind: "text", text: output.text });
            else if (output.kind === "thinking") tell({ kind: "thinking", text: output.thinking });
            else if (output.kind === "message") return { kind: "response", response: output.message };
            else if (output.kind === "error") {
              const { failure } = output;
              return failure.kind === "aborted" ? undefined : { kind: "failure", failure };
            }
          }
          return undefined;
        } finally {
          const cut = meter.cutOff();
          if (cut.length > 0) await conversation.charge(...cut);
        }
      });
    } finally {
      // Whoever stops listening does not want the rest either.
      left.abort();
    }
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
    const results = createUserMessage(conversation.origin(), {
      content: outcomes.map(({ result }) => result),
    });
    const attachments = [
      ...outcomes.flatMap((outcome) => outcome.attachments),
      ...(isLast ? ((await nestedMemory?.handleTriggers()) ?? []) : []),
      ...(isLast ? await this.#news() : []),
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

/** The call in whose middle a response reached its limit of tokens: what there is of its input is not what was meant. */
function cutOffCall({ stop_reason: reason, content }: ModelResponse): ToolUseBlock | undefined {
  const last = content.at(-1);
  return reason === "max_tokens" && last?.type === "tool_use" ? last : undefined;
}

/** What the person should know about how a response ended. */
function remarkOn({ stop_reason: reason }: ModelResponse): string | undefined {
  if (reason === "max_tokens")
    return "The answer was cut off: it reached the limit of tokens for one answer.";
  if (reason === "refusal") return "The model declined to answer.";
  return undefined;
}

const hideIn = (block: UserBlock, hide: (text: string) => string): UserBlock =>
  block.type === "text" ? { ...block, text: hide(block.text) } : block;

const textIn = (block: UserBlock): readonly string[] => (block.type === "text" ? [block.text] : []);

const textOf = ({ content }: ModelResponse): string =>
  content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim();
