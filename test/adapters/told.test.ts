import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { createAgent, createMiddleware, tool as langChainTool } from "langchain";
import { describe, expect, it } from "vitest";
import { createEventEmitter, type BilledCall, type EventName } from "@palimpsest/core";
import {
  palimpsestAiSdk,
  palimpsestPrepareStep,
  type AdapterStep,
  type AiSdkOptions,
  type AdapterOptions,
} from "@palimpsest/core/ai-sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { createLab, MODEL, settings, SYSTEM, TASK } from "./lab.js";

type Lab = ReturnType<typeof createLab>;
const schema = { type: "object" as const, properties: { path: { type: "string" as const } } };

async function withAiSdk(lab: Lab, options: AdapterOptions): Promise<void> {
  const threadOf: AiSdkOptions["threadOf"] = ({ providerOptions, headers }) =>
    headers?.["x-tenant"] === "acme" ? String(providerOptions?.["app"]?.["chat"]) : undefined;
  await generateText({
    model: wrapLanguageModel({
      model: createAnthropic({ apiKey: "any", baseURL: "http://sim.test/v1", fetch: lab.fetch })(MODEL),
      middleware: palimpsestAiSdk({ ...options, threadOf }),
    }),
    system: SYSTEM,
    prompt: TASK,
    maxOutputTokens: 1000,
    maxRetries: 0,
    headers: { "x-tenant": "acme" },
    providerOptions: { app: { chat: "chat-7" } },
    stopWhen: stepCountIs(100),
    tools: { Read: tool({ inputSchema: jsonSchema<{ path?: string }>(schema), execute: lab.read }) },
  });
}

async function withLangChain(lab: Lab, options: AdapterOptions): Promise<void> {
  const clientOptions = { fetch: lab.fetch };
  const agent = createAgent({
    model: new ChatAnthropic({ model: MODEL, apiKey: "any", maxTokens: 1000, maxRetries: 0, clientOptions }),
    systemPrompt: SYSTEM,
    tools: [langChainTool(lab.read, { name: "Read", description: "Reads a file.", schema })],
    middleware: [createMiddleware(palimpsestLangChain(options))],
  });
  const messages = [{ role: "user", content: TASK }];
  await agent.invoke({ messages }, { recursionLimit: 1000, configurable: { thread_id: "chat-7" } });
}

async function withAnthropicSdk(lab: Lab, options: AdapterOptions): Promise<void> {
  const middleware = [palimpsestAnthropic(options)];
  const client = new Anthropic({ apiKey: "any", maxRetries: 0, fetch: lab.fetch, middleware });
  await client.beta.messages
    .toolRunner({
      model: MODEL,
      max_tokens: 1000,
      system: SYSTEM,
      thread: false,
      messages: [{ role: "user", content: TASK }],
      tools: [{ name: "Read", input_schema: schema, parse: (input: unknown) => input, run: lab.read }],
    })
    .runUntilDone();
}

const names: readonly EventName[] = ["clearing", "compact", "call_billed", "estimator_calibrated"];

describe("what an adapter tells", () => {
  it.each([
    ["the AI SDK", withAiSdk, { sessionId: "chat-7", threadId: "chat-7" }],
    ["LangChain", withLangChain, { sessionId: "chat-7", threadId: "chat-7" }],
    [
      "the official SDK",
      withAnthropicSdk,
      { sessionId: expect.stringMatching(/^thread-/) as string, threadId: undefined },
    ],
  ])("%s: whose step and whose event it is, and every call that was paid for", async (_, run, ids) => {
    const lab = createLab();
    const steps: AdapterStep[] = [];
    const billed: BilledCall[] = [];
    const events = createEventEmitter();
    const told = new Set<EventName>();
    const whose: { readonly sessionId: string; readonly threadId?: string }[] = [];
    for (const name of names) {
      events.on(name, ({ sessionId = "", threadId }) => {
        told.add(name);
        whose.push({ sessionId, ...(threadId === undefined ? {} : { threadId }) });
      });
    }
    events.on("call_billed", (call) => billed.push(call));
    const totals: number[] = [];
    events.on("compact", ({ accounting }) => totals.push(accounting.total));
    await run(lab, { settings, events, onStep: (step) => steps.push(step) });
    expect([...told].toSorted()).toEqual(names.toSorted());
    expect(totals.every((total) => total > 0)).toBe(true);
    expect(steps.length).toBeGreaterThan(1);
    for (const { sessionId, threadId } of [...steps, ...whose]) expect({ sessionId, threadId }).toEqual(ids);
    expect(new Set([...steps, ...whose].map(({ sessionId }) => sessionId)).size).toBe(1);

    // The summaries stand in the steps, and everything stands in the events.
    const output = (calls: readonly BilledCall[]) =>
      calls.reduce((sum, { usage }) => sum + usage.output_tokens, 0);
    const summaries = steps.flatMap(({ calls }) => calls);
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.every(({ source }) => source.endsWith("compact"))).toBe(true);
    const said = lab.records.reduce((sum, { verdict }) => sum + (verdict?.output ?? 0), 0);
    // LangChain adds the token that a stream begins with to the figure of its end.
    expect(output(billed) - said).toBeGreaterThanOrEqual(0);
    expect(output(billed) - said).toBeLessThanOrEqual(run === withLangChain ? summaries.length : 0);
    expect(output(billed.filter(({ source }) => source.endsWith("compact")))).toBe(output(summaries));
    for (const { text, calls } of steps) expect(text.includes("of its own: ")).toBe(calls.length > 0);
  });

  it("that nobody can be asked for a summary, where the model is given by its name alone", async () => {
    const lab = createLab();
    const missing: object[] = [];
    const texts: string[] = [];
    const events = createEventEmitter();
    events.on("summary_writer_missing", (event) => missing.push(event));
    const prepare = palimpsestPrepareStep({ settings, events, onStep: ({ text }) => texts.push(text) });
    const messages = [{ role: "user" as const, content: TASK }];
    for (let turn = 0; turn < 60; turn += 1) {
      messages.push({ role: "user", content: `File ${turn}: ${lab.read()}` });
      await prepare({ messages, steps: [], model: "anthropic/claude-opus-5" });
    }
    expect(missing).toEqual([
      {
        sessionId: expect.stringMatching(/^thread-/) as string,
        model: "anthropic/claude-opus-5",
        message: expect.stringMatching(
          /^thread-\S+: no model can be asked for summaries, .*`provider`$/,
        ) as string,
      },
    ]);
    const compactions = texts.filter((text) => text.startsWith("Conversation compacted"));
    expect(compactions.length).toBeGreaterThan(0);
    for (const text of compactions) expect(text).toContain("no model can be asked for summaries");
  });
});
