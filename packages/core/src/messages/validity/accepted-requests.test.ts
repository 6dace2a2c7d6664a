import { describe, expect, it } from "vitest";
import { models } from "../../models/table.js";
import { findProblems } from "./find-problems.js";

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const call = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "read", input: {}, ...more });
const result = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, ...more });
const search = (id: string) => ({ type: "server_tool_use", id, name: "web_search", input: { query: "x" } });
const found = (id: string) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
const thought = { type: "thinking", thinking: "hm", signature: "sig" };
const ask = (more: object = {}) => ({
  model: "claude-opus-4-6",
  max_tokens: 4096,
  messages: [user("hello")],
  ...more,
});
const say = (...messages: readonly unknown[]) => ask({ messages });

const conversation = [
  user([text("look at this"), { type: "image", source: { type: "url", url: "https://example.com/a.png" } }]),
  assistant([thought, text("reading"), call("toolu_1"), call("toolu_2")]),
  user([
    result("toolu_2", { content: [text("two"), text("\n")] }),
    result("toolu_1", { content: "", is_error: true }),
    text("go on"),
  ]),
  assistant([search("srvtoolu_1"), found("srvtoolu_1"), text("done")]),
  user([
    { type: "document", source: { type: "text", media_type: "text/plain", data: "d" }, title: "t" },
    { type: "search_result", source: "s", title: "t", content: [text("found")] },
    text("and now?", { cache_control: { type: "ephemeral" } }),
  ]),
];

describe("accepted requests", () => {
  it.each(models)("a conversation with tools on $id", (model) => {
    const { thinking } = model.capabilities;
    const request = ask({
      model: model.id,
      max_tokens: model.maxOutputTokens,
      stream: true,
      system: [text("be brief", { cache_control: { type: "ephemeral", ttl: "1h" } })],
      tools: [
        { name: "read", description: "reads", input_schema: { type: "object", properties: {} } },
        { type: "web_search_20250305", name: "web_search", max_uses: 3 },
      ],
      tool_choice: { type: "auto" },
      thinking: thinking.adaptive ? { type: "adaptive" } : { type: "enabled", budget_tokens: 2048 },
      messages: conversation,
    });
    expect(findProblems(request)).toEqual([]);
  });

  const pausedTurn = [user("x"), assistant([text("searching"), search("srvtoolu_1")])];
  const requests: readonly (readonly [string, unknown])[] = [
    [
      "neighbours of one role",
      say(
        user("a"),
        user("b"),
        assistant([call("c")]),
        assistant([call("d")]),
        user([result("c")]),
        user([result("d"), text("e")]),
      ),
    ],
    ["a paused turn at the end", say(...pausedTurn)],
    ["a paused compaction at the end", say(user("x"), assistant([{ type: "compaction", content: "s" }]))],
    [
      "a leading compaction block",
      say(assistant([{ type: "compaction", content: "s", signature: "x" }]), user("y")),
    ],
    [
      "a failed compaction in the middle",
      say(user("x"), assistant([{ type: "compaction", content: null }, text("a")]), user("y")),
    ],
    ["an empty final answer to continue", { ...say(user("x"), assistant("")), model: "claude-haiku-4-5" }],
    [
      "a system message at the end",
      { ...say(user("x"), { role: "system", content: "y" }), model: "claude-opus-5" },
    ],
    [
      "a system message behind a server result",
      {
        ...say(user("x"), assistant([search("srvtoolu_1"), found("srvtoolu_1")]), {
          role: "system",
          content: "y",
        }),
        model: "claude-opus-5",
      },
    ],
    [
      "a system message that changes the effort and says nothing",
      {
        ...say(
          user("x"),
          { role: "system", content: [], output_config: { effort: "low" } },
          assistant("y"),
          user("z"),
          { role: "system", output_config: { effort: "high" } },
        ),
        model: "claude-opus-5",
      },
    ],
    [
      "a compaction request behind a finished answer",
      { ...say(user("x"), assistant("y")), compaction: { type: "summarize" } },
    ],
    [
      "a continued thread",
      { ...say(user([result("elsewhere")])), thread: { type: "continue", previous_message_id: "msg_1" } },
    ],
    ["a pre-warming request", { ...ask(), max_tokens: 0 }],
    [
      "an automatic marker where the same marker stands",
      {
        ...say(user([text("x", { cache_control: { type: "ephemeral" } })])),
        cache_control: { type: "ephemeral" },
      },
    ],
    ["fields that are undefined", { ...ask(), system: undefined, tools: undefined, unknown: undefined }],
    [
      "a server call that stays open beside a client tool",
      say(
        user("x"),
        assistant([
          { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: {} },
          call("a", { caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } }),
        ]),
        user([result("a")]),
        assistant([
          {
            type: "code_execution_tool_result",
            tool_use_id: "srvtoolu_1",
            content: { type: "code_execution_result" },
          },
          text("done"),
        ]),
        user("y"),
      ),
    ],
    [
      "a loop whose first step thought",
      {
        ...say(
          user("x"),
          assistant([thought, call("a")]),
          user([result("a")]),
          assistant([call("b")]),
          user([result("b")]),
        ),
        model: "claude-opus-4-5",
        thinking: { type: "enabled", budget_tokens: 1024 },
      },
    ],
    [
      "a finished answer without thinking, under manual thinking",
      { ...say(user("x"), assistant("y"), user("z")), thinking: { type: "enabled", budget_tokens: 1024 } },
    ],
    [
      "context edits",
      {
        ...ask({ thinking: { type: "adaptive" } }),
        context_management: {
          edits: [
            { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } },
            {
              type: "clear_tool_uses_20250919",
              trigger: { type: "tool_uses", value: 10 },
              keep: { type: "tool_uses", value: 3 },
              clear_at_least: { type: "input_tokens", value: 5000 },
              exclude_tools: ["read"],
              clear_tool_inputs: true,
            },
            { type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } },
          ],
        },
      },
    ],
  ];

  it.each(requests)("%s", (_, request) => {
    expect(findProblems(request)).toEqual([]);
  });
});
