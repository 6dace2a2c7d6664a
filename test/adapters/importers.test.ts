import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  mapChatMessagesToStoredMessages,
} from "@langchain/core/messages";
import type { ModelMessage, UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { normalise, type Message } from "@palimpsest/core";
import {
  ImportError,
  messagesFromAiSdk,
  messagesFromAnthropic,
  messagesFromLangChain,
  messagesFromList,
  messagesFromOpenAiChat,
  shapeOfList,
} from "@palimpsest/core/import";
import { findProblems } from "@palimpsest/core/validity";

const contents = (messages: readonly Message[]) =>
  messages.map((message) =>
    message.type === "user" || message.type === "assistant"
      ? [message.type, message.message.content]
      : [message.type],
  );

/** The same conversation, whatever the shape it was written in. */
const expected = [
  ["user", [{ type: "text", text: "Read a.ts." }]],
  [
    "assistant",
    [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "c1", name: "Read", input: { path: "a.ts" } },
    ],
  ],
  ["user", [{ type: "tool_result", tool_use_id: "c1", content: "let a" }]],
  ["assistant", [{ type: "text", text: "It says let a." }]],
];

const anthropic = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Read a.ts." },
  { role: "assistant", content: expected[1]?.[1] },
  { role: "user", content: expected[2]?.[1] },
  { role: "assistant", content: "It says let a." },
];

const openAi = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "Read a.ts." }] },
  {
    role: "assistant",
    content: "I look.",
    tool_calls: [{ id: "c1", type: "function", function: { name: "Read", arguments: '{"path":"a.ts"}' } }],
  },
  { role: "tool", tool_call_id: "c1", content: "let a" },
  { role: "assistant", content: "It says let a." },
];

const aiSdk: ModelMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Read a.ts." },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "c1", toolName: "Read", input: { path: "a.ts" } },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "Read", output: { type: "text", value: "let a" } },
    ],
  },
  { role: "assistant", content: "It says let a." },
];

const ui: UIMessage[] = [
  { id: "1", role: "system", parts: [{ type: "text", text: "Be brief." }] },
  { id: "2", role: "user", parts: [{ type: "text", text: "Read a.ts." }] },
  {
    id: "3",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "text", text: "I look." },
      {
        type: "dynamic-tool",
        toolName: "Read",
        toolCallId: "c1",
        state: "output-available",
        input: { path: "a.ts" },
        output: "let a",
      },
      { type: "step-start" },
      { type: "text", text: "It says let a." },
    ],
  },
];

const langChain = [
  new SystemMessage("Be brief."),
  new HumanMessage("Read a.ts."),
  new AIMessage({
    content: "I look.",
    tool_calls: [{ id: "c1", name: "Read", args: { path: "a.ts" }, type: "tool_call" }],
  }),
  new ToolMessage({ tool_call_id: "c1", content: "let a" }),
  new AIMessage("It says let a."),
];

describe("one conversation in every shape", () => {
  it.each([
    ["Anthropic", "anthropic", anthropic],
    ["OpenAI chat", "openai-chat", openAi],
    ["AI SDK, of a prompt", "ai-sdk", aiSdk],
    ["AI SDK, of a chat view", "ai-sdk", ui],
    ["LangChain", "langchain", langChain],
    ["LangChain, as JSON", "langchain", JSON.parse(JSON.stringify(langChain))],
    ["LangChain, as it is stored", "langchain", mapChatMessagesToStoredMessages(langChain)],
  ] as const)("%s", (_, shape, list: readonly unknown[]) => {
    const imported = messagesFromList(list);
    expect(imported.shape).toBe(shape);
    expect(imported.system).toBe("Be brief.");
    expect(contents(imported.messages)).toEqual(expected);
  });

  it("each through its own function, with its framework's own types", () => {
    for (const { messages, system } of [
      messagesFromOpenAiChat(openAi),
      messagesFromAiSdk(aiSdk),
      messagesFromAiSdk(ui),
      messagesFromLangChain(langChain),
    ]) {
      expect(contents(messages)).toEqual(expected);
      expect(system).toBe("Be brief.");
    }
  });
});

describe("messages", () => {
  it("follow each other, from where they are told to begin", () => {
    let made = 0;
    const origin = {
      clock: { now: () => 1_000 },
      ids: { next: () => `id${(made += 1)}` },
      sessionId: "s",
      parentUuid: "before",
    };
    const { messages } = messagesFromAnthropic(
      [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
        { role: "user", content: "c" },
      ],
      origin,
    );
    expect(messages[0]).toMatchObject({
      parentUuid: "before",
      sessionId: "s",
      timestamp: "1970-01-01T00:00:01.000Z",
    });
    expect(messages[1]?.parentUuid).toBe(messages[0]?.uuid);
    expect(messages[2]?.parentUuid).toBe(messages[1]?.uuid);
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(3);
  });

  it("keep what a response that was put into the list whole says of itself", () => {
    const response = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "b" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 2 },
    } as const;
    expect(messagesFromAnthropic([response]).messages[0]).toMatchObject({
      message: { id: "msg_1", model: "claude-opus-5", usage: { input_tokens: 3 }, stop_reason: "end_turn" },
    });
  });

  it("keep words in blocks that the API does not know", () => {
    const content = ["a", { type: "input_text", text: "b" }, { type: "text", text: "c" }] as never;
    expect(contents(messagesFromAnthropic([{ role: "user", content }]).messages)).toEqual([
      ["user", ["a", "b", "c"].map((text) => ({ type: "text", text }))],
    ]);
  });

  it("of chats without ids: results belong to the calls in their order", () => {
    const call = (name: string) => ({ function: { name, arguments: "" } });
    const { messages } = messagesFromOpenAiChat([
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] } as never,
      { role: "tool", content: "first" },
      { role: "tool", content: "second" },
      { role: "assistant", function_call: { name: "c", arguments: "not json" } } as never,
      { role: "function", name: "c", content: "third" } as never,
    ]);
    expect(contents(messages)).toEqual([
      [
        "assistant",
        [
          { type: "tool_use", id: "call_1", name: "a", input: {} },
          { type: "tool_use", id: "call_2", name: "b", input: {} },
        ],
      ],
      ["user", [{ type: "tool_result", tool_use_id: "call_1", content: "first" }]],
      ["user", [{ type: "tool_result", tool_use_id: "call_2", content: "second" }]],
      ["assistant", [{ type: "tool_use", id: "call_3", name: "c", input: { arguments: "not json" } }]],
      ["user", [{ type: "tool_result", tool_use_id: "call_3", content: "third" }]],
    ]);
  });

  it("of a chat view: a call that nobody answered, one that failed, one that was denied", () => {
    const { messages } = messagesFromAiSdk([
      {
        role: "assistant",
        parts: [
          { type: "tool-Read", toolCallId: "1", state: "input-available", input: {} },
          { type: "tool-Read", toolCallId: "2", state: "output-error", input: {}, errorText: "no such file" },
          {
            type: "tool-Read",
            toolCallId: "3",
            state: "output-denied",
            input: {},
            approval: { reason: "no" },
          },
          { type: "text", text: "I stop." },
        ],
      },
    ]);
    expect(contents(messages)).toEqual([
      ["assistant", ["1", "2", "3"].map((id) => ({ type: "tool_use", id, name: "Read", input: {} }))],
      [
        "user",
        [
          { type: "tool_result", tool_use_id: "2", content: "no such file", is_error: true },
          { type: "tool_result", tool_use_id: "3", content: "no", is_error: true },
        ],
      ],
      ["assistant", [{ type: "text", text: "I stop." }]],
    ]);
  });

  it("that no JSON can say, or that are nested without end, become requests all the same", () => {
    const endless: Record<string, unknown> = { type: "hologram", size: 1n };
    endless["self"] = endless;
    const depth = 5000;
    const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    const lists = [
      messagesFromOpenAiChat([
        { role: "user", content: [endless] },
        {
          role: "assistant",
          tool_calls: [{ id: "c", function: { name: "Read", arguments: deep } }],
        } as never,
        { role: "tool", tool_call_id: "c", content: [endless] } as never,
      ]),
      messagesFromAiSdk([
        { role: "user", parts: [endless] },
        { role: "tool", content: [{ type: "tool-result", output: { type: "json", value: endless } }] },
      ]),
      messagesFromLangChain([{ type: "human", content: [endless] }]),
    ];
    for (const { messages } of lists) {
      const request = { model: "claude-opus-5", max_tokens: 10, messages: normalise(messages).messages };
      expect(findProblems(request)).toEqual([]);
      expect(JSON.stringify(request)).toContain("something that cannot be shown");
    }
  });

  it("with a file of text: its text", () => {
    const data = Buffer.from("Dear Müller").toString("base64");
    const { messages } = messagesFromAiSdk([
      { role: "user", content: [{ type: "file", mediaType: "text/plain", data }] },
    ]);
    expect(contents(messages)).toEqual([
      [
        "user",
        [{ type: "document", source: { type: "text", media_type: "text/plain", data: "Dear Müller" } }],
      ],
    ]);
  });
});

describe("what is not a list of messages", () => {
  it.each([
    ["nothing", []],
    ["numbers", [1, 2]],
    ["objects of another kind", [{ name: "a" }]],
    ["messages without content", [{ role: "user" }]],
  ])("%s", (_, list) => {
    expect(shapeOfList(list)).toBeUndefined();
    expect(() => messagesFromList(list)).toThrow(ImportError);
  });

  it.each([
    [
      "a role that nobody knows",
      () => messagesFromOpenAiChat([{ role: "critic", content: "x" }]),
      'message 0 has the role "critic"',
    ],
    [
      "content that is a number",
      () => messagesFromOpenAiChat([{ role: "user", content: 7 }]),
      "the content of message 0 must be a string or a list",
    ],
    ["no message", () => messagesFromAnthropic([null as never]), "message 0 must be an object"],
    [
      "an AI SDK role",
      () => messagesFromAiSdk([{ role: "critic", parts: [] }]),
      'message 0 has the role "critic"',
    ],
    [
      "a LangChain type",
      () => messagesFromLangChain([{ type: "remove", content: "" }]),
      'message 0 has the role "remove"',
    ],
  ])("%s is named by its place", (_, read, text) => {
    expect(read).toThrow(text);
  });
});
