import {
  createAssistantMessage,
  createUserMessage,
  defaultSettings,
  findModel,
  normalise,
  type CallParameters,
  type Estimator,
  type Message,
  type MessageOrigin,
  type ModelRequest,
  type ModelResponse,
  type Settings,
  type ToolUseBlock,
} from "@palimpsest/core";
import {
  liveMessages,
  applyClearings,
  createContextMeter,
  createNormaliser,
  createRequestBuilder,
  createSystemLayouter,
  createToolList,
} from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import { compact } from "../../packages/core/src/engine/summarise/compact.js";
import type {
  CompactInput,
  CompactPorts,
  SummaryRequestSent,
} from "../../packages/core/src/engine/summarise/run/compact-run.js";
import type { Compacted, CompactionFailed } from "../../packages/core/src/engine/summarise/run/compaction.js";
import {
  createEmbeddedProvider,
  type EmbeddedProviderOptions,
} from "../../packages/palimpsest/src/providers/embedded.js";
import {
  withSummaries,
  type Answer,
  type AnswerBlock,
  type Player,
  type SummariesOptions,
  type Verdict,
} from "../../packages/palimpsest/src/simulator/index.js";
import { blockTokens } from "../../packages/palimpsest/src/simulator/tokens/block-tokens.js";
import { rememberMessages } from "../../packages/core/src/engine/measure/remember-messages.js";
import { prose } from "../../packages/palimpsest/src/simulator/testing/client.js";
import { textCounter } from "../text-counter.js";

const MAIN = "repl_main_thread";
const START = Date.UTC(2026, 10, 15, 10);

export interface HostOptions {
  readonly model?: string;
  readonly isThinking?: boolean;
  readonly window?: number;
  readonly summaries?: SummariesOptions;
  /** Answers everything that is no request for a summary. */
  readonly answers?: (turn: number) => readonly AnswerBlock[];
  /** Takes the place of the whole player. */
  readonly player?: Player;
  readonly settings?: Partial<Settings>;
  readonly resultTokens?: number;
  /** Of one answer. */
  readonly maxTokens?: number;
  /** What else the conversation's own requests say. */
  readonly parameters?: Partial<CallParameters>;
  /** What differs from the host's own way to talk to the simulator. */
  readonly provider?: EmbeddedProviderOptions;
}

const tools = ["Read", "Edit", "Bash"].map((name) => ({
  definition: { name, description: prose(name, 150), input_schema: { type: "object", properties: {} } },
}));

const readOne = (turn: number): readonly AnswerBlock[] => [
  { type: "tool_use", name: "Read", input: { file_path: `/work/file-${turn}.ts` } },
];

/** Plays the model at work: it reads one file after the other, or does what `answers` says. */
export function createWorker({ isThinking = false, answers = readOne }: HostOptions): Player {
  return {
    answer: (_prompt, memory) => {
      const turn = typeof memory === "number" ? memory : 0;
      const answer: Answer = {
        content: [
          ...(isThinking ? [{ type: "thinking" as const, thinking: prose(`thought ${turn}`, 120) }] : []),
          ...answers(turn),
        ],
      };
      return { answer, memory: turn + 1 };
    },
  };
}

/** Counts as the simulator does: a tokenizer through the estimator's port. */
function exactEstimator(name: string): Estimator {
  const model = findModel(name);
  if (model === undefined) throw new Error(`no such model: ${name}`);
  const block = (value: unknown): number =>
    blockTokens(typeof value === "string" ? { type: "text", text: value } : value, model, textCounter);
  return { name: "exact", block, message: rememberMessages(block), pad: (tokens) => tokens };
}

/** A host in a few lines: it talks to the embedded provider, carries calls out, and swaps compactions in. */
export function createHost(options: HostOptions = {}) {
  const {
    model = "claude-opus-5",
    isThinking = false,
    window,
    resultTokens = 300,
    maxTokens = 8000,
  } = options;
  let posts = 0;
  const player = options.player ?? withSummaries(createWorker(options), options.summaries);
  const provider = createEmbeddedProvider({
    player,
    counter: textCounter,
    clock: "manual",
    startTime: START,
    maxRetries: 1,
    baseMs: 1,
    ...(window === undefined ? {} : { window }),
    ...options.provider,
    wrap: (app) => {
      const wrapped = options.provider?.wrap?.(app) ?? app;
      return (request) => {
        posts += 1;
        return wrapped(request);
      };
    },
  });
  const settings: Settings = { ...defaultSettings, ...options.settings };
  const estimator = exactEstimator(model);
  const builder = createRequestBuilder();
  const list = createToolList();
  const layouter = createSystemLayouter();
  let uuids = 0;
  const ids = { next: () => `u${(uuids += 1)}` };
  const clock = { now: () => provider.simulator.now() };
  let normaliser = createNormaliser({ tools: tools.map(({ definition }) => definition) });
  const sent: ModelRequest[] = [];
  const host = {
    provider,
    settings,
    estimator,
    builder,
    clock,
    ids,
    /** What the transcript holds. */
    stored: [] as readonly Message[],
    live: [] as readonly Message[],
    messages: normaliser.append([]).messages,
    sent,
    last: undefined as ModelResponse | undefined,
    origin: (): MessageOrigin => ({ clock, ids, sessionId: "s", parentUuid: host.live.at(-1)?.uuid ?? null }),
    take(...taken: readonly Message[]) {
      host.stored = [...host.stored, ...taken];
      host.live = [...host.live, ...taken];
      host.messages = normaliser.append(taken).messages;
    },
    say: (text: string) => host.take(createUserMessage(host.origin(), { content: text })),
    size: () => createContextMeter({ estimator, overhead: 3500 }).append(host.live),
    verdict: (): Verdict => {
      const { verdict } = provider.log.since(0).at(-1) ?? {};
      if (verdict === undefined || verdict === null) throw new Error("no request was answered");
      return verdict;
    },
    /** Builds the next request of the conversation, and fails where the API would. */
    build() {
      const built = builder.build({
        source: MAIN,
        parameters: {
          model,
          max_tokens: maxTokens,
          ...(isThinking ? { thinking: { type: "adaptive" } } : {}),
          ...options.parameters,
        },
        system: layouter.layOut({
          sections: [{ name: "rules", text: prose("rules of the house", 1500), part: "static" }],
        }),
        tools: list.list(tools),
        messages: host.messages,
        capabilities: provider.capabilities(model),
        ttl: "5m",
      });
      const problems = findProblems(built.request, { betas: built.betas });
      if (problems.length > 0) throw new Error(JSON.stringify(problems));
      return built;
    },
    /** One request with its answer, and the results of the calls in it. */
    async turn() {
      provider.simulator.advance(2000);
      const built = host.build();
      const at = clock.now();
      sent.push(built.request);
      for await (const output of provider.stream({ request: built.request, betas: built.betas })) {
        if (output.kind === "error") throw new Error(JSON.stringify(output.failure));
        if (output.kind === "message") host.last = output.message;
      }
      if (host.last === undefined) throw new Error("no answer");
      const { id, content, usage, stop_reason: stopReason } = host.last;
      builder.answered(built, { messageId: id, at });
      host.take(
        createAssistantMessage(host.origin(), { id, model, content, usage: { ...usage }, stopReason }),
      );
      const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
      if (calls.length > 0) {
        const results = calls.map((call) => ({
          type: "tool_result" as const,
          tool_use_id: call.id,
          content: prose(`result of ${JSON.stringify(call.input)}`, resultTokens),
        }));
        host.take(createUserMessage(host.origin(), { content: results }));
      }
      return host.verdict();
    },
    async turns(count: number) {
      for (let turn = 0; turn < count; turn += 1) await host.turn();
    },
    input(given: Partial<CompactInput> = {}): CompactInput {
      const { tokens, shownOverhead } = host.size();
      const params = builder.cacheSafeParams(MAIN);
      return {
        live: host.live,
        scope: { kind: "full", keepRecentTokens: 0 },
        trigger: "auto",
        source: MAIN,
        model,
        size: { tokensBefore: tokens, overhead: shownOverhead, autoCompactAt: (window ?? 200_000) - 33_000 },
        ...(params === undefined ? {} : { params }),
        transcriptPath: "/data/transcript.jsonl",
        ...given,
      };
    },
    /** How often the API was called, retries included. */
    posts: () => posts,
    requests: [] as SummaryRequestSent[],
    /** What the API would refuse of the requests for summaries: whoever is told of a request cannot stop it. */
    problems: [] as string[],
    ports(given: Partial<CompactPorts> = {}): CompactPorts {
      return {
        provider,
        estimator,
        clock,
        ids,
        sessionId: "s",
        settings,
        onRequest: (request) => {
          const problems = findProblems(request.request, { betas: request.betas });
          host.problems.push(...problems.map((problem) => JSON.stringify(problem)));
          host.requests.push(request);
        },
        ...given,
      };
    },
    compact: (
      input: Partial<CompactInput> = {},
      ports: Partial<CompactPorts> = {},
    ): Promise<Compacted | CompactionFailed> => compact(host.input(input), host.ports(ports)),
    /** The conversation is another one from here on. */
    resetTo(live: readonly Message[], stored: readonly Message[]) {
      host.stored = [...host.stored, ...stored];
      host.live = live;
      normaliser = createNormaliser({ tools: tools.map(({ definition }) => definition) });
      host.messages = normaliser.append(host.live).messages;
    },
    /** Makes a compaction take effect. */
    swap(compacted: Compacted) {
      if (host.problems.length > 0) throw new Error(host.problems.join("\n"));
      host.resetTo(compacted.live, compacted.stored);
      builder.keepPrefix(MAIN, compacted.variant === "from" ? normalise(compacted.kept).messages.length : 0);
    },
    /** What a conversation resumed from the transcript sends. */
    resumed: () =>
      normalise(applyClearings(liveMessages(host.stored)), {
        tools: tools.map(({ definition }) => definition),
      }).messages,
  };
  host.say("Please read all files of the project and fix what is broken. Never touch /work/secret.ts.");
  return host;
}

export function expectCompacted(outcome: Compacted | CompactionFailed): Compacted {
  if (outcome.kind !== "compacted") throw new Error(JSON.stringify(outcome));
  return outcome;
}
