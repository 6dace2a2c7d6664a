import {
  createConversation,
  type Conversation,
  type Message,
  type Settings,
  type ToolResultBlock,
  type TranscriptWriter,
  type UserBlock,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { findProblems } from "@palimpsest/core/validity";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookRegistrations } from "../../hooks/function-hooks.js";
import { createFunctionHooks } from "../../hooks/function-hooks.js";
import {
  createEmbeddedProvider,
  type EmbeddedProvider,
  type EmbeddedProviderOptions,
} from "../../../providers/embedded.js";
import { createScriptPlayer } from "../../../simulator/players/script-player.js";
import type { ScriptStep } from "../../../simulator/players/script.js";
import { withSummaries } from "../../../simulator/players/summaries-player.js";
import type { AgentTool, ToolInput, ToolOutput } from "../../base/tool.js";
import type { Agent } from "../agent.js";
import type { AgentEvent, AgentResult } from "../../base/agent-event.js";
import { query, type QueryOptions } from "../query.js";

const MODEL = "claude-sonnet-5";

export interface LoopOptions {
  readonly steps: readonly ScriptStep[];
  readonly tools?: readonly AgentTool[];
  readonly hooks?: HookRegistrations;
  readonly settings?: Partial<Settings>;
  readonly provider?: EmbeddedProviderOptions;
  readonly agent?: Partial<Agent>;
  readonly writer?: TranscriptWriter;
}

interface LoopRun {
  readonly events: readonly AgentEvent[];
  readonly result: AgentResult;
}

export interface LoopAgent {
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly provider: EmbeddedProvider;
  readonly run: (
    prompt: string | readonly UserBlock[] | undefined,
    options?: Partial<QueryOptions> & { readonly onEvent?: (event: AgentEvent) => void },
  ) => Promise<LoopRun>;
  /** What the API would say to the conversation as it stands, with one more word of the person. */
  readonly problems: () => readonly unknown[];
}

/** A loop over the simulated API, with tools and hooks that are functions. */
export function createLoopAgent(options: LoopOptions): LoopAgent {
  const { steps, tools = [], hooks = {}, settings } = options;
  const provider = createEmbeddedProvider({
    player: withSummaries(createScriptPlayer({ steps })),
    ...options.provider,
  });
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  let ids = 0;
  const conversation = createConversation({
    model: MODEL,
    maxTokens: 1000,
    sessionId: "s",
    compaction,
    provider,
    clock: { now: Date.now },
    ids: { next: () => `u${(ids += 1)}` },
    tools: () => tools.map(({ definition }) => ({ definition })),
    ...(settings === undefined ? {} : { settings }),
    ...(options.writer === undefined ? {} : { writer: options.writer }),
  });
  const agent: Agent = {
    conversation,
    provider,
    readState: createMemoryReadState(),
    tools: () => byName,
    judge: () => ({ behavior: "allow", reason: "" }),
    hooks: createFunctionHooks(hooks, { timer: { after: timer } }),
    now: Date.now,
    permissionMode: () => "default",
    ...options.agent,
  };
  return {
    agent,
    conversation,
    provider,
    async run(prompt, { onEvent, signal = new AbortController().signal, ...rest } = {}) {
      const events: AgentEvent[] = [];
      const running = query(agent, prompt, { signal, ...rest });
      let next = await running.next();
      while (next.done !== true) {
        events.push(next.value);
        onEvent?.(next.value);
        next = await running.next();
      }
      return { events, result: next.value };
    },
    problems() {
      const messages = [...conversation.requestMessages()];
      if (messages.at(-1)?.role === "assistant")
        messages.push({ role: "user", content: [{ type: "text", text: "go on" }] });
      const definitions = tools.map(({ definition }) => definition);
      return findProblems({ model: MODEL, max_tokens: 1000, messages, tools: definitions });
    },
  };
}

function timer(milliseconds: number, callback: () => void): () => void {
  const id = setTimeout(callback, milliseconds);
  return () => clearTimeout(id);
}

/** A tool that is a function. */
export const makeTool = (
  name: string,
  run: (input: ToolInput, signal: AbortSignal) => ToolOutput | Promise<ToolOutput>,
  more: { readonly isReadOnly?: boolean; readonly schema?: object } = {},
): AgentTool => ({
  definition: {
    name,
    description: `What ${name} does.`,
    input_schema: {
      type: "object",
      properties: { value: { type: "string" } },
      additionalProperties: false,
      ...more.schema,
    },
  },
  isReadOnly: () => more.isReadOnly === true,
  subject: () => ({ kind: "other" }),
  run: async (input, { signal }) => run(input, signal),
});

/** Waits like a tool that does not mind the signal. */
export const pause = (milliseconds: number): Promise<void> => sleep(milliseconds);

export const call = (tool: string, input: ToolInput = {}) => ({ tool, input });

/** The results that a conversation holds, in their order. */
export const resultsIn = (live: readonly Message[]): readonly ToolResultBlock[] =>
  live.flatMap((message) => {
    if (message.type !== "user" || typeof message.message.content === "string") return [];
    return message.message.content.filter((block) => block.type === "tool_result");
  });

/** What hooks said to the model. */
export const contextsIn = (live: readonly Message[]): readonly unknown[] =>
  live.flatMap((message) =>
    message.type === "attachment" && message.attachment.type === "hook_additional_context"
      ? [message.attachment["content"]]
      : [],
  );
