import { describe, expect, it } from "vitest";
import type { StreamOutput } from "../../messages/call/stream.js";
import type { AssistantBlock } from "../../messages/content.js";
import type { Fields } from "../../messages/fields.js";
import { CHAT_DONE, startChatStream, stepChatStream, type ChatStreamState } from "./stream-decoder.js";

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5" };
const chunk = (delta: unknown, finish_reason: unknown = null, more: Fields = {}): unknown => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const text = (content: string): unknown => chunk({ content });
const stop = chunk({}, "stop");
const calls = (...tool_calls: readonly unknown[]): unknown => chunk({ tool_calls });
const call = (index: unknown, id: unknown, name: unknown, args: unknown): unknown => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});
const more = (index: unknown, args: string): unknown => call(index, undefined, undefined, args);

function play(...chunks: readonly unknown[]): { state: ChatStreamState; outputs: StreamOutput[] } {
  let state = startChatStream();
  const outputs = chunks.flatMap((value) => {
    const step = stepChatStream(state, value);
    ({ state } = step);
    return step.outputs;
  });
  return { state, outputs };
}

function contentOf(...chunks: readonly unknown[]): readonly AssistantBlock[] | undefined {
  const last = play(...chunks, CHAT_DONE).outputs.at(-1);
  return last?.kind === "message" ? last.message.content : undefined;
}

describe("calls in a stream", () => {
  it.each([
    [
      "in turns",
      [
        calls(call(0, "a", "x", ""), call(1, "b", "y", "")),
        calls(more(1, "{"), more(0, "{")),
        calls(more(0, "}"), more(1, "}")),
      ],
    ],
    ["whole", [calls(call(0, "a", "x", "{}"), call(1, "b", "y", "{}"))]],
    ["without numbers", [calls(call(undefined, "a", "x", "{}")), calls(call(undefined, "b", "y", "{}"))]],
    [
      "without numbers, in pieces",
      [
        calls(call(undefined, "a", "x", "{")),
        calls(more(undefined, "}")),
        calls(call(undefined, "b", "y", "{")),
        calls(call(undefined, "b", undefined, "}")),
      ],
    ],
    ["all with the same number", [calls(call(0, "a", "x", "{}")), calls(call(0, "b", "y", "{}"))]],
    [
      "with a new id in every piece",
      [calls(call(0, "a", "x", "{")), calls(call(0, "z", undefined, "}")), calls(call(1, "b", "y", "{}"))],
    ],
    [
      "with the name in every piece",
      [calls(call(0, "a", "x", "{")), calls(call(0, "a", "x", "}")), calls(call(1, "b", "y", "{}"))],
    ],
    [
      "with empty pieces between",
      [
        calls(call(0, "a", "x", "")),
        calls(more(0, "{}")),
        calls(more(0, "")),
        calls({ index: 7 }),
        calls(call(1, "b", "y", "{}")),
      ],
    ],
    ["as objects", [calls(call(0, "a", "x", {}), call(1, "b", "y", {}))]],
  ])("reads calls that come %s", (_how, chunks) => {
    expect(contentOf(...chunks, stop)).toEqual([
      { type: "tool_use", id: "a", name: "x", input: {} },
      { type: "tool_use", id: "b", name: "y", input: {} },
    ]);
  });

  it("makes ids where there are none: the same again, others for another response", () => {
    const nameless = [calls(call(undefined, "", "x", "{}"), call(undefined, undefined, "y", "{}")), stop];
    const idsOf = (content: readonly AssistantBlock[] | undefined): readonly unknown[] =>
      (content ?? []).map((block) => (block.type === "tool_use" ? block.id : undefined));
    const ids = idsOf(contentOf(...nameless));
    expect(new Set(ids).size).toBe(2);
    expect(idsOf(contentOf(...nameless))).toEqual(ids);
    const other = nameless.map((value) => ({ ...(value as Fields), id: "chatcmpl-2" }));
    expect(idsOf(contentOf(...other))).not.toEqual(ids);
    const twice = contentOf(calls(call(0, "t", "x", "{}")), calls(call(1, "t", "y", "{}")), stop);
    expect(new Set(idsOf(twice)).size).toBe(2);
  });

  it("keeps a call whose arguments are no object", () => {
    const { outputs } = play(calls(call(0, "t", "read", '{"path":"a')), chunk({}, "length"), CHAT_DONE);
    expect(outputs.at(-2)).toEqual({
      kind: "block",
      index: 0,
      block: { type: "tool_use", id: "t", name: "read", input: {} },
      malformedInput: '{"path":"a',
    });
    expect(outputs.at(-1)).toMatchObject({ message: { stop_reason: "max_tokens" } });
  });

  it("reads calls of a whole response that have the same number and id", () => {
    const message = { tool_calls: [call(0, "t", "x", "{}"), call(0, "t", "y", "{}")] };
    const content = contentOf({ ...head, choices: [{ message, finish_reason: "tool_calls" }] });
    expect(content).toMatchObject([{ name: "x" }, { name: "y" }]);
  });

  it.each([
    ["a call without a name", [calls(call(0, "t", undefined, "{}"))]],
    [
      "more arguments for a call that was over",
      [calls(call(0, "t", "x", "{}")), calls(call(1, "u", "y", "{}")), calls(more(0, "{}"))],
    ],
  ])("reports %s", (_what, chunks) => {
    expect(play(...chunks, stop, CHAT_DONE).outputs.at(-1)).toMatchObject({
      kind: "violation",
      violation: { code: "wrong-delta" },
    });
  });

  it("tells calls that come in turns one after the other, the first of them as it comes", () => {
    const { outputs } = play(
      calls(call(0, "a", "x", ""), call(1, "b", "y", "")),
      calls(more(1, "{")),
      calls(more(0, "{")),
      calls(more(0, "}"), more(1, "}")),
      text("done"),
      stop,
      CHAT_DONE,
    );
    expect(
      outputs.map((output) => ("index" in output ? [output.kind, output.index] : [output.kind])),
    ).toEqual([
      ["start"],
      ["block-start", 0],
      ["tool-input", 0],
      ["tool-input", 0],
      ["block", 0],
      ["block-start", 1],
      ["tool-input", 1],
      ["block", 1],
      ["block-start", 2],
      ["text", 2],
      ["block", 2],
      ["message"],
    ]);
  });
});
