import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, createMiddleware, initChatModel, tool, type BaseMessage } from "langchain";
import { describe, expect, it } from "vitest";
import { palimpsestLangChain } from "@palimpsest/core/langchain";
import { createLab, expectAlive, expectMended, MODEL, settings, SYSTEM, TASK, tooTrusting } from "./lab.js";

type Lab = ReturnType<typeof createLab>;

interface Audit {
  readonly middleware?: ReturnType<typeof palimpsestLangChain>;
  readonly streaming?: boolean;
}

const chatModel = (lab: Lab, streaming: boolean) =>
  new ChatAnthropic({
    model: MODEL,
    apiKey: "any",
    maxTokens: 2000,
    maxRetries: 0,
    streaming,
    clientOptions: { fetch: lab.fetch },
  });

type Model = ReturnType<typeof chatModel> | Awaited<ReturnType<typeof initChatModel>>;

const agentOf = (lab: Lab, model: Model, middleware?: Audit["middleware"]) =>
  createAgent({
    model,
    systemPrompt: SYSTEM,
    tools: [
      tool(lab.read, {
        name: "Read",
        description: "Reads a file.",
        schema: { type: "object", properties: { path: { type: "string" } } },
      }),
    ],
    middleware: middleware === undefined ? [] : [createMiddleware(middleware)],
  });

async function say(
  agent: ReturnType<typeof agentOf>,
  messages: readonly (BaseMessage | { readonly role: "user"; readonly content: string })[],
  thread = "a",
): Promise<BaseMessage[]> {
  const state = await agent.invoke(
    { messages: [...messages] },
    { recursionLimit: 1000, configurable: { thread_id: thread } },
  );
  return state.messages;
}

const task = { role: "user", content: TASK } as const;

async function audit(lab: Lab, { middleware, streaming = false }: Audit): Promise<string> {
  const messages = await say(agentOf(lab, chatModel(lab, streaming), middleware), [task]);
  return messages.at(-1)?.text ?? "";
}

describe("LangChain", () => {
  it("dies at the window by itself", async () => {
    const lab = createLab();
    await expect(audit(lab, {})).rejects.toThrow("prompt is too long");
    expect(lab.hitRate()).toBe(0);
  });

  it.each([false, true])("lives with the middleware: streaming %s", async (streaming) => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = palimpsestLangChain({ settings, onStep: ({ text }) => steps.push(text) });
    expect(await audit(lab, { middleware, streaming })).toBe("The load is done.");
    expectAlive(lab, steps);
  });

  it("mends what the API refuses as too long", async () => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = palimpsestLangChain({
      settings: tooTrusting,
      onStep: ({ text }) => steps.push(text),
    });
    expect(await audit(lab, { middleware })).toBe("The load is done.");
    expectMended(lab, steps);
  });

  it("knows a model that is given by its name", async () => {
    const lab = createLab();
    const model = await initChatModel(`anthropic:${MODEL}`, {
      apiKey: "any",
      maxTokens: 2000,
      clientOptions: { fetch: lab.fetch },
    });
    const steps: string[] = [];
    const middleware = palimpsestLangChain({ settings, onStep: ({ text }) => steps.push(text) });
    const messages = await say(agentOf(lab, model, middleware), [task]);
    expect(messages.at(-1)?.text).toBe("The load is done.");
    expectAlive(lab, steps);
  });

  it("goes on in a thread, and the agent's own state keeps everything", async () => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = palimpsestLangChain({ settings, onStep: ({ text }) => steps.push(text) });
    const agent = agentOf(lab, chatModel(lab, false), middleware);
    const first = await say(agent, [task]);
    const compactions = steps.length;
    const before = lab.records.length;
    const second = await say(agent, [...first, { role: "user", content: "And now?" }]);
    // The second turn reads what the first one left, and makes nothing fit again.
    const [last, next] = lab.records.slice(before - 1).map(({ verdict }) => verdict);
    expect(next?.cacheRead).toBe(last?.promptTokens);
    expect(steps.length).toBe(compactions);
    expect(lab.refused()).toEqual([]);
    expect(second).toHaveLength(1 + 2 * 40 + 1 + 2);
    for (const [index, message] of first.entries()) expect(second[index]?.text).toBe(message.text);
    // Another thread begins by itself.
    await say(agent, [task], "b");
    expect(lab.reads()).toBe(80);
    expect(lab.refused()).toEqual([]);
  });
});
