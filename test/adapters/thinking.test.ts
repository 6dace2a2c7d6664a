import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { createAgent, createMiddleware, tool as langChainTool } from "langchain";
import { describe, expect, it } from "vitest";
import * as aiSdk from "@palimpsest/core/ai-sdk";
import * as anthropicSdk from "@palimpsest/core/anthropic-sdk";
import * as langChain from "@palimpsest/core/langchain";
import {
  createSimulator,
  createSimulatorApp,
  withSummaries,
  type Player,
  type RequestRecord,
} from "../../packages/palimpsest/src/simulator/index.js";
import { output } from "../conversation/world.js";
import { settings, SYSTEM, TASK, WINDOW } from "./lab.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

/** A model that thinks, speaks, and calls two tools at once, thirty times. */
const thinker: Player = {
  answer(_prompt, memory) {
    const turn = typeof memory === "number" ? memory : 0;
    const call = (name: string) => ({ type: "tool_use" as const, name, input: { path: `${turn}` } });
    const content =
      turn >= 30
        ? [{ type: "text" as const, text: "Done." }]
        : [
            { type: "thinking" as const, thinking: output(turn, 200) },
            { type: "text" as const, text: `Step ${turn}.` },
            call("Read"),
            call("Grep"),
          ];
    return { answer: { content }, memory: turn + 1 };
  },
};

function createThinkingLab() {
  const records: RequestRecord[] = [];
  const app = createSimulatorApp({
    simulator: createSimulator({ player: withSummaries(thinker), window: WINDOW }),
    window: WINDOW,
    onRequest: (record) => records.push(record),
  });
  let reads = 0;
  return {
    records,
    fetch: (url: unknown, init?: RequestInit) =>
      app(url instanceof Request ? url : new Request(String(url), init)),
    read: () => output((reads += 1), 1500),
  };
}

type Lab = ReturnType<typeof createThinkingLab>;

const names = ["Read", "Grep"] as const;
const schema = { type: "object" as const, properties: { path: { type: "string" as const } } };

async function withAiSdk(lab: Lab, model: string, isStream: boolean): Promise<void> {
  const claude = createAnthropic({ apiKey: "any", fetch: lab.fetch })(model);
  const read = tool({ inputSchema: jsonSchema<{ path?: string }>(schema), execute: lab.read });
  const call = {
    model: wrapLanguageModel({ model: claude, middleware: aiSdk.palimpsestAiSdk({ settings }) }),
    system: SYSTEM,
    prompt: TASK,
    maxOutputTokens: 2000,
    maxRetries: 0,
    stopWhen: stepCountIs(100),
    providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
    tools: { Read: read, Grep: read },
  };
  if (isStream) await streamText(call).consumeStream();
  else await generateText(call);
}

async function withLangChain(lab: Lab, model: string, isStream: boolean): Promise<void> {
  const agent = createAgent({
    model: new ChatAnthropic({
      model,
      apiKey: "any",
      maxTokens: 2000,
      maxRetries: 0,
      streaming: isStream,
      thinking: { type: "adaptive" },
      clientOptions: { fetch: lab.fetch },
    }),
    systemPrompt: SYSTEM,
    tools: names.map((name) => langChainTool(lab.read, { name, description: name, schema })),
    middleware: [createMiddleware(langChain.palimpsestLangChain({ settings }))],
  });
  await agent.invoke({ messages: [{ role: "user", content: TASK }] }, { recursionLimit: 1000 });
}

async function withAnthropicSdk(lab: Lab, model: string, isStream: boolean): Promise<void> {
  const client = new Anthropic({
    apiKey: "any",
    maxRetries: 0,
    fetch: lab.fetch,
    middleware: [anthropicSdk.palimpsestAnthropic({ settings })],
  });
  const runner = client.beta.messages.toolRunner({
    model,
    max_tokens: 2000,
    system: SYSTEM,
    thread: false,
    stream: isStream,
    thinking: { type: "adaptive" },
    messages: [{ role: "user", content: TASK }],
    tools: names.map((name) => ({
      name,
      input_schema: schema,
      parse: (input: unknown) => input,
      run: lab.read,
    })),
  });
  await runner.runUntilDone();
}

describe("thinking and parallel calls go through every framework as they came", () => {
  const runs = { "the AI SDK": withAiSdk, LangChain: withLangChain, "the official SDK": withAnthropicSdk };
  /** Of six in a row each framework has two, of different models. */
  const cases = [false, true, false, true].flatMap((isStream, at) =>
    Object.entries(runs).map(([name, run]) => {
      const model = at === 0 || at === 3 ? "claude-opus-5" : "claude-opus-5-5";
      return { name, run, model, isStream };
    }),
  );
  it.each(someOf(cases, 6))("$name, $model, stream $isStream", async ({ run, model, isStream }) => {
    const lab = createThinkingLab();
    await run(lab, model, isStream);
    expect(lab.records.filter(({ status }) => status !== 200).map(({ error }) => error?.message)).toEqual([]);
    const verdicts = lab.records.flatMap(({ verdict }) => verdict ?? []);
    const sizes = verdicts.map(({ promptTokens }) => promptTokens);
    // Room was made on the way.
    expect(sizes.some((size, at) => size < (sizes[at - 1] ?? 0))).toBe(true);
    const sum = (name: "cacheRead" | "promptTokens") =>
      verdicts.reduce((total, verdict) => total + verdict[name], 0);
    expect(sum("cacheRead") / sum("promptTokens")).toBeGreaterThan(0.7);
  });
});
