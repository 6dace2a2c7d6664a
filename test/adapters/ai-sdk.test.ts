import { createAnthropic } from "@ai-sdk/anthropic";
import {
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
  type LanguageModelMiddleware,
} from "ai";
import { describe, expect, it } from "vitest";
import { palimpsestAiSdk, palimpsestPrepareStep } from "@palimpsest/core/ai-sdk";
import { createLab, expectAlive, expectMended, MODEL, settings, SYSTEM, TASK, tooTrusting } from "./lab.js";

type Lab = ReturnType<typeof createLab>;

interface Audit {
  readonly middleware?: LanguageModelMiddleware;
  readonly prepareStep?: ReturnType<typeof palimpsestPrepareStep>;
  readonly stream?: boolean;
}

async function audit(lab: Lab, { middleware, prepareStep, stream = false }: Audit): Promise<string> {
  const plain = createAnthropic({
    apiKey: "any",
    baseURL: "http://sim.test/v1",
    fetch: lab.fetch,
  })(MODEL);
  const call = {
    model: middleware === undefined ? plain : wrapLanguageModel({ model: plain, middleware }),
    system: SYSTEM,
    prompt: TASK,
    maxOutputTokens: 1000,
    maxRetries: 0,
    stopWhen: stepCountIs(100),
    ...(prepareStep === undefined ? {} : { prepareStep }),
    tools: {
      Read: tool({
        description: "Reads a file.",
        inputSchema: jsonSchema<{ path?: string }>({
          type: "object",
          properties: { path: { type: "string" } },
        }),
        execute: lab.read,
      }),
    },
  };
  if (!stream) return (await generateText(call)).text;
  let failure: unknown;
  const streamed = streamText({ ...call, onError: ({ error }) => void (failure = error) });
  await streamed.consumeStream();
  if (failure !== undefined) throw failure;
  return streamed.text;
}

describe("the AI SDK", () => {
  it.each([false, true])("dies at the window by itself: stream %s", async (stream) => {
    const lab = createLab();
    await expect(audit(lab, { stream })).rejects.toThrow("prompt is too long");
    expect(lab.hitRate()).toBe(0);
  });

  it.each([false, true])("lives with the middleware: stream %s", async (stream) => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = palimpsestAiSdk({ settings, onStep: ({ text }) => steps.push(text) });
    expect(await audit(lab, { middleware, stream })).toBe("The load is done.");
    expectAlive(lab, steps);
  });

  it("lives with prepareStep", async () => {
    const lab = createLab();
    const steps: string[] = [];
    const prepareStep = palimpsestPrepareStep({ settings, onStep: ({ text }) => steps.push(text) });
    expect(await audit(lab, { prepareStep })).toBe("The load is done.");
    expectAlive(lab, steps);
  });

  it("mends what the API refuses as too long", async () => {
    const lab = createLab();
    const steps: string[] = [];
    const middleware = palimpsestAiSdk({
      settings: tooTrusting,
      onStep: ({ text }) => steps.push(text),
    });
    expect(await audit(lab, { middleware })).toBe("The load is done.");
    expectMended(lab, steps);
  });
});
