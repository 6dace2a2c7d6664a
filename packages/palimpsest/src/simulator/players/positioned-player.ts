import type { ModelRequest, ToolDefinition } from "@palimpsest/core";
import type { Answer, AnswerBlock, Delivery, Player, PlayerPrompt } from "../player.js";
import {
  handedOut,
  locate,
  readConversations,
  rememberConversation,
  summaryAsked,
  type Position,
} from "./conversation-position.js";
import { isFields } from "../fields.js";
import { callableTools } from "./tool-kinds.js";
import { callWithDefaults, mapCall, type MappedCall, type WantedCall } from "./tool-mapping.js";
import { makeToolUseId } from "./tool-use-id.js";

export type PlannedBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | { readonly type: "call"; readonly call: WantedCall };

/** A response that leaves something in the conversation: its place can be read from there. */
export interface PlannedResponse {
  readonly blocks: readonly PlannedBlock[];
  readonly stopReason?: string;
  readonly delivery?: Delivery;
  /** How often it is delivered so; the same response asked for again comes without. Absent: always. */
  readonly deliveryTimes?: number;
}

/** An answer that leaves nothing in the conversation: an error, an empty answer. */
export interface PlannedFault {
  readonly answer: Answer;
  /** How often, before the conversation gets on. */
  readonly times: number;
}

/** What a positioned player plays. Responses are counted from 0 and never change. */
export interface Plan {
  /** Undefined: the plan is at its end. */
  responseAt(index: number): PlannedResponse | undefined;
  faultsBefore(index: number): readonly PlannedFault[];
  /** What is said after the end. */
  readonly closing: string;
  /** In place of a call that no offered tool can carry out. */
  substitute(call: WantedCall): PlannedBlock;
}

/**
 * A player that can be told of requests that another one answers, so that it keeps its place over them.
 * Pure, like `answer`.
 */
export interface ObservingPlayer extends Player {
  /** Somebody else answers this request for a summary; returns the memory to go on with. */
  observeSummary(prompt: PlayerPrompt, memory: unknown): unknown;
}

/**
 * Plays a plan, each conversation at its own place. A retry gets the same response again, under the same ids; a
 * fork gets the response of the place where it branches off; neither shifts the conversation, nor does a
 * compaction. A request that offers no tools where the plan calls some is a side request (a title, a check): it
 * gets a short text and does not count.
 */
export function createPositionedPlayer(plan: Plan): ObservingPlayer {
  return {
    answer(prompt, memory) {
      const conversations = readConversations(memory);
      const position = locate(prompt.request, conversations);
      const { conversation, next } = position;
      const tools = callableTools(prompt.request);

      const response = plan.responseAt(next);
      const calls = response?.blocks.some((block) => block.type === "call") ?? false;
      if (calls && tools.length === 0) return { answer: withoutTools(response), memory };

      for (const [index, fault] of plan.faultsBefore(next).entries()) {
        const name = `${next}.${index}`;
        const played = conversation.faults[name] ?? 0;
        if (played >= fault.times) continue;
        const faults = { ...conversation.faults, [name]: played + 1 };
        return {
          answer: fault.answer,
          memory: rememberConversation(conversations, { ...conversation, faults }),
        };
      }

      const forced = forcedTool(prompt.request, tools);
      const content = contentOf(response ?? closing(plan), {
        plan,
        position,
        tools,
        request: prompt.request,
      });
      if (
        forced !== undefined &&
        !content.some((block) => block.type === "tool_use" && forced.suits(block.name))
      ) {
        return { answer: { content: [{ type: "tool_use", ...callWithDefaults(forced.tool) }] }, memory };
      }

      const delivered = `delivery ${next}`;
      const times = conversation.faults[delivered] ?? 0;
      const limited = response?.delivery !== undefined && response.deliveryTimes !== undefined;
      const answer: Answer = {
        content,
        ...(response?.stopReason === undefined ? {} : { stopReason: response.stopReason }),
        ...(response?.delivery === undefined || (limited && times >= (response.deliveryTimes ?? 0))
          ? {}
          : { delivery: response.delivery }),
      };
      const faults = limited ? { ...conversation.faults, [delivered]: times + 1 } : conversation.faults;
      return {
        answer,
        memory: rememberConversation(conversations, handedOut({ ...conversation, faults }, next)),
      };
    },

    observeSummary(prompt, memory) {
      const conversations = readConversations(memory);
      const messages =
        prompt.kind === "compaction" ? prompt.request.messages : prompt.request.messages.slice(0, -1);
      const { conversation, next, known } = locate({ ...prompt.request, messages }, conversations);
      return known ? rememberConversation(conversations, summaryAsked(conversation, next)) : memory;
    },
  };
}

const closing = (plan: Plan): PlannedResponse => ({ blocks: [{ type: "text", text: plan.closing }] });

function withoutTools(response: PlannedResponse | undefined): Answer {
  const texts = (response?.blocks ?? []).flatMap((block) =>
    block.type === "text" && block.text.trim() !== "" ? [{ type: "text" as const, text: block.text }] : [],
  );
  return { content: texts.length > 0 ? texts : [{ type: "text", text: "ok" }] };
}

interface Surroundings {
  readonly plan: Plan;
  readonly position: Position;
  readonly tools: readonly ToolDefinition[];
  readonly request: ModelRequest;
}

function contentOf(
  response: PlannedResponse,
  { plan, position, tools, request }: Surroundings,
): readonly AnswerBlock[] {
  const mostCalls = request.tool_choice?.["disable_parallel_tool_use"] === true ? 1 : Infinity;
  const content: AnswerBlock[] = [];
  const given = new Set<string>();
  const isTaken = (id: string): boolean => given.has(id) || holdsId(request, id);
  let calls = 0;
  const addCall = (mapped: MappedCall): void => {
    const id = makeToolUseId({ tag: position.conversation.tag, step: position.next, call: calls }, isTaken);
    given.add(id);
    calls += 1;
    content.push({ type: "tool_use", id, ...mapped });
  };
  for (const planned of response.blocks) {
    if (planned.type === "call" && calls >= mostCalls) continue;
    const mapped = planned.type === "call" ? mapCall(planned.call, tools) : undefined;
    const block = planned.type === "call" && mapped === undefined ? plan.substitute(planned.call) : planned;
    const substitute = mapped ?? (block.type === "call" ? mapCall(block.call, tools) : undefined);
    if (substitute !== undefined) addCall(substitute);
    else if (block.type === "call") content.push({ type: "text", text: notOffered(block.call) });
    else content.push(block);
  }
  return content;
}

function holdsId(request: ModelRequest, id: string): boolean {
  return request.messages.some(
    ({ role, content }) =>
      role === "assistant" &&
      Array.isArray(content) &&
      content.some((block: unknown) => isFields(block) && block["type"] === "tool_use" && block["id"] === id),
  );
}

export const notOffered = ({ tool, kind }: WantedCall): string =>
  `[simulator] The client offers no tool for ${tool ?? kind ?? "this call"}.`;

/** The tool that the request demands a call of, where it demands one. */
export function forcedTool(
  request: ModelRequest,
  tools: readonly ToolDefinition[],
): { readonly tool: ToolDefinition; suits(name: string): boolean } | undefined {
  const choice = request.tool_choice;
  if (choice?.["type"] === "any") {
    const tool = tools[0];
    return tool === undefined ? undefined : { tool, suits: () => true };
  }
  if (choice?.["type"] !== "tool") return undefined;
  const tool = tools.find(({ name }) => name === choice["name"]);
  return tool === undefined ? undefined : { tool, suits: (name) => name === tool.name };
}
