import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../messages/call/request.js";
import type { RequestMessage } from "../../messages/content.js";
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

const messagesOf = (
  messages: readonly RequestMessage[],
  options?: EncodeChatRequestOptions,
): readonly unknown[] => sent({ messages }, options)["messages"] as readonly unknown[];

describe("messages", () => {
  it("are user text as a string, and parts only where there is an image", () => {
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AAAA" },
    } as const;
    const linked = { type: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;
    const text = { type: "text", text: "look", cache_control: { type: "ephemeral" } } as const;
    expect(messagesOf([{ role: "user", content: [text, { type: "text", text: "here" }] }])).toEqual([
      { role: "user", content: "look\n\nhere" },
    ]);
    expect(messagesOf([{ role: "user", content: [text, image, linked] }])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ]);
  });

  it.each([
    [
      { type: "document", title: "a.txt", source: { type: "text", media_type: "text/plain", data: "abc" } },
      "[document: a.txt]\nabc",
    ],
    [{ type: "document", source: { type: "content", content: [{ type: "text", text: "abc" }] } }, "abc"],
    [{ type: "document", context: "of 2026", source: { type: "content", content: "abc" } }, "of 2026\nabc"],
    [
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
      },
      "[document: a.pdf (application/pdf) left out: this server cannot take it]",
    ],
    [
      { type: "document", source: { type: "file", file_id: "file_1" } },
      "[document (file_1) left out: this server cannot take it]",
    ],
    [
      { type: "image", source: { type: "file", file_id: "file_1" } },
      "[image (file_1) left out: this server cannot take it]",
    ],
    [{ type: "container_upload", file_id: "file_1" }, "[file (file_1) left out: this server cannot take it]"],
    [
      {
        type: "search_result",
        title: "t",
        source: "https://example.com",
        content: [{ type: "text", text: "abc" }],
      },
      "t (https://example.com)\nabc",
    ],
  ] as const)("say in text what the protocol has no form of: %j", (block, expected) => {
    expect(messagesOf([{ role: "user", content: [block] }])).toEqual([{ role: "user", content: expected }]);
  });

  it("are results first, each a message, then what else there is with their images", () => {
    const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;
    const content = [
      { type: "text", text: "and now?" },
      { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "seen" }, image, image] },
      { type: "tool_result", tool_use_id: "t2", content: "no such file", is_error: true },
      { type: "tool_result", tool_use_id: "t3" },
      { type: "tool_result", tool_use_id: "t4", content: [image] },
      { type: "tool_result", tool_use_id: "t5", content: [{ type: "tool_reference", tool_name: "read" }] },
    ] as const;
    const part = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    expect(messagesOf([{ role: "user", content }])).toEqual([
      { role: "tool", tool_call_id: "t1", content: "seen\n[2 images, shown below]" },
      { role: "tool", tool_call_id: "t2", content: "[The tool reported an error.]\nno such file" },
      { role: "tool", tool_call_id: "t3", content: "[no content]" },
      { role: "tool", tool_call_id: "t4", content: "[1 image, shown below]" },
      { role: "tool", tool_call_id: "t5", content: "[tool: read]" },
      {
        role: "user",
        content: [
          { type: "text", text: "[Images from the tool results above]" },
          part,
          part,
          part,
          { type: "text", text: "and now?" },
        ],
      },
    ]);
    expect(messagesOf([{ role: "user", content: [content[2]] }])).toHaveLength(1);
  });

  it("are text and calls of the assistant, without its thinking unless a server wants it", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "redacted_thinking", data: "d" },
      { type: "text", text: "I ", citations: [] },
      { type: "text", text: "look" },
      { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
      { type: "text", text: "and wait" },
      { type: "tool_use", id: "t2", name: "list", input: {} },
    ] as const;
    const call = (id: string, name: string, json: string): unknown => ({
      id,
      type: "function",
      function: { name, arguments: json },
    });
    const expected = {
      role: "assistant",
      content: "I look\n\nand wait",
      tool_calls: [call("t1", "read", '{"path":"a"}'), call("t2", "list", "{}")],
    };
    expect(messagesOf([{ role: "assistant", content }])).toEqual([expected]);
    expect(messagesOf([{ role: "assistant", content }], { reasoningField: "reasoning_content" })).toEqual([
      { ...expected, reasoning_content: "hm" },
    ]);
    expect(messagesOf([{ role: "assistant", content: [content[4]] }])).toMatchObject([{ content: null }]);
    expect(messagesOf([{ role: "assistant", content: [content[0]] }])).toEqual([
      { role: "assistant", content: "[no content]" },
    ]);
  });

  it("tell what another provider did, without what only it can read", () => {
    const content = [
      { type: "compaction", content: "what was before", encrypted_content: "secret" },
      { type: "compaction", encrypted_content: "secret" },
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "s",
        content: [{ type: "web_search_result", url: "u", encrypted_content: "secret" }],
      },
      {
        type: "web_fetch_tool_result",
        tool_use_id: "s",
        content: { source: { type: "base64", data: "AAAA" } },
      },
    ] as const;
    const [message] = messagesOf([{ role: "assistant", content }]);
    expect(message).toEqual({
      role: "assistant",
      content: [
        "[Summary of the conversation so far]\nwhat was before",
        "[A summary that only its provider can read was left out.]",
        '[called web_search: {"query":"q"}]',
        '[result of web_search: [{"type":"web_search_result","url":"u"}]]',
        '[result of web_fetch: {"source":"[file left out: this server cannot take it]"}]',
      ].join("\n\n"),
    });
  });

  it("are strings and system messages where a client sends such", () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "system", content: [{ type: "text", text: "be brief" }] },
    ] as unknown as readonly RequestMessage[];
    expect(messagesOf(messages)).toEqual([
      { role: "user", content: "hi" },
      { role: "system", content: "be brief" },
    ]);
    expect(messagesOf(messages, { systemRole: "developer" })[1]).toMatchObject({ role: "developer" });
  });

  it("are never empty", () => {
    expect(messagesOf([{ role: "user", content: [] }])).toEqual([{ role: "user", content: "[no content]" }]);
    expect(messagesOf([{ role: "assistant", content: [] }])).toEqual([
      { role: "assistant", content: "[no content]" },
    ]);
  });
});
