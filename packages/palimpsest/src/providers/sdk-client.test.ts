import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { createSimulator } from "../simulator/core/create-simulator.js";
import { createSimulatorApp } from "../simulator/http/app.js";
import { createEchoPlayer } from "../simulator/players/echo-player.js";
import { createAnthropicProvider, type AnthropicProviderOptions } from "./anthropic.js";
import { messagesCapabilities, wantsLongCache } from "./messages-capabilities.js";

const app = createSimulatorApp({
  simulator: createSimulator({ player: createEchoPlayer() }),
  apiKeys: ["sk-right-key"],
});

const clientWith = (apiKey: string): Anthropic =>
  new Anthropic({
    apiKey,
    fetch: (url, init) => app(new Request(url, init)),
  });

async function lastOf(options: AnthropicProviderOptions) {
  const provider = createAnthropicProvider({ maxRetries: 0, ...options });
  const request = {
    model: "claude-opus-5",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }],
  };
  let last;
  for await (const output of provider.stream({ request })) last = output;
  return last;
}

describe("a client of the SDK that is handed in", () => {
  it("is asked, with its own key and its own fetch", async () => {
    expect(await lastOf({ client: clientWith("sk-right-key") })).toMatchObject({
      kind: "message",
      message: { content: [{ type: "text", text: "You said: hello" }] },
    });
  });

  it("tells errors as those of our own, without its key", async () => {
    const last = await lastOf({ client: clientWith("sk-wrong-key") });
    expect(last).toMatchObject({ kind: "error", failure: { kind: "authentication" } });
    expect(JSON.stringify(last)).not.toContain("sk-wrong-key");
  });

  it("a connection that is refused is one, also where the client comes from another copy of the SDK", async () => {
    const client = new Anthropic({ apiKey: "any", baseURL: "http://127.0.0.1:9" });
    expect(await lastOf({ client })).toMatchObject({ kind: "error", failure: { kind: "connection" } });
  });

  it.each(["apiKey", "authToken", "baseUrl", "baseURL"])("does not go with %s", async (name) => {
    expect(await lastOf({ client: clientWith("sk-right-key"), [name]: "http://127.0.0.1:9" })).toMatchObject({
      failure: {
        kind: "invalid-request",
        message: `a client of the SDK has its own ${name}: pass one or the other`,
      },
    });
  });
});

describe("lifetimes of an hour", () => {
  it.each([
    [{}, false],
    [{ ENABLE_PROMPT_CACHING_1H: "1" }, true],
    [{ ENABLE_PROMPT_CACHING_1H_BEDROCK: "true" }, true],
    [{ ENABLE_PROMPT_CACHING_1H_BEDROCK: "0" }, false],
    [{ ENABLE_PROMPT_CACHING_1H: "" }, false],
  ])("%j: %s", (env, isWanted) => {
    expect(wantsLongCache(env)).toBe(isWanted);
  });

  it("are always offered by the API itself, and elsewhere where they are wanted", () => {
    const ttls = (model: string, hasLongCache: boolean) => messagesCapabilities(model, { hasLongCache }).ttls;
    expect(ttls("claude-opus-5", false)).toEqual(["5m", "1h"]);
    expect(ttls("us.anthropic.claude-opus-5", false)).toEqual(["5m"]);
    expect(ttls("us.anthropic.claude-opus-5", true)).toEqual(["5m", "1h"]);
    expect(messagesCapabilities("claude-opus-5", { isCloud: true }).cacheDiagnostics).toBe(false);
  });
});
