import { describe, expect, it } from "vitest";
import { assistant, cannedPlayer, createClient, marked, prose, text, user } from "../testing/client.js";

const tools = [
  { name: "Read", input_schema: { type: "object" } },
  { name: "Edit", input_schema: { type: "object" } },
];
const betas = ["context-management-2025-06-27"];

/** A conversation with `count` calls, results of about 1,000 tokens. */
const conversation = (count: number, name = "Read") => [
  user(text("begin")),
  ...Array.from({ length: count }, (_, index) => [
    assistant({
      type: "tool_use",
      id: `t${index}`,
      name,
      input: { path: `file-${index}.ts`, body: "x".repeat(200) },
    }),
    user({ type: "tool_result", tool_use_id: `t${index}`, content: prose(`result ${index}`, 1000) }),
  ]).flat(),
];
const body = (change: object) => ({ model: "claude-opus-5", max_tokens: 100, tools, ...change });
const clearing = (change: object = {}) => ({
  context_management: {
    edits: [{ type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 5000 }, ...change }],
  },
});
const applied = (message: { context_management?: unknown }) =>
  (message.context_management as { applied_edits: Record<string, number | string>[] }).applied_edits;

describe("clear_tool_uses", () => {
  it("clears the oldest results but three, and says how much", () => {
    const client = createClient();
    const messages = conversation(10);
    const plain = client.send(body({ messages }));
    const { message, verdict } = (() => {
      const outcome = client.call(body({ messages, ...clearing() }), { betas });
      if (outcome.kind !== "message") throw new Error("refused");
      return outcome;
    })();
    expect(applied(message)).toEqual([
      {
        type: "clear_tool_uses_20250919",
        cleared_tool_uses: 7,
        cleared_input_tokens: plain.promptTokens - verdict.promptTokens,
      },
    ]);
    expect(verdict.promptTokens).toBeLessThan(plain.promptTokens * 0.45);
  });

  it.each<[string, object, number]>([
    ["below the trigger", { trigger: { type: "input_tokens", value: 500_000 } }, 0],
    ["trigger by tool uses", { trigger: { type: "tool_uses", value: 9 } }, 7],
    ["keep more", { keep: { type: "tool_uses", value: 8 } }, 2],
    ["too little to gain", { clear_at_least: { type: "input_tokens", value: 50_000 } }, 0],
    ["excluded tools", { exclude_tools: ["Read"] }, 0],
  ])("%s", (_, change, cleared) => {
    const message = createClient().message(body({ messages: conversation(10), ...clearing(change) }), {
      betas,
    });
    expect(applied(message)[0]?.["cleared_tool_uses"] ?? 0).toBe(cleared);
  });

  it("clears inputs too where it is asked to", () => {
    const client = createClient();
    const messages = conversation(10, "Edit");
    const results = client.send(body({ messages, ...clearing() }), { betas }).promptTokens;
    const both = client.send(body({ messages, ...clearing({ clear_tool_inputs: ["Edit"] }) }), {
      betas,
    }).promptTokens;
    expect(both).toBeLessThan(results);
  });

  it("costs the cache from the first cleared block on", () => {
    const client = createClient();
    const send = (count: number) => {
      const messages = conversation(count);
      const last = user(text("go", marked));
      return client.send(body({ messages: [...messages, assistant(text("a")), last], ...clearing() }), {
        betas,
      });
    };
    send(9);
    // the boundary moves by one: everything after the newly cleared result is written again
    const next = send(10);
    expect(next.hit).toBeNull();
  });

  it("count_tokens previews it", () => {
    const client = createClient();
    const counted = client.count(body({ messages: conversation(10), ...clearing() }), { betas });
    expect(counted).toMatchObject({
      kind: "count",
      body: { context_management: { original_input_tokens: expect.any(Number) } },
    });
    if (counted.kind !== "count") return;
    const { original_input_tokens } = counted.body["context_management"] as { original_input_tokens: number };
    expect(counted.body["input_tokens"]).toBeLessThan(original_input_tokens);
  });
});

it("clear_thinking keeps the newest turns", () => {
  const client = createClient({
    player: cannedPlayer(
      ...Array.from({ length: 3 }, () => ({
        content: [
          { type: "thinking" as const, thinking: prose("thought", 500) },
          { type: "text" as const, text: "so" },
        ],
      })),
    ),
  });
  const thinking = { thinking: { type: "adaptive" } };
  const messages: object[] = [user(text("one"))];
  for (const next of ["two", "three", "four"]) {
    const { content } = client.message(body({ max_tokens: 5000, messages, ...thinking }));
    messages.push({ role: "assistant", content }, user(text(next)));
  }
  const edits = [{ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } }];
  const full = client.send(body({ messages, ...thinking })).promptTokens;
  const message = client.message(body({ messages, ...thinking, context_management: { edits } }), { betas });
  expect(applied(message)).toEqual([
    { type: "clear_thinking_20251015", cleared_thinking_turns: 2, cleared_input_tokens: expect.any(Number) },
  ]);
  const after = client.send(body({ messages, ...thinking, context_management: { edits } }), {
    betas,
  }).promptTokens;
  expect(full - after).toBe(applied(message)[0]?.["cleared_input_tokens"]);
});

it("clear_thinking decides on models that forget thinking, and has their default", () => {
  const thought = [
    { type: "thinking" as const, thinking: prose("thought", 500) },
    { type: "text" as const, text: "so" },
  ];
  const tokens = (keep: object) => {
    const client = createClient({ player: cannedPlayer({ content: thought }, { content: thought }) });
    const request = {
      model: "claude-haiku-4-5",
      max_tokens: 5000,
      thinking: { type: "enabled", budget_tokens: 1024 },
    };
    const messages: object[] = [user(text("one"))];
    for (const next of ["two", "three"]) {
      const { content } = client.message({ ...request, messages });
      messages.push({ role: "assistant", content }, user(text(next)));
    }
    const edits = { context_management: { edits: [{ type: "clear_thinking_20251015", ...keep }] } };
    const plain = client.send({ ...request, messages }).promptTokens;
    return { plain, kept: client.send({ ...request, messages, ...edits }, { betas }).promptTokens };
  };
  expect(tokens({ keep: "all" }).kept).toBeGreaterThan(tokens({ keep: "all" }).plain + 600);
  const byDefault = tokens({});
  expect(byDefault.kept - byDefault.plain).toBeGreaterThan(300);
  expect(byDefault.kept).toBeLessThan(tokens({ keep: "all" }).kept);
});

it("a system message for one turn is gone once the person has spoken again", () => {
  const client = createClient();
  const note = { role: "system", content: prose("note", 500), clear_at: "next_user_message" };
  const headers = { betas: ["mid-conversation-system-clear-at-2026-08-21"] };
  const now = [user(text("one")), note];
  const later = [...now, assistant(text("so")), user(text("two"))];
  expect(client.send(body({ messages: now }), headers).promptTokens).toBeGreaterThan(500);
  const without = client.send(body({ messages: later.filter((message) => message !== note) }), headers);
  expect(client.send(body({ messages: later }), headers).promptTokens).toBe(without.promptTokens);
});

describe("compaction at a threshold", () => {
  const compacting = (change: object = {}) => ({
    context_management: {
      edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 }, ...change }],
    },
  });
  const headers = { betas: ["compact-2026-01-12"] };
  const player = cannedPlayer(
    { content: [{ type: "text", text: "what happened so far" }] },
    { content: [{ type: "text", text: "going on" }] },
  );

  it("summarises, then answers; both are billed", () => {
    const client = createClient({ player });
    const outcome = client.call(body({ messages: conversation(60), ...compacting() }), headers);
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    const { message, verdict } = outcome;
    expect(message.content).toMatchObject([
      { type: "compaction", content: "what happened so far" },
      { type: "text", text: "going on" },
    ]);
    expect(message.usage.iterations).toMatchObject([{ type: "compaction" }, { type: "message" }]);
    expect(message.usage.input_tokens).toBeLessThan(2000);
    expect(verdict.cost).toBeGreaterThan(50_000 * 5e-6);
    expect(verdict.input).toBeGreaterThan(50_000);
  });

  it("pauses where it is told to", () => {
    const client = createClient({ player });
    const message = client.message(
      body({ messages: conversation(60), ...compacting({ pause_after_compaction: true }) }),
      headers,
    );
    expect(message).toMatchObject({
      stop_reason: "compaction",
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    expect(message.content).toHaveLength(1);
  });

  it("what stands before the block is ignored from then on", () => {
    const client = createClient({ player });
    const messages = conversation(60);
    const { content } = client.message(body({ messages, ...compacting() }), headers);
    const next = [...messages, { role: "assistant", content }, user(text("next"))];
    expect(client.send(body({ messages: next, ...compacting() }), headers).promptTokens).toBeLessThan(2000);
  });

  it("does nothing below its trigger", () => {
    const message = createClient({ player }).message(
      body({ messages: conversation(3), ...compacting() }),
      headers,
    );
    expect(message.content).toMatchObject([{ type: "text" }]);
  });
});

describe("compaction on demand", () => {
  const headers = { betas: ["compact-2026-09-04"] };
  const player = cannedPlayer({ content: [{ type: "text", text: "the story so far" }] });
  const compaction = { compaction: { type: "summarize" } };

  it("gives one signed block, billed apart", () => {
    const message = createClient({ player }).message(
      body({ messages: conversation(20), ...compaction }),
      headers,
    );
    expect(message).toMatchObject({
      content: [{ type: "compaction", content: "the story so far", signature: expect.any(String) }],
      stop_reason: "compaction",
      usage: { input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction" }] },
    });
  });

  it("the block must come back first, alone and unchanged", () => {
    const client = createClient({ player });
    const { content } = client.message(body({ messages: conversation(20), ...compaction }), headers);
    const [block] = content;
    const first = { role: "assistant", content: [block] };
    expect(client.send(body({ messages: [first, user(text("next"))] }), headers).promptTokens).toBeLessThan(
      2000,
    );
    const changed = { role: "assistant", content: [{ ...block, content: "another story" }] };
    expect(client.refusal(body({ messages: [changed, user(text("next"))] }), headers).errorCode).toBe(
      "compaction_content_mismatch",
    );
    const forged = { role: "assistant", content: [{ ...block, signature: "forged" }] };
    expect(client.refusal(body({ messages: [forged, user(text("next"))] }), headers).errorCode).toBe(
      "compaction_signature_invalid",
    );
    const late = [user(text("hi")), first, user(text("next"))];
    expect(client.refusal(body({ messages: late }), headers).errorCode).toBe("compaction_block_misplaced");
  });

  it("no summary is no error", () => {
    const client = createClient({ player: cannedPlayer({ content: [] }) });
    expect(client.message(body({ messages: conversation(20), ...compaction }), headers)).toMatchObject({
      content: [],
      stop_reason: "end_turn",
    });
  });
});

describe("the private cache edits", () => {
  const result = (index: number) => ({
    type: "tool_result",
    tool_use_id: `t${index}`,
    content: prose(`result ${index}`, 1000),
    cache_reference: `t${index}`,
  });
  const calls = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      assistant({ type: "tool_use", id: `t${index}`, name: "Read", input: {} }),
      user({ ...result(index), ...(index === count - 1 ? marked : {}) }),
    ]).flat();

  it("delete results inside what is cached, without breaking it", () => {
    const client = createClient({ cacheEdits: true });
    const before = client.send(body({ messages: [user(text("begin")), ...calls(6)] }));
    const edits = {
      type: "cache_edits",
      edits: [
        { type: "delete", cache_reference: "t0" },
        { type: "delete", cache_reference: "t1" },
      ],
    };
    const messages = [user(text("begin")), ...calls(6), assistant(text("so")), user(text("next"), edits)];
    const outcome = client.call(body({ messages }));
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    const deleted = Number(outcome.message.usage["cache_deleted_input_tokens"]);
    expect(deleted).toBeGreaterThan(1500);
    expect(outcome.verdict.cacheRead).toBe(before.promptTokens - deleted);
  });
});
