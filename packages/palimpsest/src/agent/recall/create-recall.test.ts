import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConversation, type ConversationTool, type TranscriptStore } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { droppedHint, recallHint } from "@palimpsest/core/engine";
import { afterAll, describe, expect, it } from "vitest";
import { createEmbeddedProvider } from "../../providers/index.js";
import { createEchoPlayer, withSummaries, type Player } from "../../simulator/index.js";
import { createJsonlStore, createMemoryStore } from "../../stores/index.js";
import { createRecall } from "./index.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function files(): Promise<TranscriptStore> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-recall-"));
  folders.push(directory);
  return createJsonlStore({ directory });
}

/** Calls Recall for what is asked after the word, and says what it was told. */
const asksRecall: Player = {
  answer(prompt, memory) {
    const last = JSON.stringify(prompt.messages.at(-1));
    const [, query] = /recall: ([\w ]+)/.exec(last) ?? [];
    if (query === undefined || last.includes("tool_result")) return createEchoPlayer().answer(prompt, memory);
    const input = { query };
    return { answer: { content: [{ type: "tool_use", name: "Recall", input }] }, memory };
  },
};

describe.each([
  ["in memory", async () => createMemoryStore()],
  ["in files", files],
])("Recall over a store %s", (_name, createStore) => {
  it("finds what a compaction took out of the context, word for word, called by the model", async () => {
    const store = await createStore();
    const recall = createRecall({ store, id: "work" });
    const provider = createEmbeddedProvider({ player: withSummaries(asksRecall) });
    const results: unknown[] = [];
    const told: ConversationTool = {
      ...recall,
      async run(input, call) {
        const said = await recall.run(input, call);
        results.push(said);
        return said;
      },
    };
    const conversation = createConversation({
      model: "claude-opus-5",
      maxTokens: 1000,
      compaction,
      provider,
      tools: [told],
      recallHint,
      droppedHint,
      sessionId: "work",
      writer: await store.open("work"),
    });
    const report = `${"a line of no interest\n".repeat(600)}The key zanzibar-7 lies in the blue vault.\n${"and one more\n".repeat(600)}`;
    await conversation.append(
      { role: "user", content: "Where is it?" },
      { role: "assistant", content: report },
    );
    for (let step = 0; step < 3; step += 1) await conversation.ask(`Step ${step}.`);
    expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
    expect(JSON.stringify(conversation.requestMessages())).not.toContain("zanzibar-7");
    await conversation.ask("recall: blue vault");
    expect(results).toEqual([expect.stringContaining("The key zanzibar-7 lies in the blue vault.")]);
  });

  it("says what it cannot find, and what was asked wrongly, for the model to read", async () => {
    const store = await createStore();
    const recall = createRecall({ store, id: "new" });
    await expect(recall.run({ query: "anything" })).rejects.toThrow("Nothing of this session is stored yet.");
    await expect(recall.run({})).rejects.toThrow("Give exactly one of query, tool_use_id and message.");
    await expect(recall.run({ query: 5, tool_use_id: [] })).rejects.toThrow("Give exactly one of");
    await (await store.open("new")).close();
    expect(await recall.run({ query: "anything" })).toContain("Nothing in the transcript holds that.");
    await expect(recall.run({ message: "nobody" })).rejects.toThrow("No message with that id");
  });
});

it("over a store and over its file it gives the same", async () => {
  const store = await files();
  const writer = await store.open("same");
  const conversation = createConversation({
    model: "m",
    maxTokens: 10,
    compaction,
    sessionId: "same",
    writer,
  });
  for (let line = 0; line < 30; line += 1)
    await conversation.append({
      role: line % 2 === 0 ? "user" : "assistant",
      content: `ärger ${line} of the owl`,
    });
  await writer.close();
  const path = join(folders.at(-1) ?? "", "same.jsonl");
  const [fromStore, fromFile] = [createRecall({ store, id: "same" }), createRecall({ transcriptPath: path })];
  for (const input of [{ query: "owl" }, { query: '"ärger 7"' }, { query: "owl", max_results: 20 }]) {
    const said = await fromStore.run(input);
    expect(said).toContain("of the owl");
    expect(await fromFile.run(input)).toBe(said);
  }
});

it("an abort ends a search", async () => {
  const store = createMemoryStore();
  const writer = await store.open("a");
  await writer.close();
  const conversation = createConversation({
    model: "m",
    maxTokens: 10,
    compaction,
    writer: await store.open("a"),
  });
  await conversation.append({ role: "user", content: "something" });
  const call = { signal: AbortSignal.abort(new Error("enough")) };
  await expect(createRecall({ store, id: "a" }).run({ query: "something" }, call)).rejects.toThrow("enough");
});
