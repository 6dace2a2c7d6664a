import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { palimpsestAnthropic } from "@palimpsest/core/anthropic-sdk";
import {
  createLab,
  expectAlive,
  expectMended,
  MODEL,
  settings,
  SYSTEM,
  TASK,
  tooTrusting,
  WINDOW,
} from "./lab.js";

type Lab = ReturnType<typeof createLab>;

/** The SDK's own loop. */
async function audit(
  lab: Lab,
  {
    middleware = [],
    stream = false,
  }: { middleware?: ReturnType<typeof palimpsestAnthropic>[]; stream?: boolean },
): Promise<string> {
  const client = new Anthropic({ apiKey: "any", maxRetries: 0, fetch: lab.fetch, middleware });
  const runner = client.beta.messages.toolRunner({
    model: MODEL,
    max_tokens: 1000,
    system: SYSTEM,
    thread: false,
    stream,
    messages: [{ role: "user", content: TASK }],
    tools: [
      {
        name: "Read",
        input_schema: { type: "object", properties: { path: { type: "string" } } },
        parse: (input: unknown) => input,
        run: lab.read,
      },
    ],
  });
  const last = await runner.runUntilDone();
  return last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

describe("the official SDK", () => {
  it("dies at the window without the middleware", async () => {
    const lab = createLab();
    await expect(audit(lab, {})).rejects.toThrow("prompt is too long");
    expect(lab.hitRate()).toBe(0);
  });

  it.each([false, true])("lives with it: stream %s", async (stream) => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = [palimpsestAnthropic({ settings, onStep: ({ text }) => steps.push(text) })];
    expect(await audit(lab, { middleware, stream })).toBe("The load is done.");
    expectAlive(lab, steps);
  });

  it("mends what the API refuses as too long", async () => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = palimpsestAnthropic({
      settings: tooTrusting,
      onStep: ({ text }) => steps.push(text),
    });
    expect(await audit(lab, { middleware: [middleware] })).toBe("The load is done.");
    expectMended(lab, steps);
  });

  it("makes a long list fit that it has never seen, and leaves other requests alone", async () => {
    const lab = createLab();
    const rounds = Array.from({ length: 60 }, (_, index): Anthropic.MessageParam[] => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${index}`, name: "Read", input: { path: `${index}.ts` } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: lab.read() }],
      },
    ]);
    const client = new Anthropic({
      apiKey: "any",
      maxRetries: 0,
      fetch: lab.fetch,
      middleware: [palimpsestAnthropic({ settings })],
    });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: TASK }, ...rounds.flat()];
    const before = JSON.stringify(messages);
    const tools: Anthropic.Tool[] = [{ name: "Read", input_schema: { type: "object" } }];
    const params = { model: MODEL, max_tokens: 500, system: SYSTEM, tools, messages };
    const answer = await client.messages.create(params);
    expect(answer.content.length).toBeGreaterThan(0);
    expect(JSON.stringify(messages)).toBe(before);
    const { input_tokens: counted } = await client.messages.countTokens({ model: MODEL, messages, tools });
    expect(counted).toBeGreaterThan(WINDOW);
    expect(lab.refused().filter(({ error }) => !error?.message.includes("too long"))).toEqual([]);
  });

  it("hands the API's own errors on", async () => {
    const client = new Anthropic({
      apiKey: "any",
      maxRetries: 0,
      fetch: createLab().fetch,
      middleware: [palimpsestAnthropic({ settings })],
    });
    const call = client.messages.create({
      model: MODEL,
      max_tokens: 0.5,
      messages: [{ role: "user", content: "Hello." }],
    });
    await expect(call).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  });
});
