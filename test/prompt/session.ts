import {
  createAssistantMessage,
  createUserMessage,
  type Message,
  type MessageOrigin,
  type RequestMessage,
  type ToolUseBlock,
  type UserBlock,
} from "@palimpsest/core";
import { createNormaliser } from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import { placeCachedEdits } from "../../packages/core/src/engine/clear/cached-edits-request.js";
import { messagesApiCapabilities } from "../../packages/core/src/engine/ports/capabilities.js";
import { buildFork, type ForkParts } from "../../packages/core/src/engine/prompt/fork.js";
import {
  createRequestBuilder,
  type BuiltRequest,
  type RequestParts,
} from "../../packages/core/src/engine/prompt/request-builder.js";
import {
  createSystemPrompt,
  dynamicBoundary,
  section,
  volatileSection,
} from "../../packages/core/src/engine/prompt/sections.js";
import { createSystemLayouter } from "../../packages/core/src/engine/prompt/system-blocks.js";
import { createToolList, type OfferedTool } from "../../packages/core/src/engine/prompt/tool-list.js";
import type { CacheBreak } from "../../packages/core/src/engine/events/cache-break.js";
import { createCacheWatch } from "../../packages/core/src/engine/watch/cache-watch.js";
import type { MessageOutcome } from "../../packages/palimpsest/src/simulator/index.js";
import type { Answer, AnswerBlock } from "../../packages/palimpsest/src/simulator/index.js";
import { createClient, prose } from "../../packages/palimpsest/src/simulator/testing/client.js";
import { textCounter } from "../text-counter.js";

export const MAIN = "repl_main_thread";

const builtIn = ["Read", "Edit", "Bash"].map((name): OfferedTool => ({
  definition: { name, description: prose(name, 200), input_schema: { type: "object" } },
}));
export const mcpTool = (name: string): OfferedTool => ({
  definition: {
    name: `mcp__server__${name}`,
    description: prose(name, 200),
    input_schema: { type: "object" },
  },
});

/** What a test does to the next request. */
export interface Change {
  readonly parts?: Partial<RequestParts> | ((parts: RequestParts) => Partial<RequestParts>);
  readonly parameters?: Partial<RequestParts["parameters"]>;
  /** Another key: a cache that knows nothing. */
  readonly workspace?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Blocks that the user says after the results. */
  readonly says?: readonly UserBlock[];
}

export interface Turn {
  readonly outcome: MessageOutcome;
  readonly built: BuiltRequest;
  readonly found: CacheBreak | undefined;
}

export interface SessionOptions {
  readonly model?: string;
  readonly cacheEdits?: boolean;
  readonly isThinking?: boolean;
  readonly absent?: "keep" | "remove";
  readonly ttl?: "5m" | "1h";
  /** What the model says in each turn. */
  readonly answers?: (turn: number) => readonly AnswerBlock[];
}

const readOne = (turn: number): readonly AnswerBlock[] => [
  { type: "tool_use", name: "Read", input: { file_path: `/file-${turn}` } },
];

/** A conversation with the simulator: every request is built, judged, sent, watched and answered. */
export function createSession(options: SessionOptions = {}) {
  const { model = "claude-opus-5", cacheEdits = false, isThinking = false, answers = readOne } = options;
  const client = createClient({
    counter: textCounter,
    cacheEdits,
    player: {
      answer: ({ request }, memory) => {
        if (request.tools === undefined) throw new Error("no tools");
        const turn = typeof memory === "number" ? memory : 0;
        const answer: Answer = {
          content: [
            ...(isThinking ? [{ type: "thinking" as const, thinking: prose(`thought ${turn}`, 150) }] : []),
            ...answers(turn),
          ],
        };
        return { answer, memory: turn + 1 };
      },
    },
  });
  const capabilities = { ...messagesApiCapabilities, cacheEdits };
  const builder = createRequestBuilder();
  const watch = createCacheWatch();
  const list = createToolList({ absent: options.absent ?? "keep" });
  const layouter = createSystemLayouter();
  const state = { tools: [...builtIn, mcpTool("query")], clock: "morning", rules: prose("rules", 1500) };
  const prompt = createSystemPrompt([
    section("rules", () => state.rules),
    dynamicBoundary,
    section("memory", () => prose("memory", 900)),
    volatileSection("clock", () => prose(state.clock, 200), "the model is told the time of day"),
  ]);
  let normaliser = createNormaliser();
  let messages: readonly RequestMessage[] = [];
  let uuids = 0;
  const origin = (): MessageOrigin => ({
    clock: { now: () => client.simulator.now() },
    ids: { next: () => `u${(uuids += 1)}` },
    sessionId: "s",
    parentUuid: null,
  });
  const take = (...taken: readonly Message[]): void => {
    messages = normaliser.append(taken).messages;
  };
  const send = (built: BuiltRequest, workspace = "key-1"): MessageOutcome => {
    const { betas } = built;
    const problems = findProblems(built.request, { betas, cacheEdits });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    const outcome = client.call(built.request, { betas, workspace });
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    return outcome;
  };
  const session = {
    client,
    builder,
    watch,
    state,
    take,
    origin,
    advance: (ms: number) => client.simulator.advance(ms),
    messages: () => messages,
    /** Starts the messages anew, as a compaction does. */
    restart(...taken: readonly Message[]) {
      normaliser = createNormaliser();
      messages = normaliser.append(taken).messages;
    },
    async build({ parts = {}, parameters = {} }: Change = {}): Promise<
      BuiltRequest & { readonly sections: readonly { readonly name: string; readonly text: string }[] }
    > {
      const sections = await prompt.resolve();
      const whole: RequestParts = {
        source: MAIN,
        parameters: {
          model,
          max_tokens: 8000,
          ...(isThinking ? { thinking: { type: "adaptive" } } : {}),
          ...parameters,
        },
        system: layouter.layOut({ sections }),
        tools: list.list(state.tools),
        messages,
        capabilities,
        placeEdits: placeCachedEdits,
        ttl: options.ttl ?? "5m",
      };
      const changed = typeof parts === "function" ? parts(whole) : parts;
      return { ...builder.build({ ...whole, ...changed }), sections };
    },
    /** One request with its answer, and the results of the calls in it. */
    async turn(change: Change = {}): Promise<Turn> {
      client.simulator.advance(2000);
      const built = await session.build(change);
      const at = client.simulator.now();
      watch.before({
        source: built.source,
        request: built.request,
        betas: built.betas,
        at,
        sections: built.sections,
        ...(change.facts === undefined ? {} : { facts: change.facts }),
      });
      const outcome = send(built, change.workspace);
      const { id, content, usage, diagnostics } = outcome.message;
      const found = watch.after({
        source: built.source,
        usage,
        at: client.simulator.now(),
        diagnosis: diagnostics,
      });
      builder.answered(built, { messageId: id, at });
      take(createAssistantMessage(origin(), { id, model, content, usage: { ...usage } }));
      const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
      const results = calls.map((call) => ({
        type: "tool_result" as const,
        tool_use_id: call.id,
        content: prose(`result ${JSON.stringify(call.input)}`, 1200),
      }));
      take(createUserMessage(origin(), { content: [...results, ...(change.says ?? [])] }));
      return { outcome, built, found };
    },
    /** A call beside the conversation. */
    fork(fork: Omit<ForkParts, "source" | "now"> & { readonly source?: string }) {
      const params = builder.cacheSafeParams(MAIN);
      if (params === undefined) throw new Error("nothing to fork from");
      const built = buildFork(params, { source: "suggestions", now: client.simulator.now(), ...fork });
      return { built, outcome: send(built) };
    },
  };
  take(createUserMessage(origin(), { content: "begin" }));
  return session;
}
