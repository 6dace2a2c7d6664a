import { checkRejects, checkSame } from "../check.js";
import { conversationBuilder } from "../conversation-builder.js";
import type { TranscriptStoreCase } from "./transcript-store-case.js";
import { checkContent, write } from "./steps.js";

const BAD_IDS: readonly string[] = [
  "",
  ".",
  "..",
  "../x",
  "a/b",
  "a\\b",
  "/etc/passwd",
  ".hidden",
  "nul\u0000byte",
  "line\nbreak",
  "spa ce",
  "ä",
  "x".repeat(129),
];

export const accessCases: readonly TranscriptStoreCase[] = [
  {
    name: "a conversation that was never opened is not found",
    async run(createStore) {
      const store = await createStore();
      await checkRejects(store.readAll("nobody"), "not_found", "readAll");
      await checkRejects(store.readLive("nobody"), "not_found", "readLive");
      await write(store, "somebody", [conversationBuilder().user("hello")]);
      await checkRejects(store.readAll("nobody"), "not_found", "readAll beside another conversation");
    },
  },
  {
    name: "a conversation that was opened exists, and is empty",
    async run(createStore) {
      const store = await createStore();
      await write(store, "c");
      checkContent(await store.readAll("c"), [], "readAll");
      checkContent(await store.readLive("c"), [], "readLive");
    },
  },
  {
    name: "ids that could mean another place are refused",
    async run(createStore) {
      const store = await createStore();
      for (const id of BAD_IDS) {
        const shown = JSON.stringify(id.slice(0, 20));
        await checkRejects(store.open(id), "bad_id", `open(${shown})`);
        await checkRejects(store.readAll(id), "bad_id", `readAll(${shown})`);
        await checkRejects(store.readLive(id), "bad_id", `readLive(${shown})`);
      }
      checkSame(await store.list(), [], "list afterwards");
    },
  },
  {
    name: "ids of letters, digits, dots, dashes and underscores up to 128 characters are taken",
    async run(createStore) {
      const store = await createStore();
      for (const id of ["a", "0", "A..b", "a-_.", "c.jsonl", "c.lock", "x".repeat(128)]) {
        const message = conversationBuilder().user(id);
        await write(store, id, [message]);
        checkContent(await store.readAll(id), [message], `readAll(${id.slice(0, 20)})`);
      }
    },
  },
  {
    name: "a second writer is refused while the first is open, and taken afterwards",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two] = [talk.user("one"), talk.user("two")];
      const first = await store.open("c");
      await checkRejects(store.open("c"), "locked", "second open");
      await first.append([one]);
      await checkRejects(store.open("c"), "locked", "third open");
      await first.close();
      await write(store, "c", [two]);
      checkContent(await store.readAll("c"), [one, two], "readAll");
    },
  },
  {
    name: "of several that open at the same time one gets the conversation",
    async run(createStore) {
      const store = await createStore();
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => store.open("c")));
      const won = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
      checkSame(won.length, 1, "number of writers");
      const codes = attempts.flatMap((attempt) =>
        attempt.status === "rejected" ? [(attempt.reason as { code?: unknown }).code] : [],
      );
      checkSame(
        codes,
        Array.from({ length: 7 }, () => "locked"),
        "codes of the others",
      );
      await won[0]?.close();
    },
  },
  {
    name: "a closed writer takes nothing more",
    async run(createStore) {
      const store = await createStore();
      const message = conversationBuilder().user("late");
      const writer = await store.open("c");
      await writer.close();
      await checkRejects(writer.append([message]), "closed", "append after close");
      await checkRejects(writer.append([]), "closed", "empty append after close");
      checkContent(await store.readAll("c"), [], "readAll");
    },
  },
  {
    name: "closing twice does nothing, not even to the next writer",
    async run(createStore) {
      const store = await createStore();
      const first = await store.open("c");
      await Promise.all([first.close(), first.close()]);
      const second = await store.open("c");
      await first.close();
      await checkRejects(store.open("c"), "locked", "open while the second writer is there");
      await second.close();
    },
  },
  {
    name: "close waits for what was appended",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const messages = [talk.user("one"), talk.assistant("x".repeat(200_000)), talk.user("three")];
      const writer = await store.open("c");
      const appended = messages.map((message) => writer.append([message]));
      await writer.close();
      checkContent(await store.readAll("c"), messages, "readAll");
      await Promise.all(appended);
    },
  },
  {
    name: "what was acknowledged is read while the writer is open",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two] = [talk.user("one"), talk.assistant("two")];
      const writer = await store.open("c");
      await writer.append([one]);
      checkContent(await store.readLive("c"), [one], "readLive after the first append");
      await writer.append([two]);
      checkContent(await store.readAll("c"), [one, two], "readAll after the second append");
      checkContent(await store.readLive("c"), [one, two], "readLive after the second append");
      await writer.close();
    },
  },
  {
    name: "what was read is the reader's own: later appends do not change it",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const one = talk.user("one");
      const writer = await store.open("c");
      await writer.append([one]);
      const before = await store.readAll("c");
      await writer.append([talk.user("two")]);
      checkContent(before, [one], "the content read before");
      await writer.close();
    },
  },
];
