import { createDefaultEstimator } from "../../packages/core/src/engine/measure/default-estimator.js";
import type { ClearContext } from "../../packages/core/src/engine/clear/decision.js";
import { createCompactableTools } from "../../packages/core/src/engine/tools/compactable-tools.js";
import { createResultIndex } from "../../packages/core/src/engine/clear/result-index.js";
import { defaultSettings, type Settings } from "../../packages/core/src/engine/settings/settings.js";
import {
  createAssistantMessage,
  createUserMessage,
  findModel,
  normalise,
  type Message,
  type MessageOrigin,
  type RequestMessage,
  type ToolUseBlock,
  type ModelResponse,
} from "@palimpsest/core";
import { findProblems } from "@palimpsest/core/validity";
import type { Answer } from "../../packages/palimpsest/src/simulator/index.js";
import { createClient, prose } from "../../packages/palimpsest/src/simulator/testing/client.js";
import { textCounter } from "../text-counter.js";

export const tools = ["Read", "Edit", "TodoWrite"].map((name) => ({
  name,
  input_schema: { type: "object", properties: {} },
}));
const system = [
  { type: "text", text: prose("rules of the house", 1500), cache_control: { type: "ephemeral" } },
];
const RESULT_TOKENS = 2500;

export interface AgentOptions {
  readonly model: string;
  readonly isThinking?: boolean;
  readonly cacheEdits?: boolean;
  readonly settings?: Partial<Settings>;
}

/** What a test adds to a request: edits of the messages, parameters, headers. */
export interface RequestChange {
  readonly edit?: (messages: readonly RequestMessage[]) => readonly object[];
  readonly body?: object;
  readonly betas?: readonly string[];
  /** A further marker, by message. */
  readonly markAlso?: number;
}

interface Blocks {
  readonly role: string;
  readonly content: readonly { readonly type: string }[];
}

/** A marker on the last block of a message that can hold one. */
function mark(message: object): object {
  const { content } = message as Blocks;
  const at = content.findLastIndex(
    ({ type }) => !["thinking", "redacted_thinking", "cache_edits"].includes(type),
  );
  return {
    ...message,
    content: content.map((block, index) =>
      index === at ? { ...block, cache_control: { type: "ephemeral" } } : block,
    ),
  };
}

/** A little agent: the simulator is its model; it reads one file a round. Markers are placed by hand. */
export function createAgent({ model, isThinking = false, cacheEdits = false, settings = {} }: AgentOptions) {
  const use =
    (name: string) =>
    (round: number): Answer => ({
      content: [
        ...(isThinking ? [{ type: "thinking" as const, thinking: prose(`thought ${round}`, 120) }] : []),
        { type: "tool_use", name, input: { file_path: `/file-${round}` } },
      ],
    });
  const client = createClient({
    counter: textCounter,
    cacheEdits,
    player: {
      answer: (_prompt, memory) => {
        const round = typeof memory === "number" ? memory : 0;
        return { answer: use(round === 0 ? "TodoWrite" : "Read")(round), memory: round + 1 };
      },
    },
  });
  const estimator = createDefaultEstimator({ model });
  const index = createResultIndex({ estimator, tools: createCompactableTools() });
  let uuids = 0;
  const origin = (): MessageOrigin => ({
    clock: { now: () => client.simulator.now() },
    ids: { next: () => `u${(uuids += 1)}` },
    sessionId: "s",
    parentUuid: agent.live.at(-1)?.uuid ?? null,
  });
  const take = (...messages: readonly Message[]): void => {
    index.append(messages);
    agent.live = [...agent.live, ...messages];
  };
  const agent = {
    client,
    index,
    origin,
    take,
    live: [] as readonly Message[],
    last: undefined as ModelResponse | undefined,
    context: (): ClearContext => ({
      index,
      estimator,
      settings: { ...defaultSettings, ...settings },
      model: findModel(model),
    }),
    requestMessages: () => normalise(agent.live, { tools }).messages,
    request({ edit, body = {}, markAlso }: RequestChange = {}) {
      const messages = edit?.(agent.requestMessages()) ?? agent.requestMessages();
      return {
        model,
        max_tokens: 8000,
        tools,
        system,
        ...(isThinking ? { thinking: { type: "adaptive" } } : {}),
        messages: messages.map((message, index) =>
          index === messages.length - 1 || index === markAlso ? mark(message) : message,
        ),
        ...body,
      };
    },
    /** Sends what there is; a refusal throws. */
    send(change: RequestChange = {}) {
      const request = agent.request(change);
      const betas = change.betas ?? [];
      const problems = findProblems(request, { betas, cacheEdits });
      if (problems.length > 0) throw new Error(JSON.stringify(problems));
      const outcome = client.call(request, { betas });
      if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
      agent.last = outcome.message;
      return outcome;
    },
    /** Sends, and carries the call of the answer out. */
    round(change: RequestChange = {}) {
      const outcome = agent.send(change);
      const { id, content, usage } = outcome.message;
      take(createAssistantMessage(origin(), { id, model, content, usage: { ...usage } }));
      const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
      const results = calls.map((call) => ({
        type: "tool_result" as const,
        tool_use_id: call.id,
        content: prose(`result of ${JSON.stringify(call.input)}`, RESULT_TOKENS),
      }));
      take(createUserMessage(origin(), { content: results }));
      return outcome;
    },
  };
  take(createUserMessage(origin(), { content: "begin" }));
  return agent;
}

/** `actual` lies within the estimator's error of `expected`. */
export const isAbout = (actual: number, expected: number): boolean =>
  Math.abs(actual - expected) <= Math.max(200, expected * 0.2);
