import fc from "fast-check";
import { expect, it } from "vitest";
import { normalise, type ContentBlock, type Message, type RequestMessage } from "@palimpsest/core";
import {
  messagesFromAiSdk,
  messagesFromAnthropic,
  messagesFromLangChain,
  messagesFromOpenAiChat,
  type ImportedMessages,
} from "@palimpsest/core/import";
import { encodeChatRequest } from "@palimpsest/core/protocols";
import { findProblems, type Problem } from "@palimpsest/core/validity";
import { toSdk } from "../../packages/core/src/adapters/ai-sdk/to-sdk.js";
import { toLangChain } from "../../packages/core/src/adapters/langchain/to-langchain.js";
import { brokenMessages } from "./broken-messages.js";
import { wholeRounds } from "./whole-rounds.js";

const model = "claude-opus-5";

const tryAll = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, holds), { numRuns: 4000 });

/** How many images a request holds, and how large each may be among many, is for the budgets to see to. */
const ofTheList = ({ rule }: Problem): boolean =>
  rule !== "too-many-images" && rule !== "image-dimensions-many";

function requestOf({ messages }: ImportedMessages): readonly RequestMessage[] {
  const request = { model, max_tokens: 1024, messages: normalise(messages).messages };
  if (request.messages.length > 0) {
    expect(findProblems(request).filter(ofTheList)).toEqual([]);
    expect(findProblems(JSON.parse(JSON.stringify(request))).filter(ofTheList)).toEqual([]);
  }
  return request.messages;
}

/** What people and hosts say, each once in a list: the number is put in where the list is made. */
const WORDS = "words-of-a-person";
const RULES = "rules-of-the-system";

/** Each said with a number of its own. */
function numbered<T>(list: T): T {
  let made = 0;
  return JSON.parse(
    JSON.stringify(list).replaceAll(
      /words-of-a-person|rules-of-the-system/g,
      (said) => `${said}-${(made += 1)}.`,
    ),
  ) as T;
}

const saidIn = (value: unknown, what: string): readonly string[] =>
  JSON.stringify(value).match(new RegExp(`${what}-\\d+\\.`, "g")) ?? [];

/** Valid, nothing lost, and the system's words nowhere but in the system. */
function check(list: readonly unknown[], imported: ImportedMessages): void {
  const messages = requestOf(imported);
  const users = messages.filter(({ role }) => role === "user");
  expect(saidIn(users, WORDS)).toEqual(saidIn(list, WORDS));
  expect(saidIn(messages, RULES)).toEqual([]);
  expect(saidIn(imported.system, RULES)).toEqual(saidIn(list, RULES));
}

const id = fc.constantFrom("a", "b", "c", "call|1", "", undefined, 7, null);
const name = fc.constantFrom("Read", "", "x".repeat(300), undefined, "nämé");
const junk = fc.constantFrom<unknown>(
  null,
  7,
  {},
  [],
  { type: "hologram" },
  { type: 3 },
  { type: "text", text: 4 },
);
const text = fc.constantFrom("hello", "", " ", "\ud800", "漢字 🙂", "<context-reminder>");
const json = fc.constantFrom('{"path":"a"}', "", "not json", "[1]", "{", undefined, { path: "a" });

const chatMessage = fc.oneof(
  fc.record({
    role: fc.constantFrom("system", "developer"),
    content: fc.constantFrom(RULES, [{ type: "text", text: RULES }]),
  }),
  fc.record({
    role: fc.constant("user"),
    content: fc.oneof(
      fc.constant(WORDS),
      fc.array(
        fc.oneof(
          fc.constant({ type: "text", text: WORDS }),
          fc.constant({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }),
          fc.constant({ type: "input_audio", input_audio: { data: WORDS } }),
          junk,
        ),
        { maxLength: 3 },
      ),
    ),
  }),
  fc.record(
    {
      role: fc.constant("assistant"),
      content: fc.oneof(
        text,
        fc.constant(null),
        fc.array(fc.oneof(fc.record({ type: fc.constant("text"), text }), junk)),
      ),
      reasoning_content: text,
      tool_calls: fc.array(
        fc.oneof(
          fc.record({ id, function: fc.record({ name, arguments: json }) }),
          fc.record({ id, custom: fc.record({ name, input: text }) }),
          junk,
        ),
        { maxLength: 3 },
      ),
      function_call: fc.record({ name, arguments: json }),
    },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({
    role: fc.constantFrom("tool", "function"),
    tool_call_id: id,
    content: fc.oneof(text, fc.array(junk)),
  }),
);

it("OpenAI chat: whatever the list, the request is valid and nothing that a person said is lost", () => {
  tryAll(fc.array(chatMessage, { maxLength: 8 }).map(numbered), (list) => {
    check(list, messagesFromOpenAiChat(list));
  });
});

const sdkPart = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({
    type: fc.constant("reasoning"),
    text,
    providerOptions: fc.constantFrom(undefined, { anthropic: { signature: "s" } }, 4),
  }),
  fc.record({
    type: fc.constant("tool-call"),
    toolCallId: id,
    toolName: name,
    input: json,
    providerExecuted: fc.boolean(),
  }),
  junk,
);
const sdkResult = fc.oneof(
  fc.record({
    type: fc.constant("tool-result"),
    toolCallId: id,
    output: fc.constantFrom<unknown>(
      { type: "text", value: "x" },
      { type: "content", value: [{ type: "text", text: "y" }, 3] },
      { type: "json", value: { a: 1 } },
      { type: "execution-denied" },
      4,
    ),
  }),
  junk,
);
const sdkMessage = fc.oneof(
  fc.record({ role: fc.constant("system"), content: fc.constant(RULES) }),
  fc.record({
    role: fc.constant("user"),
    content: fc.oneof(
      fc.constant(WORDS),
      fc.array(
        fc.oneof(
          fc.constant({ type: "text", text: WORDS }),
          fc.constant({ type: "file", mediaType: "text/plain", data: `data:text/plain,${WORDS}` }),
          fc.constant({ type: "image", image: "AAAA" }),
          junk,
        ),
        { maxLength: 3 },
      ),
    ),
  }),
  fc.record({ role: fc.constant("assistant"), content: fc.oneof(text, fc.array(sdkPart, { maxLength: 4 })) }),
  fc.record({ role: fc.constant("tool"), content: fc.array(sdkResult, { maxLength: 3 }) }),
);
const uiMessage = fc.oneof(
  fc.record({ role: fc.constant("system"), parts: fc.constant([{ type: "text", text: RULES }]) }),
  fc.record({
    role: fc.constant("user"),
    parts: fc.array(fc.oneof(fc.constant({ type: "text", text: WORDS }), junk), { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant("assistant"),
    parts: fc.array(
      fc.oneof(
        sdkPart,
        fc.constant({ type: "step-start" }),
        fc.record({
          type: fc.constantFrom("tool-Read", "dynamic-tool", "tool-"),
          toolName: name,
          toolCallId: id,
          state: fc.constantFrom("input-streaming", "output-available", "output-error", "output-denied"),
          input: json,
          output: json,
          errorText: text,
        }),
      ),
      { maxLength: 5 },
    ),
  }),
);

it("AI SDK: whatever the list, the request is valid and nothing that a person said is lost", () => {
  tryAll(fc.array(fc.oneof(sdkMessage, uiMessage), { maxLength: 8 }).map(numbered), (list) => {
    check(list, messagesFromAiSdk(list as never));
  });
});

const chainPart = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({
    type: fc.constant("thinking"),
    thinking: text,
    signature: fc.constantFrom("s", "", undefined),
  }),
  fc.record({ type: fc.constant("tool_use"), id, name, input: json }),
  junk,
);
const chainFields = fc.oneof(
  fc.record({
    type: fc.constant("system"),
    content: fc.constantFrom(RULES, [{ type: "text", text: RULES }, RULES]),
  }),
  fc.record({
    type: fc.constant("human"),
    content: fc.oneof(
      fc.constant(WORDS),
      fc.array(
        fc.oneof(fc.constant<unknown>({ type: "text", text: WORDS }), fc.constant<unknown>(WORDS), junk),
        { maxLength: 3 },
      ),
    ),
  }),
  fc.record({
    type: fc.constant("ai"),
    content: fc.oneof(text, fc.array(chainPart, { maxLength: 3 })),
    tool_calls: fc.oneof(
      fc.constant(undefined),
      fc.array(fc.oneof(fc.record({ id, name, args: json }), junk), { maxLength: 3 }),
    ),
  }),
  fc.record({
    type: fc.constant("tool"),
    tool_call_id: id,
    status: fc.constantFrom("error", undefined),
    content: fc.oneof(text, fc.array(chainPart, { maxLength: 2 })),
  }),
);
const classes: Readonly<Record<string, string>> = {
  system: "SystemMessage",
  human: "HumanMessage",
  ai: "AIMessageChunk",
  tool: "ToolMessage",
};
const chainMessage = fc
  .tuple(chainFields, fc.constantFrom("plain", "stored", "serialised"))
  .map(([fields, form]): object => {
    const { type, ...data } = fields;
    if (form === "stored") return { type, data };
    if (form === "serialised")
      return { lc: 1, type: "constructor", id: ["langchain_core", "messages", classes[type]], kwargs: data };
    return fields;
  });

it("LangChain: whatever the list, the request is valid and nothing that a person said is lost", () => {
  tryAll(fc.array(chainMessage, { maxLength: 8 }).map(numbered), (list) => {
    check(list, messagesFromLangChain(list));
  });
});

/** A conversation as a list of the Messages API. */
const asList = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.type === "user" || message.type === "assistant" ? [{ ...message.message, type: undefined }] : [],
  );

it("Anthropic: whatever blocks the list holds, the request is the one of the same conversation", () => {
  tryAll(brokenMessages, (broken) => {
    const list = asList(broken).filter(
      ({ content }) => typeof content === "string" || Array.isArray(content),
    );
    const imported = messagesFromAnthropic(list);
    const messages = requestOf(imported);
    // What was normalised is a list again, and the same request.
    expect(normalise(messagesFromAnthropic(messages).messages).messages).toEqual(messages);
  });
});

it("comes back as it was through every shape that can say it", () => {
  tryAll(wholeRounds, (rounds) => {
    const { messages } = normalise(rounds.flat());
    if (messages.length === 0) return;
    const again = (imported: ImportedMessages) => normalise(imported.messages).messages;
    const plain = sayable(messages);
    const { body } = encodeChatRequest({ model, max_tokens: 10, messages: plain });
    expect(again(messagesFromOpenAiChat(JSON.parse(body).messages))).toEqual(plain);
    expect(again(messagesFromAiSdk(toSdk(plain) as never))).toEqual(plain);
    expect(again(messagesFromLangChain(toLangChain(plain, standIns, true)))).toEqual(plain);
  });
});

/** Stand-ins for the framework's classes. */
class Human {
  readonly type: string = "human";
  constructor(fields: object) {
    Object.assign(this, fields);
  }
  declare readonly content: unknown;
}
class Ai extends Human {
  override readonly type = "ai";
  constructor(fields: object) {
    super(fields);
    Object.assign(this, fields);
  }
}
class Tool extends Human {
  override readonly type = "tool";
  constructor(fields: object) {
    super(fields);
    Object.assign(this, fields);
  }
}
const standIns = [new Human({ content: "" }), new Ai({ content: "" }), new Tool({ content: "" })];

/** What all of the shapes have: one text in a message, calls, and results that are texts. */
function sayable(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const list = messages.map(({ role, content }) => {
    const blocks: readonly ContentBlock[] = content;
    const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
    const said = text === "" ? [] : [{ type: "text", text } as const];
    const calls = blocks.filter(({ type }) => type === "tool_use");
    const results = blocks.flatMap((block) =>
      block.type === "tool_result" ? [{ ...block, content: `result of ${block.tool_use_id}` }] : [],
    );
    return { role, content: role === "user" ? [...results, ...said] : [...said, ...calls] };
  });
  return normalise(messagesFromAnthropic(list).messages).messages;
}
