import { describe, expect, it } from "vitest";
import {
  assistant,
  cannedPlayer,
  createClient,
  marked,
  markedLong,
  prose,
  text,
  user,
} from "../testing/client.js";

const tool = (name: string, more: object = {}) => ({
  name,
  description: prose(`tool ${name}`, 700),
  input_schema: { type: "object", properties: { path: { type: "string" } } },
  ...more,
});

/** Tools, system and messages, each ending in a marker, each long enough to be cached. */
const base = (change: object = {}) => ({
  model: "claude-opus-5",
  max_tokens: 1000,
  tools: [tool("Read"), tool("Bash", marked)],
  system: [text(prose("system"), marked)],
  messages: [user(text(prose("question"))), assistant(text("answer")), user(text(prose("second"), marked))],
  ...change,
});

/** What a change to the request leaves of the cache that `base()` wrote. */
function kept(change: object, sent: object = {}): "tools" | "system" | "messages" | "nothing" {
  const client = createClient();
  client.send(base());
  const { hit } = client.send(base(change), sent);
  if (hit === null) return "nothing";
  return hit.path.split(".")[0] as "tools" | "system" | "messages";
}

describe("a request that is sent again", () => {
  it("is written, then read", () => {
    const client = createClient();
    const first = client.send(base());
    expect(first).toMatchObject({ cacheRead: 0, cacheWrite1h: 0, hit: null });
    expect(first.cacheWrite5m).toBe(first.promptTokens);
    expect(first.input).toBe(0);
    const second = client.send(base());
    expect(second).toMatchObject({ cacheRead: first.promptTokens, cacheWrite5m: 0, input: 0, misses: [] });
  });

  it("grows: the old prefix is read, the rest written, what follows the marker is input", () => {
    const client = createClient();
    const first = client.send(base());
    const grown = [
      ...base().messages,
      assistant(text("so")),
      user(text(prose("third"), marked), text("tail")),
    ];
    const second = client.send(base({ messages: grown }));
    expect(second.cacheRead).toBe(first.promptTokens);
    expect(second.input).toBeGreaterThan(0);
    expect(second.cacheRead + second.cacheWrite5m + second.input).toBe(second.promptTokens);
  });

  it("without markers nothing is cached", () => {
    const client = createClient();
    const body = { model: "claude-opus-5", max_tokens: 10, messages: [user(text(prose("long", 3000)))] };
    client.send(body);
    expect(client.send(body)).toMatchObject({
      cacheRead: 0,
      cacheWrite5m: 0,
      misses: [{ reason: "no-marker" }],
    });
  });

  it("inference in one country costs a tenth more", () => {
    const client = createClient();
    const first = client.send(base());
    client.simulator.reset();
    expect(client.send(base({ inference_geo: "us" })).cost).toBeCloseTo(first.cost * 1.1, 12);
  });

  it("costs what the model's prices say", () => {
    const client = createClient();
    const first = client.send(base());
    expect(first.cost).toBeCloseTo((first.cacheWrite5m * 6.25 + first.output * 25) / 1e6, 12);
    const second = client.send(base());
    expect(second.cost).toBeCloseTo((second.cacheRead * 0.5 + second.output * 25) / 1e6, 12);
  });
});

describe("the invalidation table", () => {
  const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
  const withImage = [
    user(text(prose("question"))),
    assistant(text("answer")),
    user(text(prose("second"), marked), image),
  ];
  const withCitations = [
    user(text(prose("question"))),
    assistant(text("answer")),
    user(text(prose("second"), marked), {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "facts" },
      citations: { enabled: true },
    }),
  ];
  const edited = [
    user(text(prose("edited"))),
    assistant(text("answer")),
    user(text(prose("second"), marked)),
  ];
  it.each<[string, object, "tools" | "system" | "messages" | "nothing", object?]>([
    ["nothing changed", {}, "messages"],
    [
      "a tool's definition",
      { tools: [tool("Read", { description: prose("new") }), tool("Bash", marked)] },
      "nothing",
    ],
    ["the order of tools", { tools: [tool("Bash"), tool("Read", marked)] }, "nothing"],
    ["a tool added in front", { tools: [tool("Grep"), tool("Read"), tool("Bash", marked)] }, "nothing"],
    ["the model", { model: "claude-opus-4-8" }, "nothing"],
    ["the system text", { system: [text(prose("other system"), marked)] }, "tools"],
    ["speed", { speed: "fast" }, "tools"],
    [
      "web search",
      { tools: [tool("Read"), tool("Bash", marked), { type: "web_search_20260318", name: "web_search" }] },
      "tools",
    ],
    [
      "web fetch",
      { tools: [tool("Read"), tool("Bash", marked), { type: "web_fetch_20260318", name: "web_fetch" }] },
      "tools",
    ],
    ["citations", { messages: withCitations }, "tools"],
    ["tool_choice", { tool_choice: { type: "any" } }, "system"],
    ["tool_choice made explicit", { tool_choice: { type: "auto" } }, "messages"],
    [
      "disable_parallel_tool_use",
      { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      "system",
    ],
    ["an image where there was none", { messages: withImage }, "system"],
    ["thinking", { thinking: { type: "adaptive" } }, "system"],
    ["effort", { output_config: { effort: "low" } }, "system"],
    ["effort made explicit", { output_config: { effort: "high" } }, "messages"],
    [
      "an output format",
      { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
      "system",
    ],
    ["an earlier message", { messages: edited }, "system"],
    ["a beta header", {}, "system", { betas: ["compact-2026-01-12"] }],
    ["another API key", {}, "nothing", { workspace: "key-2" }],
    ["max_tokens", { max_tokens: 2000 }, "messages"],
    ["metadata", { metadata: { user_id: "u" } }, "messages"],
    ["stop sequences", { stop_sequences: ["STOP"] }, "messages"],
  ])("%s", (_, change, expected, sent) => {
    expect(kept(change, sent)).toBe(expected);
  });

  it("deferred tools are no part of the prompt", () => {
    expect(
      kept({ tools: [tool("Read"), tool("Bash", marked), tool("Later", { defer_loading: true })] }),
    ).toBe("messages");
  });

  it("defaults made explicit change nothing", () => {
    expect(kept({ tool_choice: { type: "auto", disable_parallel_tool_use: false } })).toBe("messages");
  });

  it("a forced choice is never read from the cache", () => {
    const client = createClient();
    const first = client.send(base());
    expect(client.send(base({ tool_choice: { type: "any" } })).cacheRead).toBeLessThan(first.cacheWrite5m);
  });

  it("citations inside a result are seen", () => {
    const result = (enabled: boolean) => ({
      type: "tool_result",
      tool_use_id: "t1",
      content: [
        { type: "search_result", source: "s", title: "t", content: [text("facts")], citations: { enabled } },
      ],
    });
    const say = (enabled: boolean) => [
      user(text(prose("question"))),
      assistant({ type: "tool_use", id: "t1", name: "Read", input: {} }),
      user(result(enabled), text("so", marked)),
    ];
    const client = createClient();
    client.send(base({ messages: say(false) }));
    expect(client.send(base({ messages: say(true) })).hit?.path).toBe("tools.1");
  });

  it("a marker that moved within a known conversation is found", () => {
    const [u1, said, u2, said2, u3] = [
      user(text(prose("one", 1500))),
      assistant(text("a")),
      user(text(prose("two"))),
      assistant(text("b")),
      user(text("three")),
    ];
    const u2marked = user(text(prose("two"), marked));
    const client = createClient();
    const send = (messages: object[]) => client.send({ model: "claude-opus-5", max_tokens: 10, messages });
    send([u1, said, u2, said2, u3]);
    send([u1, said, u2marked]);
    expect(send([u1, said, u2marked, said2, u3]).hit?.path).toBe("messages.2.content.0");
  });

  it("context_management is part of the messages' key", () => {
    const edits = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };
    expect(kept(edits, { betas: ["context-management-2025-06-27"] })).toBe("system");
  });

  it("where markers stand is not", () => {
    const client = createClient();
    client.send(base());
    const messages = [
      user(text(prose("question"), marked)),
      assistant(text("answer")),
      user(text(prose("second"))),
    ];
    const moved = client.send(base({ messages }));
    // nothing was written at the first message, so the read ends before it
    expect(moved.hit?.path).toBe("system.0");
    expect(client.send(base()).hit?.path).toBe("messages.2.content.0");
  });

  it("key order inside a tool's input is", () => {
    const say = (input: object) => [
      user(text(prose("question"))),
      assistant({ type: "tool_use", id: "t1", name: "Read", input }),
      user({ type: "tool_result", tool_use_id: "t1", content: prose("result"), ...marked }),
    ];
    const client = createClient();
    client.send(base({ messages: say({ a: 1, b: 2 }) }));
    expect(client.send(base({ messages: say({ a: 1, b: 2 }) })).hit?.path).toBe("messages.2.content.0");
    expect(client.send(base({ messages: say({ b: 2, a: 1 }) })).hit?.path).toBe("system.0");
  });

  it("a string is the same as one text block", () => {
    const client = createClient();
    client.send(base());
    const messages = [
      { role: "user", content: prose("question") },
      assistant(text("answer")),
      user(text(prose("second"), marked)),
    ];
    expect(client.send(base({ messages })).hit?.path).toBe("messages.2.content.0");
  });

  it("models that forget thinking lose the cache from the stripped block on; others do not", () => {
    const run = (model: string) => {
      const client = createClient({
        player: cannedPlayer({
          content: [
            { type: "thinking", thinking: prose("thought") },
            { type: "text", text: "a" },
          ],
        }),
      });
      const thinking = {
        thinking: { type: "enabled", budget_tokens: 2000 },
        max_tokens: 9000,
        model,
        tools: [],
      };
      const start = [user(text(prose("question", 6000), marked))];
      const answer = client.message({ ...base(), ...thinking, messages: start });
      const loop = [
        ...start,
        { role: "assistant", content: answer.content },
        user(text(prose("next", 3000), marked)),
      ];
      client.send({ ...base(), ...thinking, messages: loop });
      const later = [
        ...loop.slice(0, 2),
        user(text(prose("next", 3000))),
        assistant(text("b")),
        user(text("c", marked)),
      ];
      return client.send({ ...base(), ...thinking, messages: later });
    };
    expect(run("claude-opus-4-5").hit?.path).toBe("messages.2.content.0");
    // the thinking was never part of a prompt that ends with a plain turn, so nothing is lost there either
    expect(run("claude-haiku-4-5").hit?.path).toBe("messages.2.content.0");
  });

  it("a plain turn after a tool loop loses the loop's thinking on models that forget", () => {
    const run = (model: string) => {
      const client = createClient({
        player: cannedPlayer({
          content: [
            { type: "thinking", thinking: prose("thought") },
            { type: "tool_use", id: "t1", name: "Read", input: {} },
          ],
        }),
      });
      const body = { ...base(), model, thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 9000 };
      const start = [user(text(prose("question", 6000), marked))];
      const answer = client.message({ ...body, messages: start });
      const result = { type: "tool_result", tool_use_id: "t1", content: prose("result", 3000) };
      const loop = [...start, { role: "assistant", content: answer.content }];
      client.send({ ...body, messages: [...loop, user({ ...result, ...marked })] });
      return client.send({
        ...body,
        messages: [...loop, user(result), assistant(text("done")), user(text("thanks", marked))],
      });
    };
    expect(run("claude-opus-4-5").hit?.path).toBe("messages.2.content.0");
    expect(run("claude-sonnet-4-5").hit?.path).toBe("messages.0.content.0");
  });
});

describe("lookback", () => {
  /** A request with `count` message blocks, one per message, the last one marked. */
  const blocks = (count: number) => ({
    model: "claude-opus-5",
    max_tokens: 10,
    messages: Array.from({ length: count }, (_, index) => {
      const block = text(prose(`block ${index}`, 600), index === count - 1 ? marked : {});
      return index % 2 === 0 ? user(block) : assistant(block);
    }).concat(count % 2 === 0 ? [user(text("go on"))] : []),
  });

  it.each([
    [15, 34, true],
    [15, 35, false],
    [1, 20, true],
    [1, 21, false],
  ])("written at block %i, marked at block %i: hit %s", (written, asked, isHit) => {
    const client = createClient();
    client.send(blocks(written));
    const verdict = client.send(blocks(asked));
    expect(verdict.hit !== null).toBe(isHit);
    if (!isHit) expect(verdict.misses.at(-1)?.reason).toBe("outside-lookback");
  });

  it("goes on at the next earlier marker", () => {
    const client = createClient();
    client.send(blocks(15));
    const body = blocks(55);
    const messages = body.messages.map((message, index) =>
      index === 30 ? user(text(prose(`block 30`, 600), marked)) : message,
    );
    expect(client.send({ ...body, messages }).hit?.path).toBe("messages.14.content.0");
  });

  it("every tool and system block is a position", () => {
    const client = createClient();
    const tools = Array.from({ length: 19 }, (_, index) => tool(`T${index}`));
    const body = (count: number) => ({
      model: "claude-opus-5",
      max_tokens: 10,
      tools: tools.map((item, index) => (index === 0 && count === 0 ? { ...item, ...marked } : item)),
      system: [text("short", count === 1 ? marked : {})],
      messages: [user(text("hi", count === 2 ? marked : {}))],
    });
    client.send(body(0));
    expect(client.send(body(1)).hit?.path).toBe("tools.0");
    client.simulator.reset();
    client.send(body(0));
    expect(client.send(body(2)).hit).toBeNull();
  });
});

describe("time", () => {
  const at = (marker: object) =>
    base({ tools: [], system: [], messages: [user(text(prose("question", 2000), marker))] });

  it.each([
    ["5m", marked, 299_999, true],
    ["5m", marked, 300_000, false],
    ["1h", markedLong, 3_599_999, true],
    ["1h", markedLong, 3_600_000, false],
  ])("%s: after %#", (_, marker, milliseconds, isHit) => {
    const client = createClient();
    client.send(at(marker));
    client.simulator.advance(milliseconds);
    const verdict = client.send(at(marker));
    expect(verdict.hit !== null).toBe(isHit);
    if (!isHit) expect(verdict.misses).toMatchObject([{ reason: "expired" }]);
  });

  it("a read renews the time, free of charge", () => {
    const client = createClient();
    client.send(at(marked));
    for (let round = 0; round < 5; round += 1) {
      client.simulator.advance(290_000);
      expect(client.send(at(marked))).toMatchObject({ cacheWrite5m: 0, input: 0 });
    }
  });

  it("an entry can be read only once the response that writes it has begun", () => {
    const client = createClient({
      player: cannedPlayer({ content: [{ type: "text", text: "slow" }], delivery: { delayMs: 5000 } }),
    });
    client.send(at(marked));
    client.simulator.advance(4999);
    expect(client.send(at(marked)).misses).toMatchObject([{ reason: "not-readable-yet" }]);
    client.simulator.advance(1);
    expect(client.send(at(marked)).hit).not.toBeNull();
  });

  it("a second writer that answers sooner makes the entry readable", () => {
    const slow = { content: [{ type: "text" as const, text: "slow" }], delivery: { delayMs: 60_000 } };
    const client = createClient({ player: cannedPlayer(slow) });
    client.send(at(marked));
    client.simulator.advance(1000);
    client.send(at(marked));
    client.simulator.advance(1000);
    expect(client.send(at(marked)).hit).not.toBeNull();
  });

  it("a response that is held back on its way makes its entry readable only then", () => {
    const client = createClient();
    const call = {
      endpoint: "messages",
      body: at(marked),
      workspace: "key-1",
      betas: [],
      apiVersion: "2026-10-21",
    } as const;
    client.simulator.call({ ...call, delayMs: 2000 });
    client.simulator.advance(1999);
    expect(client.send(at(marked)).misses).toMatchObject([{ reason: "not-readable-yet" }]);
  });

  it("time runs from the start of the request, not of the response", () => {
    const client = createClient({
      player: cannedPlayer({ content: [{ type: "text", text: "slow" }], delivery: { delayMs: 200_000 } }),
    });
    client.send(at(marked));
    client.simulator.advance(300_000);
    expect(client.send(at(marked)).hit).toBeNull();
  });

  it("1h before 5m: each part is written at its own price", () => {
    const client = createClient();
    const body = base({ tools: [], system: [text(prose("system", 1000), markedLong)] });
    const first = client.send(body);
    expect(first.cacheWrite1h).toBeGreaterThan(0);
    expect(first.cacheWrite5m).toBeGreaterThan(0);
    expect(first.cacheWrite1h + first.cacheWrite5m).toBe(first.promptTokens);
    client.simulator.advance(600_000);
    const second = client.send(body);
    expect(second).toMatchObject({
      cacheRead: first.cacheWrite1h,
      cacheWrite5m: first.cacheWrite5m,
      cacheWrite1h: 0,
    });
  });
});

describe("minimum prefix", () => {
  it.each([
    ["claude-opus-5", 512],
    ["claude-sonnet-5", 1024],
    ["claude-opus-4-7", 2048],
    ["claude-haiku-4-5", 4096],
  ])("%s: %i tokens", (model, minimum) => {
    const client = createClient();
    const body = (words: number) => ({
      model,
      max_tokens: 10,
      messages: [user(text("word ".repeat(words), marked))],
    });
    let words = 1;
    const tokens = (): number => {
      const counted = client.count(body(words));
      return counted.kind === "count" ? Number(counted.body["input_tokens"]) : 0;
    };
    while (tokens() < minimum) words += 1;
    expect(client.send(body(words)).cacheWrite5m).toBeGreaterThanOrEqual(minimum);
    expect(client.send(body(words - 1))).toMatchObject({
      cacheWrite5m: 0,
      cacheRead: 0,
      misses: [{ reason: "below-minimum" }],
    });
  });
});

describe("other breakpoints", () => {
  it("the automatic marker goes to the last block", () => {
    const client = createClient();
    const body = (messages: object[]) => ({ model: "claude-opus-5", max_tokens: 10, ...marked, messages });
    const start = [user(text(prose("question", 2000)))];
    const first = client.send(body(start));
    expect(first.cacheWrite5m).toBe(first.promptTokens);
    const second = client.send(body([...start, assistant(text("a")), user(text("b"))]));
    expect(second).toMatchObject({ cacheRead: first.promptTokens, input: 0 });
  });

  it("what server tools returned gets one of its own, once there is a marker", () => {
    const search = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    ];
    const body = (marker: object) => ({
      model: "claude-opus-5",
      max_tokens: 10,
      messages: [
        user(text(prose("question", 2000), marker)),
        assistant(...search, text("found")),
        user(text("thanks")),
      ],
    });
    const client = createClient();
    client.send(body({}));
    expect(client.send(body({})).hit).toBeNull();
    client.send(body(marked));
    expect(client.send(body(marked)).hit?.path).toBe("messages.1.content.1");
  });

  it("max_tokens 0 warms the cache and says nothing", () => {
    const client = createClient();
    const message = client.message(base({ max_tokens: 0 }));
    expect(message).toMatchObject({ content: [], stop_reason: "max_tokens", usage: { output_tokens: 0 } });
    expect(client.send(base()).input).toBe(0);
  });
});

describe("why a marker missed", () => {
  it.each<[string, object, object]>([
    ["tools", { tools: [tool("Other", marked)] }, { reason: "tools-changed" }],
    ["system", { system: [text(prose("other"), marked)] }, { reason: "system-changed" }],
    ["settings", { output_config: { effort: "low" } }, { reason: "settings-changed" }],
    [
      "messages",
      {
        messages: [
          user(text(prose("edited"))),
          assistant(text("answer")),
          user(text(prose("second"), marked)),
        ],
      },
      { reason: "messages-changed", changedPath: "messages.0" },
    ],
  ])("%s changed", (_, change, expected) => {
    const client = createClient();
    client.send(base());
    expect(client.send(base(change)).misses.at(-1)).toMatchObject(expected);
  });

  it("growth is no loss", () => {
    const client = createClient();
    client.send(base());
    const grown = [...base().messages, assistant(text("so")), user(text(prose("third"), marked))];
    expect(client.send(base({ messages: grown })).misses).toEqual([
      { path: "messages.4.content.0", reason: "first-seen" },
    ]);
  });
});
