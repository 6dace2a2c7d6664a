import type { ModelResponse } from "../../messages/call/response.js";
import type { RequestMessage, ToolUseBlock } from "../../messages/content.js";
import { check, checkSame } from "../check.js";
import type { ModelProviderCase } from "./model-provider-case.js";
import {
  checkRequests,
  messageOf,
  question,
  scripted,
  streamed,
  textIn,
  textOf,
  type Streamed,
} from "./steps.js";

const LONG_TEXT = 'A palimpsest: čistá deska, 羊皮紙, 👩‍👩‍👧‍👦 \u{10ffff}, "quotes" \\ and\nline breaks.\n'.repeat(
  60,
);

const NESTED_INPUT = {
  path: "src/häuser/漢字 👩‍👩‍👧‍👦.ts",
  text: 'line\n"quoted" \\ tab\t\u2028 end',
  options: { deep: [{ on: true, off: false, none: null }, [], {}, [[1, -2.5, 1e-7, 123_456_789]]] },
  'key with spaces, ž and "': "",
};

const callsOf = ({ content }: ModelResponse): readonly ToolUseBlock[] =>
  content.filter((block): block is ToolUseBlock => block.type === "tool_use");

export const answerCases: readonly ModelProviderCase[] = [
  scripted({
    name: "a text arrives in pieces that add up to the message",
    script: [{ text: LONG_TEXT }],
    async run(harness) {
      const stream = await streamed(harness);
      const message = messageOf(stream);
      check(textOf(message) === LONG_TEXT, "the text of the message is not what the server said");
      check(textIn(stream) === LONG_TEXT, "the streamed text is not what the server said");
      check(message.stop_reason === "end_turn", `the stop reason is ${String(message.stop_reason)}`);
      check(message.id !== "" && message.model !== "", "the message has no id or no model");
      checkSame(stream.retries, [], "retries");
      checkRequests(harness, 1);
    },
  }),
  scripted({
    name: "parallel calls arrive with ids of their own and exact inputs",
    script: [
      {
        text: "I look at it.",
        calls: [
          { name: "read", input: NESTED_INPUT },
          { name: "read", input: {} },
          { name: "write", input: { text: LONG_TEXT } },
        ],
      },
    ],
    async run(harness) {
      const message = messageOf(await streamed(harness));
      const calls = callsOf(message);
      checkSame(
        calls.map(({ name, input }) => ({ name, input })),
        [
          { name: "read", input: NESTED_INPUT },
          { name: "read", input: {} },
          { name: "write", input: { text: LONG_TEXT } },
        ],
        "calls",
      );
      check(new Set(calls.map(({ id }) => id)).size === 3, "the ids of the calls are not unique");
      check(
        calls.every(({ id }) => id !== ""),
        "a call has an empty id",
      );
      check(textOf(message) === "I look at it.", "the text beside the calls is another one");
      check(message.stop_reason === "tool_use", `the stop reason is ${String(message.stop_reason)}`);
    },
  }),
  scripted({
    name: "a call without text is an answer",
    script: [{ calls: [{ name: "read", input: { path: "a" } }] }],
    async run(harness) {
      const message = messageOf(await streamed(harness));
      checkSame(
        callsOf(message).map(({ input }) => input),
        [{ path: "a" }],
        "inputs",
      );
    },
  }),
  scripted({
    name: "usage is reported in numbers",
    script: [{ text: "Some words to be counted." }],
    async run(harness) {
      const { usage } = messageOf(await streamed(harness));
      for (const field of ["input_tokens", "output_tokens"] as const) {
        const value = usage[field];
        check(Number.isFinite(value) && value >= 0, `usage.${field} is ${String(value)}`);
      }
      for (const field of ["cache_read_input_tokens", "cache_creation_input_tokens"] as const) {
        const value = usage[field] ?? 0;
        check(Number.isFinite(value) && value >= 0, `usage.${field} is ${String(value)}`);
      }
      check(usage.output_tokens > 0, "usage.output_tokens is 0, though there was a text");
    },
  }),
  scripted({
    name: "a conversation with calls and results goes on for several turns",
    script: [
      { text: "First.", calls: [{ name: "read", input: { path: "a" } }] },
      {
        calls: [
          { name: "read", input: { path: "b" } },
          { name: "write", input: { path: "c" } },
        ],
      },
      { text: "All done." },
    ],
    async run(harness) {
      const messages: RequestMessage[] = [question("Do it.")];
      let inputTokens = 0;
      for (let turn = 1; turn <= 2; turn += 1) {
        const message = messageOf(await streamed(harness, { messages }));
        const calls = callsOf(message);
        check(calls.length === turn, `turn ${turn} has ${calls.length} calls`);
        inputTokens = totalInput(message);
        messages.push(
          { role: "assistant", content: message.content },
          {
            role: "user",
            content: calls.map(({ id }, index) => ({
              type: "tool_result" as const,
              tool_use_id: id,
              content: `result ${turn}.${index} `.repeat(50),
              ...(index === 1 ? { is_error: true } : {}),
            })),
          },
        );
      }
      const last = messageOf(await streamed(harness, { messages }));
      check(textOf(last) === "All done.", "the last answer is another one");
      check(totalInput(last) > inputTokens, "the input did not grow: the model did not see the results");
      checkRequests(harness, 3);
    },
  }),
  scripted({
    name: "two calls at once on one provider do not mix",
    script: [{ text: `one ${"1".repeat(3000)}` }, { text: `two ${"2".repeat(3000)}` }],
    async run(harness) {
      const streams: readonly Streamed[] = await Promise.all([
        streamed(harness, { messages: [question("left")] }),
        streamed(harness, { messages: [question("right")] }),
      ]);
      checkSame(
        streams.map((stream) => textOf(messageOf(stream)).slice(0, 4)).toSorted(),
        ["one ", "two "],
        "answers",
      );
      for (const stream of streams) {
        const text = textIn(stream);
        check(/^(?:one 1+|two 2+)$/.test(text), "the text of one call holds pieces of the other");
      }
      checkRequests(harness, 2);
    },
  }),
  scripted({
    name: "one provider serves one call after the other",
    script: [{ text: "one" }, { text: "two" }],
    async run(harness) {
      check(textOf(messageOf(await streamed(harness))) === "one", "the first answer is another one");
      check(textOf(messageOf(await streamed(harness))) === "two", "the second answer is another one");
    },
  }),
  scripted({
    name: "capabilities are known for every model, of whatever name",
    script: [],
    async run({ provider, model }) {
      check(provider.name !== "", "the provider has no name");
      for (const name of [model, "a-model-that-nobody-knows", ""]) {
        const { caching, maxMarkers, lookback, ttls } = provider.capabilities(name);
        const isMarked = caching === "markers";
        check(isMarked === maxMarkers > 0, `${caching} caching with ${maxMarkers} markers (${name})`);
        check(isMarked === ttls.length > 0, `${caching} caching with ${ttls.length} lifetimes (${name})`);
        check(lookback >= 0, `a lookback of ${lookback} (${name})`);
      }
    },
  }),
];

const totalInput = ({ usage }: ModelResponse): number =>
  usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
