import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../messages/call/request.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { encodeChatRequest, type EncodeChatRequestOptions } from "./request.js";

const asked: ModelRequest = {
  model: "gpt-5",
  max_tokens: 10,
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
};

function sent(request: Partial<ModelRequest>, options?: EncodeChatRequestOptions): Fields {
  const body: unknown = JSON.parse(encodeChatRequest({ ...asked, ...request }, options).body);
  if (!isFields(body)) throw new Error("no object");
  return body;
}

describe("encodeChatRequest", () => {
  it("asks for a stream that ends with its usage", () => {
    expect(encodeChatRequest(asked)).toEqual({
      body: JSON.stringify({
        model: "gpt-5",
        messages: [{ role: "user", content: "hi" }],
        max_completion_tokens: 10,
        stream: true,
        stream_options: { include_usage: true },
      }),
      headers: { "content-type": "application/json", accept: "text/event-stream" },
    });
  });

  it("asks for what a server can take", () => {
    const options = { maxTokensField: "max_tokens", streamUsage: false, promptCacheKey: "c1" } as const;
    expect(sent({}, options)).toEqual({
      model: "gpt-5",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 10,
      prompt_cache_key: "c1",
      stream: true,
    });
    expect(sent({}, { stream: false })).not.toHaveProperty("stream");
    expect(sent({}, { stream: false })).not.toHaveProperty("stream_options");
    expect(encodeChatRequest(asked, { stream: false }).headers["accept"]).toBe("application/json");
  });

  it.each([
    ["be brief", {}, [{ role: "system", content: "be brief" }]],
    ["be brief", { systemRole: "developer" }, [{ role: "developer", content: "be brief" }]],
    [
      [
        { type: "text", text: "be brief", cache_control: { type: "ephemeral" } },
        { type: "text", text: "be kind" },
      ],
      {},
      [{ role: "system", content: "be brief\n\nbe kind" }],
    ],
    ["", {}, []],
    [[], {}, []],
  ] as const)("begins with the system prompt %j", (system, options, first) => {
    expect(sent({ system }, options)["messages"]).toEqual([...first, { role: "user", content: "hi" }]);
  });

  it("sends tools as functions, and leaves out those that another provider runs", () => {
    const schema = { type: "object", properties: { path: { type: "string" } } };
    const tools = [
      {
        name: "read",
        description: "reads",
        input_schema: schema,
        cache_control: { type: "ephemeral" },
        strict: true,
      },
      { name: "list", type: "custom" },
      { name: "web_search", type: "web_search_20260101" },
    ] as const;
    expect(sent({ tools })["tools"]).toEqual([
      { type: "function", function: { name: "read", description: "reads", parameters: schema } },
      { type: "function", function: { name: "list", parameters: { type: "object", properties: {} } } },
    ]);
    expect(sent({ tools: [tools[2]], tool_choice: { type: "auto" } })).not.toHaveProperty("tools");
    expect(sent({ tools: [tools[2]], tool_choice: { type: "auto" } })).not.toHaveProperty("tool_choice");
  });

  it.each([
    [{ type: "auto" }, { tool_choice: "auto" }],
    [{ type: "any" }, { tool_choice: "required" }],
    [{ type: "none" }, { tool_choice: "none" }],
    [{ type: "tool", name: "read" }, { tool_choice: { type: "function", function: { name: "read" } } }],
    [
      { type: "auto", disable_parallel_tool_use: true },
      { tool_choice: "auto", parallel_tool_calls: false },
    ],
    [{ type: "of tomorrow" }, {}],
  ])("says which tool to choose: %j", (tool_choice, expected) => {
    const {
      tools,
      tool_choice: choice,
      parallel_tool_calls,
    } = sent({ tools: [{ name: "read" }], tool_choice });
    expect(tools).toHaveLength(1);
    expect({
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
    }).toEqual(expected);
  });

  it("sends the settings that the protocol knows, and no others", () => {
    const body = sent({
      stop_sequences: ["END"],
      temperature: 0.5,
      top_p: 1,
      top_k: 7,
      output_config: { effort: "low" },
      thinking: { type: "adaptive" },
      metadata: { user_id: "u" },
      context_management: { edits: [] },
      cache_control: { type: "ephemeral" },
      stream: false,
    });
    expect(body).toEqual({
      ...sent({}),
      stop: ["END"],
      temperature: 0.5,
      top_p: 1,
      reasoning_effort: "low",
    });
    expect(sent({ output_config: { effort: "max" } })["reasoning_effort"]).toBe("xhigh");
    expect(sent({ stop_sequences: [] })).not.toHaveProperty("stop");
  });
});
