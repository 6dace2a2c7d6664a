import { describe, expect, it } from "vitest";
import type { ContentBlock, RequestMessage } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { fromSdk, partsOf } from "./from-sdk.js";
import type { SdkMessage, SdkPart } from "./sdk-types.js";
import { toSdk } from "./to-sdk.js";

const empty: SdkMessage = { role: "user", content: [] };
const marker = { type: "ephemeral" as const };

const messages: readonly SdkMessage[] = [
  { role: "user", content: "Only a text." },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
      { type: "reasoning", text: "of another provider", providerOptions: { openai: { itemId: "i" } } },
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "a", toolName: "Read", input: { path: "x" } },
      { type: "tool-call", toolCallId: "b", toolName: "Read", input: "no object" },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "a", toolName: "Read", output: { type: "json", value: { a: 1 } } },
      { type: "tool-result", toolCallId: "b", toolName: "Read", output: { type: "error-text", value: "no" } },
      { type: "tool-approval-response", approvalId: "1", approved: true },
    ],
  },
  {
    role: "user",
    content: [
      { type: "text", text: "Look at these." },
      { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
      { type: "file", mediaType: "application/pdf", data: new URL("https://example.com/a.pdf") },
      { type: "file", mediaType: "audio/mpeg", data: "AAAA" },
      { type: "something-new", value: 1 },
    ],
  },
  { role: "system", content: "From here on in English." },
];

const requestOf = (list: readonly SdkMessage[]): RequestMessage[] =>
  list.map(fromSdk).map(({ role, content }) => ({ role, content }) as RequestMessage);

const withBlock = (message: RequestMessage | undefined, at: number, change: object): RequestMessage => {
  const content: ContentBlock[] = (message?.content ?? []).map((block, index) =>
    index === at ? { ...block, ...change } : block,
  );
  return { role: message?.role, content } as RequestMessage;
};

describe("messages of the AI SDK", () => {
  it("come back as the objects they were", () => {
    const back = toSdk(requestOf(messages));
    expect(back).toHaveLength(messages.length);
    for (const [index, message] of back.entries()) expect(message).toBe(messages[index]);
  });

  it("come back as the objects they were where two stand in one message of ours", () => {
    const [, , results, said] = requestOf(messages);
    const content = [...(results?.content ?? []), ...(said?.content ?? [])];
    const back = toSdk([{ role: "user", content } as RequestMessage]);
    expect(back[0]).toBe(messages[2]);
    expect(back[1]).toBe(messages[3]);
  });

  it("carry a marker on the part it stands on, and lose those of the caller", () => {
    const own: SdkMessage = {
      role: "user",
      content: [
        { type: "text", text: "a", providerOptions: { anthropic: { cacheControl: marker }, x: { y: 1 } } },
        { type: "file", mediaType: "audio/mpeg", data: "AAAA" },
      ],
    };
    const [request] = requestOf([own]);
    const [back] = toSdk([withBlock(request, 1, { cache_control: marker })]);
    expect(back?.content).toEqual([
      { type: "text", text: "a", providerOptions: { anthropic: {}, x: { y: 1 } } },
      {
        type: "file",
        mediaType: "audio/mpeg",
        data: "AAAA",
        providerOptions: { anthropic: { cacheControl: marker } },
      },
    ]);
    // What the caller handed in is as it was.
    expect(JSON.stringify(own)).toContain("cacheControl");
  });

  it("say anew what the engine has changed, and nothing else", () => {
    const [, answer, results] = requestOf(messages);
    const back = toSdk([
      ...(answer === undefined ? [] : [answer]),
      withBlock(results, 0, { content: "[cleared]" }),
    ]);
    const [first, second] = partsOf(back[1] ?? empty);
    expect(first).toEqual({
      type: "tool-result",
      toolCallId: "a",
      toolName: "Read",
      output: { type: "text", value: "[cleared]" },
    });
    expect(second).toEqual(partsOf(messages[2] ?? empty)[1]);
  });

  it("are known again by object", () => {
    const [message] = messages;
    if (message === undefined) throw new Error("no message");
    expect(fromSdk(message)).toBe(fromSdk(message));
  });
});

describe("pictures of the AI SDK, normalised", () => {
  const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const sentParts = (...content: readonly SdkPart[]) => {
    const given: SdkMessage = { role: "user", content };
    const message = { type: "user", uuid: "u", message: fromSdk(given) } as unknown as Message;
    const { messages: request, repairs } = normalise([message]);
    const [back] = toSdk(request);
    return { given, back, repairs: repairs.map(({ kind }) => kind) };
  };

  it("of some kind go out as they came", () => {
    const bytes = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0));
    const { given, back, repairs } = sentParts(
      { type: "file", mediaType: "image/*", data: PNG, providerOptions: { openai: { imageDetail: "low" } } },
      { type: "file", mediaType: "image/*", data: bytes },
    );
    expect(back).toBe(given);
    expect(repairs).toEqual([]);
  });

  it("declared as another kind are declared right, and broken ones are a text", () => {
    const { back, repairs } = sentParts(
      { type: "file", mediaType: "image/jpeg", data: `${PNG}\n` },
      { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
    );
    expect(back).toEqual({
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data: PNG },
        {
          type: "text",
          text: "[image (image/png) left out: its data is neither a PNG, JPEG, GIF or WebP picture nor a PDF]",
        },
      ],
    });
    expect(repairs).toEqual(["mended_media", "unreadable_media"]);
  });

  it("says a document that is a text as that text", () => {
    const source = { type: "text", media_type: "text/plain", data: "Dear Müller" };
    const said: RequestMessage = { role: "user", content: [{ type: "document", source }] };
    expect(toSdk([said])).toEqual([{ role: "user", content: [{ type: "text", text: "Dear Müller" }] }]);
  });
});

describe("files of version 7, whose data says what it is", () => {
  const dialect = { isMessagesApi: true, hasTypedFiles: true };
  const PNG = "iVBORw0KGgo=";
  const source = { type: "base64" as const, media_type: "image/png", data: PNG };

  it("are read", () => {
    const given: SdkMessage = {
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
        { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://a.test/b.png") } },
        // It is base64 too, and is not meant so.
        { type: "file", mediaType: "text/plain", data: { type: "text", text: "Hell" } },
        { type: "file", mediaType: "image/png", data: { type: "reference", reference: { anthropic: "f" } } },
      ],
    };
    expect(fromSdk(given).content).toMatchObject([
      { type: "image", source },
      { type: "image", source: { type: "url", url: "https://a.test/b.png" } },
      { type: "document", source: { type: "text", data: "Hell" } },
      { type: "text", text: "[file of type image/png]" },
    ]);
    expect(toSdk(requestOf([given]), dialect)[0]).toBe(given);
  });

  it("are read in results", () => {
    const value = [{ type: "file", mediaType: "image/png", data: { type: "data", data: PNG } }];
    const output = { type: "content", value };
    const content = [{ type: "tool-result", toolCallId: "a", toolName: "Read", output }];
    expect(fromSdk({ role: "tool", content }).content).toMatchObject([
      { content: [{ type: "image", source }] },
    ]);
  });

  it("are written", () => {
    const [message] = toSdk(
      [
        {
          role: "user",
          content: [
            { type: "image", source },
            { type: "document", source: { type: "url", url: "https://a.test/b.pdf" } },
          ],
        },
      ],
      dialect,
    );
    expect(message?.content).toEqual([
      { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
      {
        type: "file",
        mediaType: "application/pdf",
        data: { type: "url", url: new URL("https://a.test/b.pdf") },
      },
    ]);
  });

  it("are written in results", () => {
    const block = {
      type: "tool_result" as const,
      tool_use_id: "a",
      content: [{ type: "image" as const, source }],
    };
    const [message] = toSdk([{ role: "user", content: [block] }], dialect);
    expect(partsOf(message ?? empty)[0]?.["output"]).toEqual({
      type: "content",
      value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: PNG } }],
    });
  });
});

describe("what the system says among messages of the AI SDK", () => {
  const list: readonly SdkMessage[] = [
    { role: "user", content: "one" },
    { role: "system", content: "First." },
    { role: "user", content: "two" },
    { role: "system", content: "Second." },
  ];
  const turn = (): RequestMessage[] => {
    const content = requestOf(list).flatMap((message): readonly ContentBlock[] => message.content);
    return [{ role: "user", content } as RequestMessage];
  };

  it("stays where it is for models that take it there", () => {
    expect(toSdk(turn())).toEqual(list);
  });

  it("is one message at the end of the turn for models of the Messages API", () => {
    expect(toSdk(turn(), { isMessagesApi: true, hasTypedFiles: false })).toEqual([
      list[0],
      list[2],
      { role: "system", content: "First.\n\nSecond." },
    ]);
  });
});
