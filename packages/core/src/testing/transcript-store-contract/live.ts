import type { CompactBoundary } from "../../messages/message.js";
import { conversationBuilder } from "../conversation-builder.js";
import type { TranscriptStoreCase } from "./transcript-store-case.js";
import { checkContent, write } from "./steps.js";

export const liveCases: readonly TranscriptStoreCase[] = [
  {
    name: "readLive without a boundary gives the conversation, without subagents",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, beside, two] = [talk.user("one"), talk.sidechain("beside"), talk.assistant("two")];
      await write(store, "c", [one, beside, two]);
      checkContent(await store.readLive("c"), [one, two], "readLive");
    },
  },
  {
    name: "readLive starts at the last boundary",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const first = [talk.user("one"), talk.assistant("two"), ...talk.compaction(), talk.user("three")];
      const second = [...talk.compaction(), talk.assistant("four")];
      await write(store, "c", first);
      checkContent(await store.readLive("c"), first.slice(2), "readLive after one compaction");
      await write(store, "c", second);
      checkContent(await store.readLive("c"), second, "readLive after two compactions");
      checkContent(await store.readAll("c"), [...first, ...second], "readAll");
    },
  },
  {
    name: "a subagent's boundary is not the conversation's",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const one = talk.user("one");
      const [boundary] = conversationBuilder({ sessionId: "beside" }).compaction();
      const two = talk.assistant("two");
      await write(store, "c", [one, { ...boundary, uuid: "beside", isSidechain: true }, two]);
      checkContent(await store.readLive("c"), [one, two], "readLive");
    },
  },
  {
    name: "a kept tail stands after its anchor",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const old = [talk.user("one"), talk.assistant("two")];
      const kept = [talk.user("three"), talk.assistant("four")] as const;
      const [boundary, summary] = talk.compaction({
        head: kept[0],
        tail: kept[1],
        place: "after-summary",
      });
      const next = talk.user("five");
      await write(store, "c", [...old, ...kept], [boundary, summary], [next]);
      checkContent(await store.readLive("c"), [boundary, summary, ...kept, next], "readLive");
    },
  },
  {
    name: "a kept prefix stands before the boundary",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const kept = [talk.user("one"), talk.assistant("two")] as const;
      const old = [talk.user("three"), talk.assistant("four")];
      const [boundary, summary] = talk.compaction({
        head: kept[0],
        tail: kept[1],
        place: "before-boundary",
      });
      const next = talk.user("five");
      await write(store, "c", [...kept, ...old, boundary, summary, next]);
      checkContent(await store.readLive("c"), [...kept, boundary, summary, next], "readLive");
    },
  },
  {
    name: "a second compaction may keep what the first one kept",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const old = [talk.user("one"), talk.assistant("two")];
      const kept = [
        talk.user("three"),
        talk.sidechain("x"),
        talk.assistant("four"),
        talk.user("five"),
      ] as const;
      const first = talk.compaction({ head: kept[0], tail: kept[3], place: "after-summary" });
      const between = [talk.assistant("six"), talk.user("seven")] as const;
      await write(store, "c", [...old, ...kept, ...first, ...between]);
      const second = talk.compaction({ head: kept[2], tail: between[0], place: "after-summary" });
      const next = talk.assistant("eight");
      await write(store, "c", [...second], [next]);
      checkContent(await store.readLive("c"), [...second, kept[2], kept[3], between[0], next], "readLive");
    },
  },
  {
    name: "a third compaction may keep a summary together with what stood around it",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const prefix = [talk.user("one"), talk.assistant("two")] as const;
      const old = talk.user("three");
      const first = talk.compaction({ head: prefix[0], tail: prefix[1], place: "before-boundary" });
      const middle = [talk.user("four"), talk.assistant("five")] as const;
      const second = talk.compaction({ head: prefix[1], tail: middle[0], place: "before-boundary" });
      const late = talk.user("six");
      const third = talk.compaction({ head: first[1], tail: late, place: "after-summary" });
      const next = talk.user("seven");
      await write(store, "c", [...prefix, old, ...first, ...middle, ...second], [late, ...third, next]);
      checkContent(
        await store.readLive("c"),
        [...third, first[1], middle[0], second[1], late, next],
        "readLive",
      );
    },
  },
  {
    name: "what was restored after a kept tail is kept with it the next time",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two] = [talk.user("one"), talk.assistant("two")];
      const first = talk.compaction({ head: two, tail: two, place: "after-summary" });
      talk.rewindTo(first[1]);
      const restored = talk.attachment("file");
      talk.rewindTo(two);
      const three = talk.user("three");
      const second = talk.compaction({ head: two, tail: three, place: "after-summary" });
      const next = talk.assistant("four");
      await write(store, "c", [one, two, ...first, restored, three]);
      checkContent(
        await store.readLive("c"),
        [...first, two, restored, three],
        "readLive after the first compaction",
      );
      await write(store, "c", [...second, next]);
      checkContent(
        await store.readLive("c"),
        [...second, two, restored, three, next],
        "readLive after the second compaction",
      );
    },
  },
  {
    name: "a segment may start with an older boundary, which does not come back",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const old = talk.user("one");
      const first = talk.compaction();
      const two = talk.user("two");
      const second = talk.compaction({ head: first[0], tail: two, place: "after-summary" });
      const next = talk.assistant("three");
      await write(store, "c", [old, ...first, two, ...second, next]);
      checkContent(await store.readLive("c"), [...second, first[1], two, next], "readLive");
    },
  },
  {
    name: "what a caller says about the place of a segment is not believed",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two] = [talk.user("one"), talk.assistant("two")];
      const [boundary, summary] = talk.compaction({ head: two, tail: two, place: "after-summary" });
      const { compactMetadata } = boundary;
      const misleading = {
        ...boundary,
        compactMetadata: {
          ...compactMetadata,
          preservedSegment: {
            ...compactMetadata?.preservedSegment,
            byteRanges: [{ start: 3, end: 1_000_000_000_000 }],
          },
        },
      } as CompactBoundary;
      await write(store, "c", [one, two, misleading, summary]);
      checkContent(await store.readLive("c"), [boundary, summary, two], "readLive");
    },
  },
  {
    name: "a segment that is nowhere costs nothing else",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const ghost = conversationBuilder({ sessionId: "elsewhere" }).user("ghost");
      const one = talk.user("one");
      const kept = { head: { ...ghost, uuid: "ghost" }, tail: one, place: "before-boundary" } as const;
      const [boundary, summary] = talk.compaction(kept);
      const next = talk.user("two");
      await write(store, "c", [one, boundary, summary, next]);
      checkContent(await store.readLive("c"), [boundary, summary, next], "readLive");
    },
  },
  {
    name: "after a rewind the branch that ends in the last message is live",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two] = [talk.user("one"), talk.assistant("two")];
      const dropped = [talk.user("three"), talk.assistant("four")];
      talk.rewindTo(two);
      const other = talk.user("another three");
      await write(store, "c", [one, two, ...dropped, other]);
      checkContent(await store.readLive("c"), [one, two, other], "readLive");
    },
  },
  {
    name: "a rewind to before the boundary brings the old messages back",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two, three] = [talk.user("one"), talk.assistant("two"), talk.user("three")];
      const compaction = talk.compaction({ head: three, tail: three, place: "after-summary" });
      const dropped = talk.assistant("four");
      talk.rewindTo(two);
      const other = talk.user("another three");
      await write(store, "c", [one, two, three, ...compaction, dropped], [other]);
      checkContent(await store.readLive("c"), [one, two, other], "readLive");
    },
  },
  {
    name: "whoever goes back to a message that a compaction has kept goes back to before the compaction",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two, three] = [talk.user("one"), talk.assistant("two"), talk.user("three")];
      const compaction = talk.compaction({ head: two, tail: three, place: "after-summary" });
      const later = [talk.assistant("four"), talk.attachment("file")];
      await write(store, "c", [one, two, three, ...compaction, ...later]);
      talk.rewindTo(two);
      const marker = talk.system("rewound");
      await write(store, "c", [marker]);
      checkContent(await store.readLive("c"), [one, two, marker], "readLive");
      const next = talk.user("another three");
      const second = talk.compaction({ head: marker, tail: next, place: "after-summary" });
      await write(store, "c", [next, ...second]);
      checkContent(await store.readLive("c"), [...second, marker, next], "readLive after a compaction");
    },
  },
  {
    name: "the marker of a way back may leave out what was stored before a response and stands after it",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, meanwhile, late] = [talk.user("one"), talk.user("meanwhile"), talk.assistant("late")];
      const dropped = talk.user("two");
      talk.rewindTo(late);
      const marker = { ...talk.system("rewound"), leftOut: [meanwhile.uuid] };
      const next = talk.user("another two");
      await write(store, "c", [one, meanwhile, late, dropped, marker], [next]);
      checkContent(await store.readLive("c"), [one, late, marker, next], "readLive");
      checkContent(await store.readAll("c"), [one, meanwhile, late, dropped, marker, next], "readAll");
    },
  },
  {
    name: "a branch is a conversation of its own, whose first lines another one has too",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const [one, two, three] = [talk.user("one"), talk.assistant("two"), talk.user("three")];
      const compaction = talk.compaction({ head: two, tail: three, place: "after-summary" });
      const writer = await store.open("main");
      await writer.append([one, two, three, ...compaction]);
      const marker = { ...conversationBuilder({ sessionId: "other" }).system("branched"), uuid: "marker" };
      const kept = [
        { ...two, parentUuid: marker.uuid },
        { ...three, parentUuid: two.uuid },
      ];
      await write(store, "branch", [marker, ...kept, ...compaction]);
      const [here, there] = [talk.user("here"), { ...talk.user("there"), parentUuid: three.uuid }];
      await writer.append([here]);
      await write(store, "branch", [there]);
      await writer.close();
      checkContent(await store.readLive("main"), [...compaction, two, three, here], "readLive");
      checkContent(await store.readLive("branch"), [...compaction, ...kept, there], "readLive of the branch");
    },
  },
  {
    name: "every boundary comes back with all that people said before it",
    async run(createStore) {
      const store = await createStore();
      const talk = conversationBuilder();
      const carrying = (humanMessages: readonly { readonly uuid: string; readonly text?: string }[]) => {
        const [boundary, summary] = talk.compaction();
        const compactMetadata = { ...boundary.compactMetadata, humanMessages, namesUsed: ["a"] };
        return [{ ...boundary, compactMetadata } as CompactBoundary, summary] as const;
      };
      const said = ["one", "two", "three", "one"].map((text, at) => ({ uuid: `said-${at}`, text }));
      const kept = { uuid: "kept" };
      const first = carrying(said.slice(0, 2));
      const between = talk.user("three");
      const second = carrying([...said.slice(0, 3), kept]);
      const third = carrying([kept, ...said.toReversed()]);
      await write(store, "c", [...first, between], second, third);
      checkContent(await store.readAll("c"), [...first, between, ...second, ...third], "readAll");
      checkContent(await store.readLive("c"), third, "readLive");
      talk.rewindTo(first[1]);
      const other = talk.user("another three");
      await write(store, "c", [other]);
      checkContent(await store.readLive("c"), [...first, other], "readLive after a rewind");
      const fourth = carrying([...said.slice(0, 2), { uuid: other.uuid, text: "another three" }]);
      await write(store, "c", fourth);
      checkContent(await store.readLive("c"), fourth, "readLive of the branch");
    },
  },
];
