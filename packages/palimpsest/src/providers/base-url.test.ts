import { expect, it } from "vitest";
import { createAnthropicProvider } from "./anthropic.js";
import { createOpenAiCompatibleProvider } from "./openai-compatible.js";

const providers = {
  anthropic: createAnthropicProvider,
  "openai-compatible": createOpenAiCompatibleProvider,
};

it.each(Object.entries(providers))("%s takes its address as baseURL too", async (_, create) => {
  const asked: string[] = [];
  const provider = create({
    baseURL: "http://127.0.0.1:9/base",
    apiKey: "any",
    maxRetries: 0,
    fetch: (input) => {
      asked.push(input instanceof Request ? input.url : String(input));
      return Promise.resolve(new Response("{}", { status: 400 }));
    },
  });
  const request = {
    model: "claude-opus-5",
    max_tokens: 10,
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
  };
  for await (const _output of provider.stream({ request })) void _output;
  expect(asked).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/base\//)]);
});

it.each(Object.entries(providers))("%s refuses two addresses at once", (_, create) => {
  expect(() => create({ baseUrl: "http://127.0.0.1:1", baseURL: "http://127.0.0.1:2" })).toThrow(
    "pass baseUrl or baseURL, not both",
  );
  expect(() => create({ baseUrl: "http://127.0.0.1:1", baseURL: "http://127.0.0.1:1" })).not.toThrow();
});

it("openai-compatible needs an address", () => {
  expect(() => createOpenAiCompatibleProvider({})).toThrow("the base URL has to be a whole address");
});
