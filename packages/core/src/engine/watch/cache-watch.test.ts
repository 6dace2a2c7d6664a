import { describe, expect, it } from "vitest";
import type { RequestMessage } from "../../messages/content.js";
import {
  assistant,
  conversation,
  hourMarker,
  marked,
  marker,
  request,
  second,
  tool,
  usage,
  user,
  watching,
} from "./testing/sample.js";

describe("what is no break", () => {
  it("small drops, a first call, and a usage that says nothing", () => {
    expect(second({ tools: [] }, { read: 48_001 })).toBeUndefined();
    expect(second({ tools: [] }, { read: 47_600 })).toBeUndefined();
    expect(second({ tools: [] }, { read: 47_499 })).toMatchObject({ lostTokens: 2501 });
    const watched = watching();
    expect(watched.after(usage(0, 1))).toBeUndefined();
    watched.call(request(3), usage(0, 50_000));
    const silent = { input_tokens: 50_000, output_tokens: 1, cache_read_input_tokens: null };
    expect(watched.call(request(5, { tools: [] }), silent)).toBeUndefined();
    expect(watched.call(request(7), usage(0, 1000))).toBeUndefined();
  });

  it("after a compaction; the answer to what was sent before it says nothing either", () => {
    const watched = watching();
    watched.call(request(9), usage(0, 50_000));
    watched.before(request(11));
    watched.watch.notifyCompaction("compact");
    expect(watched.after(usage(0, 52_000))).toBeUndefined();
    expect(watched.call(request([user("summary")]), usage(3000, 4000))).toBeUndefined();
    expect(
      watched.call(request([user("summary"), ...conversation(2).toReversed()]), usage(0, 8000)),
    ).toMatchObject({
      expectedTokens: 7000,
    });
  });

  it("after a deletion in the messages: the lower reading is the baseline", () => {
    const watched = watching();
    watched.call(request(9), usage(0, 50_000));
    watched.watch.notifyDeletion("repl_main_thread", { deletedTokens: 5000, keepsPrefix: false });
    const cleared = [conversation(1)[0] ?? user(""), assistant("[cleared]"), ...conversation(10).slice(2)];
    expect(watched.call(request(cleared), usage(1000, 40_000))).toBeUndefined();
    expect(
      watched.call(request([...cleared, assistant("a"), user("b")]), usage(41_000, 500)),
    ).toBeUndefined();
    expect(watched.call(request([...cleared, user("c")]), usage(0, 42_000))).toMatchObject({
      expectedTokens: 41_500,
      reasons: [{ kind: "messages-changed", position: 10, of: 12 }],
    });
  });

  it("a deletion that the response itself tells of", () => {
    const watched = watching();
    watched.call(request(9), usage(0, 50_000));
    watched.before(request(11));
    watched.watch.notifyDeletion("repl_main_thread", { deletedTokens: 20_000, keepsPrefix: false });
    expect(watched.after(usage(5000, 27_000))).toBeUndefined();
    expect(watched.call(request(13), usage(0, 34_000))).toMatchObject({ expectedTokens: 32_000 });
  });

  it("a deletion told while another call is under way still explains the next reading", () => {
    const watched = watching();
    watched.call(request(9), usage(0, 50_000));
    watched.before(request(11));
    watched.watch.notifyDeletion("repl_main_thread", { deletedTokens: 20_000, keepsPrefix: false });
    expect(watched.after(usage(50_000, 1000))).toBeUndefined();
    expect(watched.call(request(13), usage(5000, 27_000))).toBeUndefined();
    expect(watched.call(request(15), usage(5000, 27_000))).toMatchObject({ expectedTokens: 32_000 });
  });

  it("a deletion inside the provider's prefix explains no more than it deleted", () => {
    const after = (read: number) => {
      const watched = watching();
      watched.call(request(9), usage(0, 50_000));
      watched.watch.notifyDeletion("repl_main_thread", { deletedTokens: 10_000, keepsPrefix: true });
      return watched.call(request(11), usage(read, 1000));
    };
    expect(after(40_000)).toBeUndefined();
    expect(after(34_000)).toBeUndefined();
    expect(after(10_000)).toMatchObject({ expectedTokens: 40_000, lostTokens: 30_000, lostShare: 0.75 });
  });

  it("excluded models are not judged, and their requests are still what the next is compared with", () => {
    const model = "claude-haiku-4-5";
    const watched = watching();
    watched.call(request(3, { model }), usage(0, 50_000));
    expect(watched.call(request(5, { model, tools: [] }), usage(0, 52_000))).toBeUndefined();
    expect(watched.before(request(7, { model, tools: [] }))).toEqual([]);
    const all = watching({ settings: { cacheBreakExcludedModels: [] } });
    all.call(request(3, { model }), usage(0, 50_000));
    expect(all.call(request(5, { model }), usage(0, 52_000))).toMatchObject({ model });
  });
});

describe("calls that fail, and calls at the same time", () => {
  it("changes add up from the last answered request", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000));
    watched.before(request(5, { tools: [] }));
    watched.before(request(5, { tools: [], speed: "fast" }));
    expect(watched.after(usage(0, 52_000))?.reasons.map(({ kind }) => kind)).toEqual([
      "speed-changed",
      "tools-changed",
    ]);
  });

  it("each answer belongs to its call; the later request is the baseline", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000));
    watched.before(request(5), { callId: "a" });
    watched.before(request(7, { speed: "fast" }), { callId: "b" });
    expect(watched.after(usage(0, 60_000), { callId: "b" })).toMatchObject({
      callId: "b",
      reasons: [{ kind: "speed-changed" }],
    });
    expect(watched.after(usage(50_000, 2000), { callId: "a" })).toBeUndefined();
    expect(watched.after(usage(0, 1), { callId: "a" })).toBeUndefined();
    expect(watched.before(request(9, { speed: "fast" }))).toEqual([]);
  });

  it("sources are apart, and only so many are remembered", () => {
    const watched = watching({ settings: { cacheBreakSources: 2 } });
    const explore = { call: { source: "agent:explore" } };
    watched.call(request(3), usage(0, 50_000));
    expect(watched.call(request([user("other")]), usage(0, 3000), explore)).toBeUndefined();
    expect(watched.call(request(5), usage(0, 52_000))).toMatchObject({ source: "repl_main_thread" });
    watched.call(request([user("third")]), usage(0, 3000), { call: { source: "agent:plan" } });
    expect(watched.call(request(3), usage(0, 3000), explore)).toBeUndefined();
    watched.watch.forget("agent:explore");
    expect(watched.call(request(1), usage(0, 3000), explore)).toBeUndefined();
  });
});

describe("calls beside the conversation", () => {
  const fork = (prefixMessages: number) => ({ source: "session_memory", fork: { prefixMessages } });

  it("one with the whole prefix is judged, under its own name, and never becomes the baseline", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000));
    const beside = request([...conversation(4), user("write notes")], {
      messages: marked([...conversation(4), user("write notes")], hourMarker),
    });
    expect(watched.call(beside, usage(50_000, 0), { call: fork(3) })).toBeUndefined();
    expect(watched.call({ ...beside, speed: "fast" }, usage(0, 51_000), { call: fork(3) })).toMatchObject({
      source: "session_memory",
      expectedTokens: 50_000,
      reasons: [{ kind: "speed-changed" }],
    });
    expect(watched.before(request(5))).toEqual([]);
    expect(watched.after(usage(50_000, 2000))).toBeUndefined();
  });

  it("its question may join the last message of the prefix", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000));
    const last = conversation(3)[2] ?? user("");
    const joined = {
      role: "user" as const,
      content: [...last.content, { type: "text" as const, text: "sum up" }],
    };
    expect(
      watched.before(request([...conversation(2), joined as never]), {
        source: "compact",
        fork: { prefixMessages: 3 },
      }),
    ).toEqual([]);
  });

  it("one with a shorter prefix, or a summary that shares nothing, is never judged", () => {
    const watched = watching();
    watched.call(request(9), usage(0, 50_000));
    expect(
      watched.call(request([...conversation(4), user("?")]), usage(2000, 0), { call: fork(4) }),
    ).toBeUndefined();
    expect(
      watched.call(request([user("sum up")]), usage(0, 0), { call: { source: "compact" } }),
    ).toBeUndefined();
    expect(watched.call(request(11), usage(50_000, 2000))).toBeUndefined();
  });

  it("what it read lives on from there", () => {
    const after = (read: number) => {
      const watched = watching();
      watched.call(request(3), usage(0, 50_000));
      watched.wait(4 * 60_000);
      watched.call(request([...conversation(4), user("?")]), usage(read, 0), { call: fork(3) });
      watched.wait(4 * 60_000);
      return watched.call(request(5), usage(0, 52_000))?.reasons[0]?.kind;
    };
    expect(after(50_000)).toBe("server-side");
    expect(after(0)).toBe("expired");
  });

  it("that leaves out a marker whose time is over did not change the markers: it expired", () => {
    const after = (minutes: number, cacheControl: object) => {
      const watched = watching();
      watched.call(request(3, { messages: marked(conversation(3), cacheControl) }), usage(0, 50_000));
      watched.wait(minutes * 60_000);
      const messages = [...conversation(4), user("?")];
      return watched.call(request(5, { messages }), usage(0, 0), { call: fork(3) })?.reasons;
    };
    expect(after(6, marker)).toMatchObject([{ kind: "expired", ttl: "5m" }]);
    expect(after(61, hourMarker)).toMatchObject([{ kind: "expired", ttl: "1h" }]);
    const all = watching();
    all.call(request(3), usage(0, 50_000));
    all.wait(6 * 60_000);
    const unmarked = request(5, {
      tools: [tool("Read"), tool("Edit")],
      system: [
        { type: "text", text: "You are an agent." },
        { type: "text", text: "Today is Monday." },
      ],
      messages: [...conversation(4), user("?")],
    });
    expect(all.call(unmarked, usage(0, 0), { call: fork(3) })?.reasons).toMatchObject([{ kind: "expired" }]);
    const removed = [{ kind: "markers-changed", removed: ["messages"] }];
    expect(after(4, marker)).toEqual(removed);
    expect(after(6, hourMarker)).toEqual(removed);
  });

  it("that leaves out a marker behind thinking that the model drops did not change the markers", () => {
    const watched = watching();
    const change = { model: "claude-sonnet-4-5" };
    const thought: RequestMessage = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "tool_use", id: "a", name: "Read", input: {} },
      ],
    };
    const result = { type: "tool_result" as const, tool_use_id: "a", content: "out" };
    const sent: readonly RequestMessage[] = [user("question"), thought, { role: "user", content: [result] }];
    watched.call(request(sent, change), usage(0, 50_000));
    const asked: RequestMessage = { role: "user", content: [result, { type: "text", text: "?" }] };
    const beside = request(3, { ...change, messages: [...marked(sent.slice(0, 1)), thought, asked] });
    expect(watched.call(beside, usage(3000, 0), { call: fork(3) })?.reasons).toEqual([
      { kind: "thinking-stripped" },
    ]);
  });

  it("of another conversation than the main thread", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000), { call: { source: "sdk" } });
    const call = { source: "compact", fork: { prefixMessages: 3, of: "sdk" } };
    expect(watched.call(request(5, { tools: [] }), usage(0, 52_000), { call })).toMatchObject({
      source: "repl_main_thread",
      reasons: [{ kind: "tools-changed" }],
    });
  });

  it("is not judged while a deletion waits to be seen", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000));
    watched.watch.notifyDeletion("repl_main_thread", { deletedTokens: 9000, keepsPrefix: false });
    expect(watched.call(request(5), usage(0, 52_000), { call: fork(3) })).toBeUndefined();
    expect(watched.call(request(5), usage(0, 52_000))).toBeUndefined();
    expect(watched.call(request(7), usage(0, 52_000))).toBeDefined();
  });
});
