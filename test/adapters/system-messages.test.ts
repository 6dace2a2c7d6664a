import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel, type ModelMessage } from "ai";
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  SystemMessage,
  tool as langChainTool,
  ToolMessage,
} from "langchain";
import { describe, expect, it } from "vitest";
import { palimpsestAiSdk, type AdapterOptions } from "@palimpsest/core/ai-sdk";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { createLab, MODEL, settings, SYSTEM, TASK } from "./lab.js";

type Lab = ReturnType<typeof createLab>;
type OnStep = NonNullable<AdapterOptions["onStep"]>;

const ORDERS = ["From here on say quince where you mean pear.", "And plum where you mean peach."] as const;
const schema = { type: "object" as const, properties: { path: { type: "string" as const } } };

async function withAiSdk(lab: Lab, onStep: OnStep): Promise<void> {
  const round = (id: string, order: string): ModelMessage[] => [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "Read", input: {} }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: id,
          toolName: "Read",
          output: { type: "text", value: lab.read() },
        },
      ],
    },
    { role: "system", content: order },
  ];
  await generateText({
    model: wrapLanguageModel({
      model: createAnthropic({ apiKey: "any", baseURL: "http://sim.test/v1", fetch: lab.fetch })(MODEL),
      middleware: palimpsestAiSdk({ settings, onStep }),
    }),
    system: SYSTEM,
    messages: [
      { role: "user", content: TASK },
      ...ORDERS.flatMap((order, index) => round(`toolu_${index}`, order)),
    ],
    allowSystemInMessages: true,
    maxOutputTokens: 1000,
    maxRetries: 0,
    stopWhen: stepCountIs(100),
    tools: { Read: tool({ inputSchema: jsonSchema<{ path?: string }>(schema), execute: lab.read }) },
  });
}

async function withLangChain(lab: Lab, onStep: OnStep): Promise<void> {
  const agent = createAgent({
    model: new ChatAnthropic({
      model: MODEL,
      apiKey: "any",
      maxTokens: 1000,
      maxRetries: 0,
      clientOptions: { fetch: lab.fetch },
    }),
    systemPrompt: SYSTEM,
    tools: [langChainTool(lab.read, { name: "Read", description: "Reads a file.", schema })],
    middleware: [createMiddleware(palimpsestLangChain({ settings, onStep }))],
  });
  const messages = ORDERS.flatMap((order, index) => [
    new AIMessage({ content: "", tool_calls: [{ id: `toolu_${index}`, name: "Read", args: {} }] }),
    new ToolMessage({ content: lab.read(), tool_call_id: `toolu_${index}` }),
    new SystemMessage(order),
  ]);
  await agent.invoke({ messages: [new HumanMessage(TASK), ...messages] }, { recursionLimit: 1000 });
}

async function withAnthropicSdk(lab: Lab, onStep: OnStep): Promise<void> {
  const client = new Anthropic({
    apiKey: "any",
    maxRetries: 0,
    fetch: lab.fetch,
    middleware: [palimpsestAnthropic({ settings, onStep })],
  });
  const messages = ORDERS.flatMap((order, index): Anthropic.Beta.BetaMessageParam[] => [
    { role: "assistant", content: [{ type: "tool_use", id: `toolu_${index}`, name: "Read", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: lab.read() }],
    },
    { role: "system", content: index === 0 ? order : [{ type: "text", text: order }] },
  ]);
  await client.beta.messages
    .toolRunner({
      model: MODEL,
      max_tokens: 1000,
      system: SYSTEM,
      thread: false,
      messages: [{ role: "user", content: TASK }, ...messages],
      tools: [{ name: "Read", input_schema: schema, parse: (input: unknown) => input, run: lab.read }],
    })
    .runUntilDone();
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** Who says a word, but for summaries, which may quote it. */
const saying = (body: Body, word: string): readonly string[] =>
  body.messages.flatMap(({ role, content }) => {
    const texts =
      typeof content === "string" ? [content] : (content as { text?: string }[]).map(({ text }) => text);
    return texts.flatMap((text = "") => (text.includes(word) && text.length < 500 ? [role] : []));
  });

describe("what the system says in the middle of a list", () => {
  it.each(
    Object.entries({
      "the AI SDK": withAiSdk,
      LangChain: withLangChain,
      "the official SDK": withAnthropicSdk,
    }),
  )("%s: goes out as the system's, before and after a compaction", async (_, run) => {
    const lab = createLab({ turns: 14, fileBytes: 9000 });
    const compacted: string[] = [];
    await run(lab, ({ tier, text }) => void (tier === "full" && compacted.push(text)));
    expect(lab.refused().map(({ error }) => error?.message)).toEqual([]);
    expect(lab.reads()).toBe(14);
    expect(compacted.length).toBeGreaterThanOrEqual(1);
    const bodies = lab.bodies as readonly Body[];
    expect(bodies.length).toBeGreaterThan(12);
    for (const body of bodies) {
      for (const word of ["quince", "plum"]) expect(saying(body, word)).toEqual(["system"]);
    }
    expect(lab.hitRate()).toBeGreaterThan(0.5);
  });
});
