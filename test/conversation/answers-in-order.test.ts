import { createUserMessage, type Message } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../packages/palimpsest/src/stores/index.js";
import { createEchoPlayer, withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";

const shown = (messages: readonly { readonly role: string; readonly content: readonly unknown[] }[]) =>
  messages.map(({ role, content }) => [role, content.map((block) => (block as { text?: string }).text)]);

describe("a message that is appended between prepare and observe", () => {
  const start = async (model = "claude-opus-5") => {
    const provider = createEmbeddedProvider({ player: withSummaries(createEchoPlayer()), clock: "manual" });
    const store = createMemoryStore();
    const writer = await store.open("late");
    const options = { model, maxTokens: 1000, writer };
    const agent = createAgent({ provider, runTool: () => "", conversation: options });
    const { conversation } = agent;
    const type = (text: string) =>
      conversation.append(createUserMessage(conversation.origin(), { content: text }));
    /** Sends what is there, and types while the answer is on its way. */
    const answerWhile = async (...typed: readonly string[]): Promise<void> => {
      const prepared = await conversation.prepare();
      if (prepared.kind === "held") throw new Error(prepared.message);
      for (const text of typed) await type(text);
      for await (const piece of provider.stream(prepared.call)) {
        if (piece.kind === "message") {
          await conversation.observe(prepared, { kind: "response", response: piece.message });
        }
      }
    };
    const resumed = async () => {
      const messages: Message[] = [...(await store.readLive("late")).messages];
      return createAgent({
        provider,
        runTool: () => "",
        conversation: { ...options },
        messages,
        firstId: 1000,
      }).conversation;
    };
    return { agent, provider, conversation, type, answerWhile, resumed };
  };

  it.each(["claude-opus-5", "claude-fable-5-1"])("comes after the answer (%s)", async (model) => {
    const { conversation, type, answerWhile, resumed } = await start(model);
    await type("first");
    await answerWhile("second", "third");
    const messages = shown(conversation.requestMessages());
    expect(messages.map(([role]) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages.at(-1)).toEqual(["user", ["second", "third"]]);
    expect(JSON.stringify(messages)).not.toContain("Continue");
    expect((await resumed()).requestMessages()).toEqual(conversation.requestMessages());
    // And it goes on from there, also for another process.
    await answerWhile("fourth");
    await answerWhile();
    await type("fifth");
    expect(shown(conversation.requestMessages()).map(([role]) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect((await resumed()).requestMessages()).toEqual(conversation.requestMessages());
    const again = await resumed();
    await again.append(createUserMessage(again.origin(), { content: "sixth" }));
    expect((await resumed()).requestMessages()).toEqual(again.requestMessages());
  });

  it("does not count the usage of a context that was compacted while the answer was on its way", async () => {
    const { conversation, provider, type, answerWhile } = await start();
    for (let turn = 0; turn < 6; turn += 1) {
      await type(`Remember this: ${"and so on ".repeat(1500)}`);
      await answerWhile();
    }
    await type("now");
    const prepared = await conversation.prepare();
    if (prepared.kind === "held") throw new Error(prepared.message);
    const before = conversation.size().tokens;
    expect((await conversation.compact()).kind).toBe("compacted");
    for await (const piece of provider.stream(prepared.call)) {
      if (piece.kind === "message") {
        await conversation.observe(prepared, { kind: "response", response: piece.message });
      }
    }
    const { reported, tokens } = conversation.size();
    expect(reported).toBe(0);
    expect(tokens).toBeLessThan(before);
  });
});
