import type { ModelOutput, ModelProvider } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { createEmbeddedProvider } from "../../providers/embedded.js";
import { createScriptPlayer } from "../../simulator/players/script-player.js";
import { streamUnbroken } from "./stream-unbroken.js";

const call = {
  request: {
    model: "claude-sonnet-5",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Say it." }] }],
  },
};

const broken = (times: number): ModelProvider =>
  createEmbeddedProvider({
    player: createScriptPlayer({ steps: [{ text: "It is said.", delivery: { cutAfterEvents: 4 }, times }] }),
  });

async function listen(provider: ModelProvider) {
  const outputs: ModelOutput[] = [];
  const attempts: number[] = [];
  const stream = streamUnbroken(provider, {
    call,
    firstWaitMs: 1,
    onRetry: ({ attempt }) => void attempts.push(attempt),
  });
  for await (const output of stream) outputs.push(output);
  return { outputs, attempts };
}

describe("a response that breaks off behind its first words", () => {
  it("is asked for again", async () => {
    const { outputs, attempts } = await listen(broken(2));
    expect(attempts).toEqual([1, 2]);
    expect(outputs.filter(({ kind }) => kind === "error")).toEqual([]);
    expect(outputs.at(-1)).toMatchObject({
      kind: "message",
      message: { content: [{ type: "text", text: "It is said." }] },
    });
  });

  it("is asked for no more than five times", async () => {
    const { outputs, attempts } = await listen(broken(10));
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(outputs.at(-1)).toMatchObject({ kind: "error" });
  });

  it("is not waited for once it is called off", async () => {
    const stop = new AbortController();
    const outputs: ModelOutput[] = [];
    const stream = streamUnbroken(broken(10), { call, signal: stop.signal, onRetry: () => stop.abort() });
    for await (const output of stream) outputs.push(output);
    expect(outputs.at(-1)).toMatchObject({ kind: "error", failure: { kind: "aborted" } });
  });
});
