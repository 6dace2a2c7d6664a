import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAssistantMessage,
  createConversation,
  createUserMessage,
  isCompactBoundary,
  type Conversation,
  type Message,
  type TranscriptStore,
  type TranscriptWriter,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";
import { flat, shownToModel } from "./words/judge.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-once-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const PROMPT = 349 * 1024;
const sentence = "Go through this list and mend what is broken, one after the other; ";
const prompt = sentence.repeat(Math.ceil(PROMPT / sentence.length)).slice(0, PROMPT);

let ids = 0;
const begin = (writer: TranscriptWriter, messages: readonly Message[] = []): Conversation =>
  createConversation(
    {
      model: "claude-opus-5-5",
      maxTokens: 4000,
      sessionId: "once",
      clock: { now: () => Date.UTC(2026, 10, 16) },
      ids: { next: () => `u${(ids += 1)}` },
      compaction,
      writer,
    },
    messages,
  );

async function work(conversation: Conversation, words: string): Promise<void> {
  await conversation.append(createUserMessage(conversation.origin(), { content: words }));
  for (let round = 0; round < 4; round += 1) {
    const id = `t${(ids += 1)}`;
    await conversation.append(
      createAssistantMessage(conversation.origin(), {
        id: `m${ids}`,
        model: "claude-opus-5-5",
        content: [{ type: "tool_use", id, name: "Read", input: { file_path: `/work/${id}.ts` } }],
      }),
    );
    const content = `line of ${id}\n`.repeat(300);
    await conversation.append(
      createUserMessage(conversation.origin(), {
        content: [{ type: "tool_result", tool_use_id: id, content }],
      }),
    );
  }
}

async function compactAll(conversation: Conversation): Promise<void> {
  const outcome = await conversation.compact({ scope: { kind: "full", keepRecentTokens: 0 } });
  if (outcome.kind === "failed") throw new Error(outcome.message);
}

/** A store notes where kept messages lie in its file: that is not part of the conversation. */
const plain = (messages: readonly Message[]): string =>
  JSON.stringify(messages, (key, value: unknown) => (key === "byteRanges" ? undefined : value));

const fileSize = async (): Promise<number> => (await stat(join(directory, "c.jsonl"))).size;
const live = async (store: TranscriptStore): Promise<readonly Message[]> =>
  (await store.readLive("c")).messages;

it("a prompt of 349 KB stands in a transcript twice after four compactions, and is resumed whole", async () => {
  const store = createJsonlStore({ directory });
  let writer = await store.open("c");
  let conversation = begin(writer);
  await work(conversation, prompt);
  const beforeAny = await fileSize();
  const said = [prompt];
  for (let round = 0; round < 4; round += 1) {
    await compactAll(conversation);
    expect(plain(await live(store))).toBe(plain(conversation.live));
    const words = `And then, in round ${round}, tell me what you did.`;
    await work(conversation, words);
    said.push(words);
    await writer.close();
    writer = await store.open("c");
    const resumed = begin(writer, await live(store));
    expect(JSON.stringify(resumed.requestMessages())).toBe(JSON.stringify(conversation.requestMessages()));
    conversation = resumed;
  }
  expect(beforeAny).toBeGreaterThan(PROMPT);
  expect(await fileSize()).toBeLessThan(2.5 * 410 * 1024);
  const texts = conversation.live
    .filter(isCompactBoundary)
    .flatMap(({ compactMetadata }) => compactMetadata?.["humanMessages"] as readonly { text?: string }[])
    .map(({ text }) => text);
  expect(texts).toEqual(said.slice(0, 4));
  await writer.close();
});

it("a branch that leads back to before a boundary has its words, and adds none that are there", async () => {
  const store = createJsonlStore({ directory });
  let writer = await store.open("c");
  const conversation = begin(writer);
  await work(conversation, prompt);
  await compactAll(conversation);
  await work(conversation, "Keep to the second list.");
  const turn = conversation.live.at(-1);
  if (turn === undefined) throw new Error("nothing is live");
  await work(conversation, "No, forget that.");
  await compactAll(conversation);
  await work(conversation, "Go on.");
  await writer.append([
    createUserMessage(
      { ...conversation.origin(), parentUuid: turn.uuid },
      { content: "Let us take another way from here." },
    ),
  ]);
  const before = await fileSize();
  await writer.close();
  writer = await store.open("c");
  const branch = begin(writer, await live(store));
  const wanted = ["Keep to the second list.", "Let us take another way from here."];
  for (const words of wanted) expect(shownToModel(branch.requestMessages())).toContain(words);
  await compactAll(branch);
  const shown = shownToModel(branch.requestMessages());
  for (const words of [...wanted, flat(prompt.slice(0, 400))]) expect(shown).toContain(words);
  expect(shown).not.toContain("No, forget that.");
  expect(plain(await live(store))).toBe(plain(branch.live));
  expect((await fileSize()) - before).toBeLessThan(PROMPT / 4);
  await writer.close();
});
