import { describe, expect, it } from "vitest";
import type { Message, PreservedSegment } from "../message.js";
import { conversationBuilder } from "../../testing/conversation-builder.js";
import { conversationWindows, linkLive, liveMessages } from "./live.js";

const message = (uuid: string, parentUuid: string | null, fields: object): Message =>
  ({
    uuid,
    parentUuid,
    timestamp: "2026-11-15T10:00:00.000Z",
    sessionId: "s",
    ...fields,
  }) as unknown as Message;
const user = (uuid: string, parent: string | null, flags: object = {}): Message =>
  message(uuid, parent, { type: "user", message: { role: "user", content: uuid }, ...flags });
const assistant = (uuid: string, parent: string | null, id = uuid, content: unknown = []): Message =>
  message(uuid, parent, { type: "assistant", message: { id, role: "assistant", model: "m", content } });
const call = (uuid: string, parent: string, id: string): Message =>
  assistant(uuid, parent, id, [{ type: "tool_use", id: `t-${uuid}`, name: "Read", input: {} }]);
const result = (uuid: string, parent: string, of: string): Message =>
  message(uuid, parent, {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: `t-${of}`, content: "ok" }] },
  });
const boundary = (uuid: string, preservedSegment?: PreservedSegment): Message =>
  message(uuid, null, {
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: { trigger: "auto", preTokens: 1, ...(preservedSegment && { preservedSegment }) },
  });
const summary = (uuid: string, parent: string): Message => user(uuid, parent, { isCompactSummary: true });
const uuids = (messages: readonly Message[]): string => messages.map(({ uuid }) => uuid).join(" ");

describe("the live conversation", () => {
  it("is the whole list where nothing happened", () => {
    expect(uuids(liveMessages([user("a", null), assistant("b", "a"), user("c", "b")]))).toBe("a b c");
    expect(uuids(liveMessages([]))).toBe("");
  });

  it("starts at the last boundary", () => {
    const list = [
      user("a", null),
      boundary("B1"),
      summary("S1", "B1"),
      user("b", "S1"),
      boundary("B2"),
      summary("S2", "B2"),
      user("c", "S2"),
    ];
    expect(uuids(liveMessages(list))).toBe("B2 S2 c");
  });

  it("leaves out what calls cost, wherever that stands and whatever hangs on it", () => {
    const list = [
      user("a", null),
      assistant("b", "a"),
      boundary("B", { headUuid: "a", tailUuid: "b", anchorUuid: "S" }),
      summary("S", "B"),
      user("c", "b"),
      assistant("d", "c"),
      user("gone", "d"),
      user("e", "d"),
    ];
    const expected = [uuids(liveMessages(list)), uuids(liveMessages(list.slice(0, 6)))];
    expect(expected).toEqual(["B S a b c d e", "B S a b c d"]);
    const record = (uuid: string, parent: string | null): Message =>
      message(uuid, parent, { type: "system", subtype: "billed_calls", billedCalls: [] });
    for (let at = 0; at <= list.length; at += 1) {
      const parent = list[at - 1]?.uuid ?? null;
      const records = [record("R1", parent), record("R2", "R1")];
      const longer = [...list.slice(0, at), ...records, ...list.slice(at)];
      const relinked = longer.map((one) =>
        parent !== null && one.parentUuid === parent && one.uuid !== "R1" && longer.indexOf(one) > at
          ? { ...one, parentUuid: "R2" }
          : one,
      );
      for (const variant of [longer, relinked]) {
        expect(uuids(liveMessages(variant))).toBe(expected[0]);
        expect(linkLive(variant).missing).toBeUndefined();
      }
    }
    expect(uuids(liveMessages([...list.slice(0, 6), record("R", "d")]))).toBe(expected[1]);
    // Records that lead to each other lead nowhere.
    const circle = [user("a", null), record("R1", "R2"), record("R2", "R1"), user("b", "R1")];
    expect(uuids(liveMessages(circle))).toBe("a b");
  });

  it("leaves sidechains and abandoned branches out", () => {
    const list = [
      user("a", null),
      assistant("b", "a"),
      user("abandoned", "b"),
      assistant("abandoned-2", "abandoned"),
      message("side", "a", { type: "user", isSidechain: true, message: { role: "user", content: "x" } }),
      user("c", "b"),
    ];
    expect(uuids(liveMessages(list))).toBe("a b c");
  });

  it("brings in the siblings of parallel calls, and the attachments behind them", () => {
    const list = [
      user("q", null),
      call("c1", "q", "m1"),
      call("c2", "c1", "m1"),
      result("r2", "c2", "c2"),
      message("note", "r2", { type: "attachment", attachment: { type: "file" } }),
      result("r1", "c1", "c1"),
      assistant("next", "r1", "m2"),
    ];
    expect(uuids(liveMessages(list))).toBe("q c1 c2 r2 note r1 next");
  });

  it("puts a kept tail behind the summary", () => {
    const list = [
      user("a", null),
      user("b", "a"),
      user("c", "b"),
      boundary("B", { headUuid: "b", tailUuid: "c", anchorUuid: "S" }),
      summary("S", "B"),
      message("file", "S", { type: "attachment", attachment: { type: "file" } }),
      user("d", "c"),
    ];
    expect(uuids(liveMessages(list))).toBe("B S b c file d");
  });

  it("puts a kept prefix before the boundary", () => {
    const list = [
      user("a", null),
      user("b", "a"),
      user("c", "b"),
      boundary("B", { headUuid: "a", tailUuid: "b", anchorUuid: null }),
      summary("S", "B"),
      user("d", "S"),
    ];
    expect(uuids(liveMessages(list))).toBe("a b B S d");
  });

  it("a second compaction may keep what the first one kept", () => {
    const list = [
      user("a", null),
      user("b", "a"),
      user("c", "b"),
      boundary("B1", { headUuid: "b", tailUuid: "c", anchorUuid: "S1" }),
      summary("S1", "B1"),
      user("d", "c"),
      boundary("B2", { headUuid: "c", tailUuid: "d", anchorUuid: "S2" }),
      summary("S2", "B2"),
      user("e", "d"),
    ];
    expect(uuids(liveMessages(list))).toBe("B2 S2 c d e");
  });

  it("a damaged line at one end of the segment costs that line only", () => {
    const list = [
      user("a", null),
      user("b", "a"),
      user("c", "b"),
      user("d", "c"),
      boundary("B", { headUuid: "b", tailUuid: "d", anchorUuid: "S" }),
      summary("S", "B"),
      user("e", "d"),
    ];
    const without = (uuid: string) => list.filter((message) => message.uuid !== uuid);
    expect(uuids(liveMessages(without("b")))).toBe("B S c d e");
    expect(uuids(liveMessages(without("d")))).toBe("B S b c e");
    expect(uuids(liveMessages(without("b").filter(({ uuid }) => uuid !== "c")))).toBe("B S e");
  });

  it("metadata that makes no sense is no segment", () => {
    for (const preservedSegment of [null, 5, {}, { headUuid: "a", tailUuid: 3, anchorUuid: null }]) {
      const list = [user("a", null), boundary("B", preservedSegment as never), summary("S", "B")];
      expect(uuids(liveMessages(list))).toBe("B S");
    }
  });

  it("goes back behind the boundary where the person did", () => {
    const list = [
      user("a", null),
      user("b", "a"),
      boundary("B"),
      summary("S", "B"),
      user("c", "S"),
      user("d", "a"),
    ];
    expect(uuids(liveMessages(list))).toBe("a d");
  });

  it("going back behind a boundary keeps the siblings of parallel calls", () => {
    const list = [
      user("q", null),
      call("c1", "q", "m1"),
      call("c2", "c1", "m1"),
      result("r1", "c1", "c1"),
      result("r2", "c2", "c2"),
      boundary("B"),
      summary("S", "B"),
      user("n", "r1"),
    ];
    expect(uuids(liveMessages(list))).toBe("q c1 c2 r1 r2 n");
  });

  it("many boundaries with kept segments and rewinds take no time", () => {
    const list: Message[] = [user("a0", null), user("b0", "a0")];
    for (let index = 1; index <= 200; index += 1) {
      const before = `b${index - 1}`;
      list.push(
        boundary(`B${index}`, { headUuid: before, tailUuid: before, anchorUuid: `S${index}` }),
        summary(`S${index}`, `B${index}`),
        user(`a${index}`, `a${index - 1}`),
        user(`b${index}`, `a${index}`),
      );
    }
    expect(liveMessages(list).at(-1)?.uuid).toBe("b200");
  });

  it("drops nothing for want of a link, and says what is missing", () => {
    const list = [user("b", "gone"), user("c", "b"), user("d", "nowhere")];
    expect(linkLive(list)).toMatchObject({ missing: "nowhere" });
    expect(uuids(liveMessages(list))).toBe("b c d");
    const unlinked = [user("a", null), user("b", null), user("c", null)];
    expect(uuids(liveMessages(unlinked))).toBe("a b c");
  });

  it("says when the kept messages are not in the input", () => {
    const list = [
      boundary("B", { headUuid: "x", tailUuid: "y", anchorUuid: "S" }),
      summary("S", "B"),
      user("c", "S"),
    ];
    expect(linkLive(list).missing).toBe("x");
    expect(uuids(liveMessages(list))).toBe("B S c");
  });

  it("a chain that bites its tail ends", () => {
    expect(uuids(liveMessages([user("a", "b"), user("b", "a")]))).toBe("a b");
    expect(uuids(liveMessages([user("a", "a")]))).toBe("a");
  });

  it("stays fast on long conversations", () => {
    const list = Array.from({ length: 100_000 }, (_, index) =>
      user(`u${index}`, index === 0 ? null : `u${index - 1}`),
    );
    expect(liveMessages(list)).toHaveLength(100_000);
  });
});

it("every window: before each compaction, and at the end", () => {
  const list = [
    user("a", null),
    user("b", "a"),
    boundary("B1"),
    summary("S1", "B1"),
    user("c", "S1"),
    boundary("B2"),
    summary("S2", "B2"),
  ];
  expect(conversationWindows(list).map(uuids)).toEqual(["a b", "B1 S1 c", "B2 S2"]);
});

it("keeps a segment whose first message is not on the branch, and no older summary with it", () => {
  const talk = conversationBuilder();
  const [one, two] = [talk.user("one"), talk.assistant("two")];
  // Stored while the next message was being made, which does not know of it.
  const note = talk.system("session_memory");
  talk.rewindTo(two);
  const three = talk.user("three");
  const first = talk.compaction({ head: two, tail: three, place: "after-summary" });
  const four = talk.assistant("four");
  const second = talk.compaction({ head: note, tail: four, place: "after-summary" });
  const five = talk.user("five");
  const live = liveMessages([one, two, note, three, ...first, four, ...second, five]);
  expect(live).toEqual([...second, three, four, five]);
});

it("keeps a prefix whose last message is not on the branch, and nothing behind it", () => {
  const talk = conversationBuilder();
  const [one, two] = [talk.user("one"), talk.assistant("two")];
  const note = talk.system("session_memory");
  talk.rewindTo(two);
  const [three, four] = [talk.user("three"), talk.assistant("four")];
  const compaction = talk.compaction({ head: one, tail: note, place: "before-boundary" });
  const five = talk.user("five");
  const live = liveMessages([one, two, note, three, four, ...compaction, five]);
  expect(live).toEqual([one, two, ...compaction, five]);
});
