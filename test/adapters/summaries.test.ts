import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { createAgent, createMiddleware, providerStrategy, tool as langChainTool } from "langchain";
import { describe, expect, it } from "vitest";
import { createEventEmitter, type EngineEvents, type EngineStep } from "@palimpsest/core";
import * as aiSdk from "@palimpsest/core/ai-sdk";
import * as anthropicSdk from "@palimpsest/core/anthropic-sdk";
import * as langChain from "@palimpsest/core/langchain";
import { createLab, MODEL, settings, SYSTEM, TASK } from "./lab.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

interface Audit {
  readonly fetch: typeof fetch;
  readonly read: () => string;
  readonly options: aiSdk.AdapterOptions;
  readonly isStream: boolean;
  readonly maxTokens: number;
  /** Answers are to be JSON. */
  readonly hasFormat: boolean;
  /** Tries of the framework's own. */
  readonly maxRetries: number;
}

const schema = { type: "object" as const, properties: { path: { type: "string" as const } } };
const verdict = {
  type: "object" as const,
  properties: { ok: { type: "boolean" as const } },
  required: ["ok"],
  additionalProperties: false,
};
const stops = ["2. Key technical"];

async function withAiSdk({ fetch, read, options, isStream, maxTokens, hasFormat, maxRetries }: Audit) {
  const model = wrapLanguageModel({
    model: createAnthropic({ apiKey: "any", baseURL: "http://sim.test/v1", fetch })(MODEL),
    middleware: aiSdk.palimpsestAiSdk(options),
  });
  const call = {
    model,
    system: SYSTEM,
    prompt: TASK,
    maxOutputTokens: maxTokens,
    maxRetries,
    stopSequences: stops,
    stopWhen: stepCountIs(100),
    tools: { Read: tool({ inputSchema: jsonSchema<{ path?: string }>(schema), execute: read }) },
    ...(hasFormat ? { output: Output.object({ schema: jsonSchema<{ ok: boolean }>(verdict) }) } : {}),
  };
  if (isStream) await streamText(call).consumeStream();
  else await generateText(call);
}

async function withLangChain({ fetch, read, options, isStream, maxTokens, hasFormat, maxRetries }: Audit) {
  const agent = createAgent({
    model: new ChatAnthropic({
      model: MODEL,
      apiKey: "any",
      maxTokens,
      maxRetries,
      stopSequences: stops,
      streaming: isStream,
      clientOptions: { fetch },
    }),
    systemPrompt: SYSTEM,
    tools: [langChainTool(read, { name: "Read", description: "Reads a file.", schema })],
    middleware: [createMiddleware(langChain.palimpsestLangChain(options))],
    ...(hasFormat ? { responseFormat: providerStrategy(verdict) } : {}),
  });
  await agent.invoke({ messages: [{ role: "user", content: TASK }] }, { recursionLimit: 1000 });
}

async function withAnthropicSdk({ fetch, read, options, isStream, maxTokens, hasFormat, maxRetries }: Audit) {
  const client = new Anthropic({
    apiKey: "any",
    maxRetries,
    fetch,
    middleware: [anthropicSdk.palimpsestAnthropic(options)],
  });
  const runner = client.beta.messages.toolRunner({
    model: MODEL,
    max_tokens: maxTokens,
    system: SYSTEM,
    thread: false,
    stream: isStream,
    stop_sequences: stops,
    metadata: { user_id: "u" },
    ...(hasFormat ? { output_config: { format: { type: "json_schema", schema: verdict } } } : {}),
    messages: [{ role: "user", content: TASK }],
    tools: [{ name: "Read", input_schema: schema, parse: (input: unknown) => input, run: read }],
  });
  await runner.runUntilDone();
}

const frameworks = {
  "the AI SDK": withAiSdk,
  LangChain: withLangChain,
  "the official SDK": withAnthropicSdk,
};
/** Whatever three in a row are taken, they are three frameworks. */
const runs = someOf(
  [0, 1].flatMap((turn) =>
    Object.entries(frameworks).map(([name, run], at) => ({ name, run, isStream: (at + turn) % 2 === 1 })),
  ),
  3,
);

interface SummaryRequest {
  readonly max_tokens: number;
  readonly system?: unknown;
  readonly [field: string]: unknown;
}

const isSummary = (body: unknown): body is SummaryRequest =>
  JSON.stringify(body).slice(-30_000).includes("<analysis> element followed by one");

/** Files of an audit that is compacted once, and of one that is compacted twice. */
const ONE = 9;
const TWO = 11;
const FILE_BYTES = 9000;

/** An audit in a small window; requests for summaries meet these answers first. */
async function audit(
  { run, isStream }: { run: (audit: Audit) => Promise<unknown>; isStream: boolean },
  {
    answers = [],
    files = ONE,
    ...more
  }: Partial<Audit> & { answers?: (() => Response)[]; files?: number } = {},
) {
  const lab = createLab({ turns: files, fileBytes: FILE_BYTES });
  const waits: number[] = [];
  const compactions: NonNullable<EngineStep["compacted"]>[] = [];
  const retried: EngineEvents["summary_retried"][] = [];
  const events = createEventEmitter();
  events.on("summary_retried", (event) => retried.push(event));
  /** Every attempt at a summary. */
  let attempts = 0;
  const disturbed = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const request = url instanceof Request ? url : new Request(String(url), init);
    if (isSummary(JSON.parse(await request.clone().text()))) {
      attempts += 1;
      const answer = answers[attempts - 1];
      if (answer !== undefined) return answer();
    }
    return lab.fetch(request);
  };
  await run({
    fetch: disturbed,
    read: lab.read,
    isStream,
    maxTokens: 2000,
    hasFormat: false,
    maxRetries: 0,
    ...more,
    options: {
      settings,
      events,
      clock: { now: () => lab.simulator.now() },
      ports: {
        sleep: async (milliseconds) => {
          waits.push(milliseconds);
          lab.simulator.advance(milliseconds);
        },
        random: () => 0,
      },
      onStep: ({ compacted }) => {
        if (compacted !== undefined) compactions.push(compacted);
      },
      ...more.options,
    },
  });
  const summaries = lab.bodies.flatMap((body, index) =>
    isSummary(body)
      ? [{ body, verdict: lab.records[index]?.verdict, before: lab.records[index - 1]?.verdict }]
      : [],
  );
  return { lab, waits, compactions, retried, summaries, attempts: () => attempts };
}

const refusal =
  (status: number, type: string, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(JSON.stringify({ type: "error", error: { type, message: type } }), {
      status,
      headers: { "content-type": "application/json", ...headers },
    });
const limited = refusal(429, "rate_limit_error", { "retry-after": "1" });
const overloaded = refusal(529, "overloaded_error");
const broken = (): Response => {
  throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
};

describe("a call for a summary that fails is made again", () => {
  it.each(runs)("$name, stream $isStream: two 429s that ask for a second", async (given) => {
    const { compactions, waits, retried, lab } = await audit(given, { answers: [limited, limited] });
    expect(waits).toEqual([1000, 1000]);
    expect(compactions.length).toBeGreaterThan(0);
    for (const { writer, failedAttempts } of compactions) {
      expect({ writer, failedAttempts }).toEqual({ writer: "fork", failedAttempts: [] });
    }
    expect(retried).toMatchObject([
      { source: "compact", attempt: 1, waitMs: 1000, failure: { kind: "rate-limit", retryAfterMs: 1000 } },
      { source: "compact", attempt: 2, waitMs: 1000 },
    ]);
    expect(lab.reads()).toBe(ONE);
  });

  it.each(runs)("$name, stream $isStream: whatever may pass, each wait twice the last", async (given) => {
    const { compactions, waits, retried } = await audit(given, {
      answers: [overloaded, broken, refusal(500, "api_error")],
    });
    expect(waits).toEqual([500, 1000, 2000]);
    expect(compactions[0]).toMatchObject({ writer: "fork", failedAttempts: [] });
    expect(retried.map(({ failure }) => failure.kind)).toEqual(["overloaded", "connection", "api"]);
  });

  it.each(runs)(
    "$name, stream $isStream: not without end, and not with the framework's own tries",
    async (given) => {
      const answers = Array<() => Response>(50).fill(overloaded);
      const settingsOnce = { ...settings, compactRetries: 0 };
      const { compactions, waits, attempts } = await audit(given, {
        answers,
        files: TWO,
        maxRetries: 3,
        options: { settings: settingsOnce },
      });
      expect(compactions).toHaveLength(2);
      // Five attempts for the fork, and five for the call apart.
      const first = compactions[0];
      expect(first).toMatchObject({ writer: "extractive" });
      expect(first?.failedAttempts.map(({ writer, reason }) => [writer, reason])).toEqual([
        ["fork", "api_error"],
        ["streaming", "api_error"],
      ]);
      expect(waits.slice(0, 8)).toEqual([500, 1000, 2000, 4000, 500, 1000, 2000, 4000]);
      expect(attempts() / compactions.length).toBe(10);
    },
  );

  it.each(runs)("$name, stream $isStream: not what fails in the same way again", async (given) => {
    const { compactions, waits, attempts } = await audit(given, {
      answers: [refusal(401, "authentication_error"), refusal(403, "permission_error")],
      files: TWO,
    });
    expect(waits).toEqual([]);
    expect(compactions[0]).toMatchObject({ writer: "extractive" });
    expect(compactions).toHaveLength(2);
    expect(attempts()).toBe(3);
  });
});

describe("a summary is as long as it needs to be, and in its own form", () => {
  it.each(runs)("$name, stream $isStream: with short answers, all from the cache", async (given) => {
    const { compactions, summaries, lab } = await audit(given, {
      maxTokens: 300,
      // So that a summary is of everything that was sent.
      options: { settings: { ...settings, keepRecentTokens: 0 } },
    });
    expect(lab.refused()).toEqual([]);
    expect(compactions.length).toBeGreaterThan(0);
    for (const { writer, failedAttempts, mended } of compactions) {
      expect({ writer, failedAttempts }).toEqual({ writer: "fork", failedAttempts: [] });
      expect(mended.sectionsAdded).toEqual([]);
    }
    expect(summaries.length).toBe(compactions.length);
    for (const { body, verdict: read, before } of summaries) {
      expect(body.max_tokens).toBe(20_000);
      expect(body["stop_sequences"]).toBeUndefined();
      expect(read?.output ?? 0).toBeGreaterThan(300);
      // All that the conversation had sent.
      expect(read?.cacheRead).toBe(before?.promptTokens);
    }
  });

  it.each(runs)("$name, stream $isStream: where answers are to be JSON", async (given) => {
    const { compactions, summaries, lab } = await audit(given, { hasFormat: true });
    expect(lab.reads()).toBe(ONE);
    expect(lab.refused()).toEqual([]);
    expect(compactions.length).toBeGreaterThan(0);
    for (const { writer, failedAttempts, mended, summary } of compactions) {
      // Without the format nothing of the cache could be read: it costs less to ask apart.
      expect({ writer, failedAttempts }).toEqual({ writer: "streaming", failedAttempts: [] });
      expect(mended.sectionsAdded).toEqual([]);
      expect(summary).toContain("Primary request");
    }
    for (const { body } of summaries) expect(JSON.stringify(body)).not.toContain('"json_schema"');
    expect(JSON.stringify(lab.bodies.at(-1))).toContain('"json_schema"');
    expect(JSON.stringify(lab.bodies.at(-1))).toContain("marzipan");
  });

  it("says who asks, also where a summary is asked for apart", async () => {
    const { summaries } = await audit({ run: withAnthropicSdk, isStream: false }, { hasFormat: true });
    expect(summaries.length).toBeGreaterThan(0);
    for (const { body } of summaries) expect(body["metadata"]).toEqual({ user_id: "u" });
  });
});

describe("a LangChain model of a class that cannot be made once more", () => {
  /** Takes no fields. */
  const asOwn = async ({ fetch, read, options, maxRetries }: Audit) => {
    class OwnModel extends ChatAnthropic {
      constructor() {
        super({ model: MODEL, apiKey: "any", maxTokens: 2000, maxRetries, clientOptions: { fetch } });
      }
    }
    const agent = createAgent({
      model: new OwnModel(),
      systemPrompt: SYSTEM,
      tools: [langChainTool(read, { name: "Read", description: "Reads a file.", schema })],
      middleware: [createMiddleware(langChain.palimpsestLangChain(options))],
    });
    await agent.invoke({ messages: [{ role: "user", content: TASK }] }, { recursionLimit: 1000 });
  };

  it("is asked as it is, and again by us where it does not try again itself", async () => {
    const { compactions, summaries, waits } = await audit(
      { run: asOwn, isStream: false },
      { answers: [overloaded] },
    );
    expect(waits).toEqual([500]);
    expect(compactions[0]).toMatchObject({ writer: "fork", failedAttempts: [] });
    expect(summaries.length).toBeGreaterThan(0);
    for (const { body } of summaries) expect(body.max_tokens).toBe(2000);
  });

  it("is not asked again by us where it does", async () => {
    const { compactions, attempts, waits } = await audit(
      { run: asOwn, isStream: false },
      // What the framework's own rules give up at once.
      { answers: Array<() => Response>(9).fill(refusal(429, "rate_limit_error")), maxRetries: 2 },
    );
    expect(waits).toEqual([]);
    expect(compactions[0]).toMatchObject({ writer: "extractive" });
    expect(attempts()).toBe(2 * compactions.length);
  });
});
