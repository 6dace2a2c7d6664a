import { describe, expect, it } from "vitest";
import { cannedPlayer, createClient, marked, prose, text, user } from "../testing/client.js";

const tools = [{ name: "Read", input_schema: { type: "object" } }];
const thought = (name: string) => ({
  content: [
    { type: "thinking" as const, thinking: prose(name, 100) },
    { type: "tool_use" as const, name: "Read", input: { path: name } },
  ],
});

/** Three rounds of thinking and calling, as a client would hold them. */
function run(model: string, options: object = {}) {
  const client = createClient({
    player: cannedPlayer(thought("one"), thought("two"), thought("three")),
    ...options,
  });
  const body = (messages: object[], change: object = {}) => ({
    model,
    max_tokens: 4000,
    tools,
    thinking: { type: "adaptive" },
    system: "be good",
    messages,
    ...change,
  });
  const messages: object[] = [user(text("begin"))];
  for (let round = 0; round < 3; round += 1) {
    const { content } = client.message(body(messages));
    const id = (content[1] as { id: string }).id;
    messages.push(
      { role: "assistant", content },
      user({ type: "tool_result", tool_use_id: id, content: prose(`r${round}`, 100) }),
    );
  }
  return { client, body, messages };
}

interface Held {
  role: string;
  content: Record<string, unknown>[];
}
const change = (
  messages: object[],
  at: number,
  edit: (blocks: Record<string, unknown>[]) => object[],
): object[] =>
  messages.map((message, index) =>
    index === at ? { ...message, content: edit((message as Held).content) } : message,
  );
const withoutThinking = (blocks: Record<string, unknown>[]): object[] =>
  blocks.filter((block) => block["type"] !== "thinking");
const BOUND =
  /^messages\.\d+\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\. Remove the block, or set `thinking\.block_binding\.prefix_mismatch_behavior` to "drop_block"\./;

describe("thinking bound to its prefix (Opus 5.5)", () => {
  const model = "claude-opus-5-5";

  it.each<[string, (messages: object[]) => object[], object?]>([
    ["sent as it was", (messages) => messages],
    ["appended to", (messages) => messages],
    [
      "with a marker moved",
      (messages) => change(messages, 2, (blocks) => blocks.map((block) => ({ ...block, ...marked }))),
    ],
    ["with other parameters", (messages) => messages, { max_tokens: 5000, output_config: { effort: "low" } }],
    ["the oldest removed", (messages) => change(messages, 1, withoutThinking)],
    ["the newest removed", (messages) => change(messages, 5, withoutThinking)],
    [
      "all removed",
      (messages) => [1, 3, 5].reduce((list, at) => change(list, at, withoutThinking), messages),
    ],
    [
      "key order in an input",
      (messages) =>
        change(messages, 3, (blocks) =>
          blocks.map((block) => Object.fromEntries(Object.entries(block).toReversed())),
        ),
    ],
    [
      "an unreferenced deferred tool",
      (messages) => messages,
      { tools: [...tools, { name: "Later", defer_loading: true, input_schema: { type: "object" } }] },
    ],
  ])("accepted: %s", (_, edit, more) => {
    const { client, body, messages } = run(model);
    expect(client.call(body(edit(messages), more))).toMatchObject({ kind: "message" });
  });

  it.each<[string, (messages: object[]) => object[], object?]>([
    [
      "an earlier result edited",
      (messages) => change(messages, 2, (blocks) => [{ ...blocks[0], content: "[cleared]" }]),
    ],
    ["a summary in front of kept thinking", (messages) => [user(text("summary")), ...messages.slice(3)]],
    [
      "other tools",
      (messages) => messages,
      { tools: [{ name: "Read", description: "new", input_schema: { type: "object" } }] },
    ],
    ["another system prompt", (messages) => messages, { system: "be better" }],
    ["one in the middle removed", (messages) => change(messages, 3, withoutThinking)],
  ])("refused: %s", (_, edit, more) => {
    const { client, body, messages } = run(model);
    expect(client.refusal(body(edit(messages), more)).message).toMatch(BOUND);
  });

  it("what follows a removed block in the middle goes too, and the header is only asked for where it lacks", () => {
    const { client, body, messages } = run(model);
    const edited = change(messages, 3, withoutThinking);
    const betas = ["thinking-binding-controls-2026-08-01"];
    expect(client.refusal(body(edited)).message).toContain("beta header");
    expect(client.refusal(body(edited), { betas }).message).not.toContain("beta header");
    const later = [
      ...edited,
      {
        role: "assistant",
        content: (messages[5] as Held).content.map((block) =>
          block["type"] === "tool_use" ? { ...block, id: "again" } : block,
        ),
      },
      user({ type: "tool_result", tool_use_id: "again", content: "ok" }),
    ];
    const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    const dropped = client.message(body(later, { thinking }), { betas })["input_transformations"];
    expect(dropped).toMatchObject([{ path: "messages.5.content.0" }, { path: "messages.7.content.0" }]);
  });

  it("a compaction that failed binds nothing", () => {
    const answers = [
      { content: [] },
      {
        content: [
          { type: "thinking" as const, thinking: "hm" },
          { type: "text" as const, text: "so" },
        ],
      },
    ];
    const client = createClient({ player: cannedPlayer(...answers) });
    const edits = [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }];
    const request = (messages: object[]) => ({
      model,
      max_tokens: 4000,
      thinking: { type: "adaptive" },
      context_management: { edits },
      messages,
    });
    const betas = ["compact-2026-01-12"];
    const long = [user(text(prose("long", 60_000)))];
    const { content } = client.message(request(long), { betas });
    expect(content[0]).toMatchObject({ type: "compaction", content: null });
    const next = [...long, { role: "assistant", content }, user(text("on"))];
    expect(client.call(request(next), { betas })).toMatchObject({ kind: "message" });
  });

  it("drop_block drops and reports instead", () => {
    const { client, body, messages } = run(model);
    const edited = change(messages, 2, (blocks) => [{ ...blocks[0], content: "[cleared]" }]);
    const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    const betas = ["thinking-binding-controls-2026-08-01"];
    expect(client.message(body(edited, { thinking }), { betas })).toMatchObject({
      input_transformations: [
        { type: "thinking_dropped", path: "messages.3.content.0" },
        { type: "thinking_dropped", path: "messages.5.content.0" },
      ],
    });
  });

  it("a dropped block costs the cache from there on", () => {
    const { client, body, messages } = run(model);
    const long = [user(text(prose("long", 2000), marked)), ...messages.slice(1)];
    const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    const sent = { betas: ["thinking-binding-controls-2026-08-01"] };
    const last = (list: object[]) =>
      change(list, 6, (blocks) => blocks.map((block) => ({ ...block, ...marked })));
    client.send(body(last(long), { thinking }), sent);
    const again = client.send(body(last(long), { thinking }), sent);
    // everything after the changed first message was dropped both times: the same prompt, read in full
    expect(again.hit?.path).toBe("messages.6.content.0");
    const kept = client.send(body(last(messages), { thinking }), sent);
    expect(kept.hit).toBeNull();
  });

  it("the API's own summary keeps the thinking behind it valid", () => {
    const { client, body, messages } = run(model);
    const betas = ["compact-2026-09-04"];
    const summarised = createClient({
      player: cannedPlayer({ content: [{ type: "text", text: "so far" }] }),
    });
    const { content } = summarised.message(
      body(messages.slice(0, 3), { compaction: { type: "summarize" } }),
      { betas },
    );
    const kept = [{ role: "assistant", content }, user(text("go on"))];
    expect(client.call(body(kept), { betas })).toMatchObject({ kind: "message" });
    // kept turns follow the block directly
    const withTurns = [
      { role: "assistant", content: [...content, ...(messages[3] as Held).content] },
      ...messages.slice(4),
    ];
    expect(client.call(body(withTurns), { betas })).toMatchObject({ kind: "message" });
  });

  it("count_tokens runs the same check", () => {
    const { client, body, messages } = run(model);
    const edited = change(messages, 2, (blocks) => [{ ...blocks[0], content: "[cleared]" }]);
    expect(client.count(body(edited))).toMatchObject({ kind: "error", status: 400 });
  });
});

describe("every model", () => {
  it("other models do not bind", () => {
    const { client, body, messages } = run("claude-opus-5");
    const edited = change(messages, 2, (blocks) => [{ ...blocks[0], content: "[cleared]" }]);
    expect(client.call(body(edited))).toMatchObject({ kind: "message" });
  });

  it("altered thinking is refused", () => {
    const { client, body, messages } = run("claude-opus-5");
    const altered = (at: number) =>
      change(messages, at, ([first, ...rest]) => [{ ...first, thinking: "other" }, ...rest]);
    expect(client.refusal(body(altered(5))).message).toBe(
      "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    );
    expect(client.refusal(body(altered(1))).message).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
  });

  it("with a thinking budget every answer starts with thinking", () => {
    const client = createClient();
    const body = {
      model: "claude-haiku-4-5",
      max_tokens: 4000,
      thinking: { type: "enabled", budget_tokens: 1024 },
    };
    const { content } = client.message({ ...body, messages: [user(text("begin"))] });
    expect(content.map((block) => block.type)).toEqual(["thinking", "text"]);
  });

  it("where thinking is off there is none", () => {
    const body = { max_tokens: 4000, messages: [user(text("begin"))] };
    const types = (request: object) =>
      createClient({ player: cannedPlayer(thought("one"), thought("one")) })
        .message({ ...body, tools, ...request })
        .content.map((block) => block.type);
    expect(types({ model: "claude-opus-5" })).toEqual(["tool_use"]);
    expect(types({ model: "claude-opus-5", thinking: { type: "disabled" } })).toEqual(["tool_use"]);
    expect(types({ model: "claude-fable-5" })).toEqual(["thinking", "tool_use"]);
  });

  it("signatures from elsewhere are refused, unless recordings are played", () => {
    const foreign = (messages: object[]) =>
      change(messages, 1, ([first, ...rest]) => [{ ...first, signature: "EpgDCkYIChgC" }, ...rest]);
    const strict = run("claude-opus-5");
    expect(strict.client.refusal(strict.body(foreign(strict.messages))).message).toContain(
      "Invalid `signature`",
    );
    const lenient = run("claude-opus-5", { acceptForeignSignatures: true });
    expect(lenient.client.call(lenient.body(foreign(lenient.messages)))).toMatchObject({ kind: "message" });
  });

  it("display omitted leaves the text out and keeps the tokens", () => {
    const client = createClient({
      player: cannedPlayer({
        content: [
          { type: "thinking", thinking: prose("deep", 900) },
          { type: "text", text: "so" },
        ],
      }),
    });
    const body = {
      model: "claude-opus-5",
      max_tokens: 4000,
      thinking: { type: "adaptive", display: "omitted" },
    };
    const start = [user(text("begin"))];
    const { content, usage } = client.message({ ...body, messages: start });
    expect(content[0]).toMatchObject({ type: "thinking", thinking: "" });
    const counted = client.count({
      ...body,
      messages: [...start, { role: "assistant", content }, user(text("x"))],
    });
    const tokens = counted.kind === "count" ? Number(counted.body["input_tokens"]) : 0;
    expect(tokens).toBeGreaterThan(usage.output_tokens * 0.9);
  });
});
