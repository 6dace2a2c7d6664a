import type { Message } from "../../messages/message.js";
import { check, checkSame } from "../check.js";
import { conversationBuilder } from "../conversation-builder.js";
import type { TranscriptStoreCase } from "./transcript-store-case.js";
import { checkContent, write } from "./steps.js";

const TEXTS: readonly string[] = [
  "",
  "line\nbreak\r\nand\u2028separators\u2029",
  "nul \u0000 and bell \u0007 and \u001f",
  "häuser, žluťoučký, 漢字, عربى, हिन्दी",
  "👩‍👩‍👧‍👦 🏳️‍🌈 \u{10ffff}",
  "lone \ud800 surrogates \udc00 \udfff\ud800",
  '"quotes" \\ back\\slashes / {"json": [1]}',
  "\ufeff byte order mark, \u202e right to left",
];

export const storageCases: readonly TranscriptStoreCase[] = [
  {
    name: "readAll gives what was appended, oldest first",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const batches = [
        [talk.user("one")],
        [talk.assistant("two"), talk.attachment("file"), talk.system("info")],
        [talk.sidechain("beside"), talk.user("three")],
      ];
      await write(store, "c", ...batches);
      checkContent(await store.readAll("c"), batches.flat(), "readAll");
    },
  },
  {
    name: "an old conversation is written on at its end",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [first, second] = [talk.user("one"), talk.assistant("two")];
      await write(store, "c", [first]);
      await write(store, "c", [second]);
      checkContent(await store.readAll("c"), [first, second], "readAll");
      checkContent(await store.readLive("c"), [first, second], "readLive");
    },
  },
  {
    name: "fields and subtypes that nobody knows survive",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const user = { ...talk.user("hello"), gitBranch: "main", nested: { deep: [1, null, { x: "y" }] } };
      const system = { ...talk.system("subtype_of_the_future"), level: "loud", extra: 1.5e300 };
      await write(store, "c", [user, system]);
      checkContent(await store.readAll("c"), [user, system], "readAll");
      checkContent(await store.readLive("c"), [user, system], "readLive");
    },
  },
  {
    name: "an entry of a type that nobody knows does no damage and harms no message",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [first, second] = [talk.user("one"), talk.assistant("two")];
      const foreign = { type: "file-history-snapshot", snapshot: { files: {} } } as unknown as Message;
      await write(store, "c", [first, foreign, second]);
      checkContent(await store.readAll("c"), [first, second], "readAll");
      checkContent(await store.readLive("c"), [first, second], "readLive");
    },
  },
  {
    name: "every text comes back as it was, lone surrogates included",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const messages = TEXTS.flatMap((text) => [talk.user(text), talk.assistant(text)]);
      await write(store, "c", messages);
      checkContent(await store.readAll("c"), messages, "readAll");
      checkContent(await store.readLive("c"), messages, "readLive");
    },
  },
  {
    name: "big messages come back whole",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const messages = [
        talk.user("before"),
        talk.user("ä漢👩".repeat(400_000)),
        talk.assistant("x".repeat(3_000_000)),
        talk.user("after"),
      ];
      await write(store, "c", messages);
      checkContent(await store.readAll("c"), messages, "readAll");
      checkContent(await store.readLive("c"), messages, "readLive");
    },
  },
  {
    name: "a message that could not be read back is refused, with its whole batch",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const good = talk.user("good");
      const writer = await store.open("c");
      await writer.append([good]);
      const broken = { type: "user", uuid: "broken" } as unknown as Message;
      const outcome = await writer.append([talk.user("lost"), broken]).then(
        () => "resolved",
        (error: unknown) => String((error as { code?: unknown }).code),
      );
      check(outcome === "bad_message", `a message without content: expected "bad_message", got "${outcome}"`);
      talk.rewindTo(good);
      const next = talk.user("next");
      await writer.append([next]);
      await writer.close();
      checkContent(await store.readAll("c"), [good, next], "readAll");
    },
  },
  {
    name: "an empty batch changes nothing",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const message = talk.user("one");
      await write(store, "c", [], [message], []);
      checkContent(await store.readAll("c"), [message], "readAll");
    },
  },
  {
    name: "appends that run at the same time keep their order",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const batches = Array.from({ length: 60 }, (_, index) => [
        talk.user(`question ${index} ${"x".repeat((index * 7919) % 50_000)}`),
        talk.assistant(`answer ${index}`),
      ]);
      const writer = await store.open("c");
      await Promise.all(batches.map((batch) => writer.append(batch)));
      await writer.close();
      checkContent(await store.readAll("c"), batches.flat(), "readAll");
    },
  },
  {
    name: "two conversations do not mix",
    async run(createStore) {
      const store = await createStore();
      const talks = [conversationBuilder(), conversationBuilder()] as const;
      const [one, two] = [await store.open("one"), await store.open("two")];
      const written: [Message[], Message[]] = [[], []];
      for (let round = 0; round < 5; round += 1) {
        const [left, right] = [talks[0].user(`left ${round}`), talks[1].user(`right ${round}`)];
        written[0].push(left);
        written[1].push(right);
        await Promise.all([one.append([left]), two.append([right])]);
      }
      await Promise.all([one.close(), two.close()]);
      checkContent(await store.readAll("one"), written[0], "readAll of one");
      checkContent(await store.readAll("two"), written[1], "readAll of two");
    },
  },
  {
    name: "list tells what is stored, most recently changed first",
    async run(createStore) {
      const store = await createStore();
      checkSame(await store.list(), [], "list of an empty store");
      for (const id of ["b", "a", "with.dot", "with-dash_and_underscore"]) {
        await write(store, id, [conversationBuilder().user("hello")]);
      }
      const infos = await store.list();
      checkSame(
        infos.map(({ id }) => id).toSorted(),
        ["a", "b", "with-dash_and_underscore", "with.dot"],
        "ids in list",
      );
      for (const [index, info] of infos.entries()) {
        check(info.bytes > 0, `list: ${info.id} has ${info.bytes} bytes`);
        const before = infos[index - 1];
        check(
          before === undefined || before.updatedAt >= info.updatedAt,
          `list: ${info.id} changed later than ${before?.id}, which stands before it`,
        );
      }
    },
  },
];
