import { describeReasons } from "./describe-reason.js";
import { describe, expect, it } from "vitest";
import type { RequestMessage } from "../../messages/content.js";
import type { BreakReason } from "../events/break-reason.js";
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

const image = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
const paper = { type: "document", source: { type: "text", data: "x" }, citations: { enabled: true } };

describe("the reason of a break", () => {
  it.each<[string, object, BreakReason, string]>([
    [
      "another model",
      { model: "claude-sonnet-5" },
      { kind: "model-changed", from: "claude-opus-5", to: "claude-sonnet-5" },
      "model changed (claude-opus-5 → claude-sonnet-5)",
    ],
    [
      "fast mode",
      { speed: "fast" },
      { kind: "speed-changed", from: "standard", to: "fast" },
      "speed changed (standard → fast)",
    ],
    [
      "a tool more, one less, one another",
      { tools: [tool("Edit", "edits"), tool("Write")] },
      { kind: "tools-changed", added: ["Write"], removed: ["Read"], changed: ["Edit"], reordered: false },
      "tools changed (+1/−1, +Write, −Read, changed: Edit)",
    ],
    [
      "tools in another order",
      { tools: [tool("Edit"), tool("Read")] },
      { kind: "tools-changed", added: [], removed: [], changed: [], reordered: true },
      "tools changed (+0/−0, in another order)",
    ],
    [
      "a system block",
      {
        system: [
          { type: "text", text: "You are an agent." },
          { type: "text", text: "Today is Wednesday.", cache_control: marker },
        ],
      },
      { kind: "system-changed", charsDelta: 3, sections: [{ name: "block 2", change: "changed" }] },
      "system prompt changed (+3 chars, section `block 2`)",
    ],
    [
      "effort",
      { output_config: { effort: "low" } },
      { kind: "effort-changed", from: "high", to: "low" },
      "effort changed (high → low)",
    ],
    [
      "thinking",
      { thinking: { type: "adaptive" } },
      { kind: "thinking-changed", from: "none", to: '{"type":"adaptive"}' },
      'thinking changed (none → {"type":"adaptive"})',
    ],
    [
      "tool choice",
      { tool_choice: { type: "any" } },
      { kind: "body-changed", fields: ["tool_choice"] },
      "body changed (tool_choice)",
    ],
    [
      "the format of the answer, and a field that nobody knows",
      { output_config: { format: { type: "json_schema" } }, mcp_servers: [] },
      { kind: "body-changed", fields: ["output_config.format", "mcp_servers"] },
      "body changed (output_config.format, mcp_servers)",
    ],
    [
      "an image",
      { messages: marked([...conversation(4), { role: "user", content: [image] } as never]) },
      { kind: "images-changed", present: true },
      "the first image came in",
    ],
    [
      "citations",
      { messages: marked([...conversation(4), { role: "user", content: [paper] } as never]) },
      { kind: "citations-changed", present: true },
      "citations turned on",
    ],
    [
      "an earlier message",
      { messages: marked([user("question 0"), assistant("another"), ...conversation(5).slice(2)]) },
      { kind: "messages-changed", position: 1, of: 3 },
      "messages changed from position 1 of 3 on",
    ],
    [
      "a shorter list",
      { messages: marked(conversation(1)) },
      { kind: "messages-changed", position: 1, of: 3 },
      "messages changed from position 1 of 3 on",
    ],
    [
      "no markers",
      { messages: conversation(5), tools: [tool("Read"), tool("Edit")], system: request(1).system },
      { kind: "markers-changed", removed: ["messages"] },
      "markers changed (none left on messages)",
    ],
    [
      "another lifetime",
      { messages: marked(conversation(5), hourMarker) },
      { kind: "markers-changed", ttl: { from: "5m", to: "1h" } },
      "markers changed (TTL 5m → 1h)",
    ],
    [
      "another scope",
      {
        system: [
          { type: "text", text: "You are an agent." },
          { type: "text", text: "Today is Monday.", cache_control: { ...marker, scope: "global" } },
        ],
      },
      { kind: "markers-changed", scope: { from: "org", to: "global" } },
      "markers changed (scope org → global)",
    ],
    ["nothing", {}, { kind: "server-side" }, "likely server-side"],
  ])("%s", (_, change, reason, summary) => {
    const found = second(change);
    expect(found?.reasons).toEqual([reason]);
    expect(describeReasons(found?.reasons ?? [])).toBe(summary);
  });

  it("names the sections, and why a volatile one is computed anew", () => {
    const because = "the date is in it";
    const before = [
      { name: "rules", text: "a" },
      { name: "env", text: "Monday", volatileBecause: because },
      { name: "old", text: "x" },
    ];
    const now = [
      { name: "rules", text: "a" },
      { name: "env", text: "Tuesday", volatileBecause: because },
      { name: "new", text: "y" },
    ];
    const found = second(
      { system: "a\nTuesday\ny" },
      { first: { system: "a\nMonday\nx" }, before: { sections: before }, now: { sections: now } },
    );
    expect(found?.reasons).toEqual([
      {
        kind: "system-changed",
        charsDelta: 1,
        sections: [
          { name: "env", change: "changed", volatileBecause: because },
          { name: "new", change: "added" },
          { name: "old", change: "removed" },
        ],
      },
    ]);
    expect(describeReasons(found?.reasons ?? [])).toContain(
      "+1 chars, section `env`, volatile: the date is in it",
    );
  });

  it("what is not in the body", () => {
    const found = second(
      {},
      {
        before: { betas: ["b", "a"], facts: { autoMode: false, edits: [1], plan: "x" } },
        now: {
          betas: ["c", "a"],
          facts: { autoMode: true, overage: true, scopeStrategy: "tools", edits: [1, 2], plan: "y" },
        },
      },
    );
    expect(found?.reasons).toEqual([
      { kind: "markers-changed", scope: { from: "none", to: "tools" } },
      { kind: "betas-changed", added: ["c"], removed: ["b"] },
      { kind: "edits-changed" },
      { kind: "auto-mode-changed", isOn: true },
      { kind: "overage-changed", isOn: true },
      { kind: "facts-changed", names: ["plan"] },
    ]);
  });

  it("all changes, in the order of the prompt", () => {
    const found = second({
      tools: [],
      system: "other",
      thinking: { type: "adaptive" },
      messages: [user("x")],
    });
    expect(found?.reasons.map(({ kind }) => kind)).toEqual([
      "tools-changed",
      "system-changed",
      "markers-changed",
      "thinking-changed",
      "messages-changed",
    ]);
  });

  it("expiry, by the lifetime that the entries had", () => {
    const after = (minutes: number, cacheControl: object) => {
      const watched = watching();
      const sent = (count: number) =>
        request(count, { tools: [], system: "s", messages: marked(conversation(count), cacheControl) });
      watched.call(sent(3), usage(0, 50_000));
      watched.wait(minutes * 60_000);
      return watched.call(sent(5), usage(0, 52_000));
    };
    expect(after(4, marker)?.reasons).toEqual([{ kind: "server-side" }]);
    expect(after(6, marker)?.reasons).toEqual([{ kind: "expired", ttl: "5m", gapMs: 370_000 }]);
    expect(describeReasons(after(6, marker)?.reasons ?? [])).toBe(
      "possible TTL expiry (6 min without a request, lifetime 5 min)",
    );
    expect(after(6, hourMarker)?.reasons).toEqual([{ kind: "server-side" }]);
    expect(after(61, hourMarker)?.reasons).toMatchObject([{ kind: "expired", ttl: "1h" }]);
    expect(after(200, marker)?.reasons).toMatchObject([{ kind: "expired", ttl: "5m" }]);
  });

  it("a turn of more blocks than a marker looks back over", () => {
    const blocks = (count: number) => ({
      role: "user" as const,
      content: Array.from({ length: count }, (_, index) => ({ type: "text" as const, text: `${index}` })),
    });
    const after = (count: number) => {
      const watched = watching();
      watched.call(request(3), usage(0, 50_000));
      return watched.call(request([...conversation(4), blocks(count)]), usage(20_000, 32_000));
    };
    expect(after(18)?.reasons).toEqual([{ kind: "server-side" }]);
    expect(after(19)?.reasons).toEqual([{ kind: "outside-lookback", blocks: 20 }]);
  });

  it("models that drop thinking of earlier turns", () => {
    const model = "claude-sonnet-4-5";
    const thought = [
      user("question 0"),
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "a" },
        ],
      } as const,
    ];
    const watched = watching();
    watched.call(request(thought, { model }), usage(0, 50_000));
    const found = watched.call(request([...thought, user("next")], { model }), usage(30_000, 20_000));
    expect(found?.reasons).toEqual([{ kind: "thinking-stripped" }]);
  });

  describe("thinking that is dropped where a person speaks behind results", () => {
    const model = "claude-sonnet-4-5";
    const thought = (id: string) =>
      ({
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "tool_use", id, name: "Read", input: {} },
        ],
      }) as const;
    const results = (id: string, ...said: readonly string[]): RequestMessage => ({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, content: "out" },
        ...said.map((text) => ({ type: "text" as const, text })),
      ],
    });
    const begun = [user("question"), thought("a"), results("a")];
    const after = (before: readonly RequestMessage[], now: readonly RequestMessage[]) => {
      const watched = watching();
      watched.call(request(before, { model }), usage(0, 50_000));
      return watched.call(request(now, { model }), usage(30_000, 20_000))?.reasons;
    };

    it("in a further message", () => {
      expect(after(begun, [...begun, thought("b"), results("b", "and now?")])).toEqual([
        { kind: "thinking-stripped" },
      ]);
    });

    it("in the last message, which grew", () => {
      expect(after(begun, [...begun.slice(0, 2), results("a", "and now?")])).toEqual([
        { kind: "thinking-stripped" },
      ]);
    });

    it("is no reason where nobody speaks, nor where it was dropped before", () => {
      expect(after(begun, [...begun, thought("b"), results("b")])).toEqual([{ kind: "server-side" }]);
      const spoken = [...begun.slice(0, 2), results("a", "and now?")];
      expect(after(spoken, [...spoken, thought("b"), results("b", "and then?")])).toEqual([
        { kind: "server-side" },
      ]);
    });
  });

  it("another model that answered in place of the one asked", () => {
    const watched = watching();
    watched.call(request(3), usage(0, 50_000), { answer: { model: "claude-opus-5" } });
    const found = watched.call(request(5), usage(0, 52_000), { answer: { model: "claude-sonnet-5" } });
    expect(found?.reasons).toEqual([{ kind: "model-changed", from: "claude-opus-5", to: "claude-sonnet-5" }]);
    expect(found?.model).toBe("claude-sonnet-5");
  });
});

describe("no change", () => {
  it.each<[string, object, object]>([
    ["the marker moves on and the answer grows", {}, {}],
    [
      "what is written out is the default",
      {},
      { output_config: { effort: "high" }, speed: "standard", tool_choice: { type: "auto" } },
    ],
    [
      "fields that no prefix depends on",
      {},
      { max_tokens: 1, stream: true, metadata: { user_id: "u" }, temperature: 1, diagnostics: {} },
    ],
    [
      "a deferred tool",
      {},
      { tools: [...(request(1).tools ?? []), { ...tool("Later"), defer_loading: true }] },
    ],
    ["the marker on the tools yields", {}, { tools: [tool("Read"), tool("Edit")] }],
    ["a text and a list of one text", { system: "s" }, { system: [{ type: "text", text: "s" }] }],
  ])("%s", (_, first, change) => {
    expect(second(change, { first })?.reasons).toEqual([{ kind: "server-side" }]);
  });

  it("the last message grows by blocks; a changed block in it is a change", () => {
    const results = (text: string, ...more: string[]) => ({
      role: "user" as const,
      content: [
        { type: "tool_result" as const, tool_use_id: "t", content: text },
        ...more.map((item) => ({ type: "text" as const, text: item })),
      ],
    });
    const after = (last: object) => {
      const watched = watching();
      watched.call(request([...conversation(2), results("out")]), usage(0, 50_000));
      return watched.before(request([...conversation(2), last as never]));
    };
    expect(after(results("out", "and now?"))).toEqual([]);
    expect(after(results("other", "and now?"))).toEqual([{ kind: "messages-changed", position: 2, of: 3 }]);
  });

  it("a caller's list that it appends to is what it was when it was sent", () => {
    const messages = [...conversation(3)];
    const watched = watching();
    watched.call(request(3, { messages }), usage(0, 50_000));
    messages[1] = assistant("other");
    expect(watched.before(request(3, { messages }))).toEqual([
      { kind: "messages-changed", position: 1, of: 3 },
    ]);
  });
});
