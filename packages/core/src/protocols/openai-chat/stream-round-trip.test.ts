import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StreamOutput } from "../../messages/call/stream.js";
import { startSse, stepSse } from "../sse.js";
import { decodeChatResponse } from "./response.js";
import {
  CHAT_DONE,
  decodeChatEvent,
  endChatStream,
  startChatStream,
  stepChatStream,
} from "./stream-decoder.js";

const head = { id: "chatcmpl-1", model: "gpt-5" };
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("a😀b", "\r\n\n", "\ud83d"),
);
const input = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.constantFrom("", "{", "[1]", "{} "),
);

interface Call {
  readonly name: string;
  readonly json: string;
}

interface Answer {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly Call[];
  readonly finish: string;
  readonly usage: object;
  /** How calls are told apart: by number, by id, or by their names alone. */
  readonly by: "index" | "id" | "name";
}

const answer: fc.Arbitrary<Answer> = fc.record({
  thinking: text,
  text,
  calls: fc.array(fc.record({ name: fc.string({ minLength: 1 }), json: input }), { maxLength: 4 }),
  finish: fc.constantFrom("stop", "length", "tool_calls", "content_filter", "of_tomorrow"),
  usage: fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat() }),
  by: fc.constantFrom("index" as const, "id" as const, "name" as const),
});

const callIds = (by: Answer["by"], position: number): object => (by === "name" ? {} : { id: `t${position}` });

const whole = ({ thinking, text, calls, finish, usage, by }: Answer): unknown => ({
  ...head,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: text,
        reasoning_content: thinking,
        tool_calls: calls.map(({ name, json }, position) => ({
          ...callIds(by, position),
          type: "function",
          function: { name, arguments: json },
        })),
      },
      finish_reason: finish,
    },
  ],
  usage,
});

/** The pieces of a text that is cut at the given places. */
function cut(whole: string, cuts: readonly number[]): readonly string[] {
  const places = cuts.map((place) => place % (whole.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => whole.slice(from, places[index] ?? whole.length));
}

/** Deltas for all calls, those told apart by number in turns. */
function callDeltas({ calls, by }: Answer, cuts: readonly number[]): readonly unknown[] {
  const perCall = calls.map(({ name, json }, position) => {
    const number = by === "index" ? { index: position } : {};
    const [first = "", ...rest] = cut(json, cuts);
    return [
      { ...number, ...callIds(by, position), type: "function", function: { name, arguments: first } },
      ...rest.map((piece) => ({ ...number, function: { arguments: piece } })),
    ];
  });
  if (by !== "index") return perCall.flat();
  const starts = perCall.map(([start]) => start);
  const longest = Math.max(0, ...perCall.map((list) => list.length));
  const inTurns = Array.from({ length: longest }, (_, turn) => perCall.map((list) => list[turn + 1])).flat();
  return [...starts, ...inTurns.filter((delta) => delta !== undefined)];
}

function chunksOf(original: Answer, cuts: readonly number[]): readonly unknown[] {
  const delta = (value: object): unknown => ({
    ...head,
    choices: [{ index: 0, delta: value, finish_reason: null }],
  });
  return [
    delta({ role: "assistant", content: "" }),
    ...cut(original.thinking, cuts).map((piece) => delta({ reasoning_content: piece })),
    ...cut(original.text, cuts).map((content) => delta({ content })),
    ...callDeltas(original, cuts).map((call) => delta({ tool_calls: [call] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: original.finish }] },
    { ...head, choices: [], usage: original.usage },
  ];
}

function decode(chunks: readonly unknown[]): readonly StreamOutput[] {
  let state = startChatStream();
  const outputs = chunks.flatMap((chunk) => {
    const step = stepChatStream(state, chunk);
    ({ state } = step);
    return step.outputs;
  });
  return [...outputs, ...endChatStream(state)];
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe("a streamed chat message", () => {
  it("is the message that the whole response is, however it is cut", () => {
    fc.assert(
      fc.property(answer, cuts, fc.boolean(), (original, places, isEnded) => {
        const decoded = decodeChatResponse(whole(original));
        if (decoded.kind !== "message") throw new Error(decoded.kind);
        const outputs = decode([...chunksOf(original, places), ...(isEnded ? [CHAT_DONE] : [])]);
        expect(outputs.at(-1)).toEqual({ kind: "message", message: decoded.message });
        const malformed = outputs.flatMap((output) =>
          output.kind === "block" && output.malformedInput !== undefined
            ? [{ index: output.index, input: output.malformedInput }]
            : [],
        );
        expect(malformed).toEqual(decoded.malformedInputs);
        expect(decode([whole(original)]).at(-1)).toEqual(outputs.at(-1));
      }),
      { numRuns: 1000 },
    );
  });

  it("is told in pieces that add up to it", () => {
    fc.assert(
      fc.property(answer, cuts, (original, places) => {
        const outputs = decode([...chunksOf(original, places), CHAT_DONE]);
        const pieces = (kind: StreamOutput["kind"]): string =>
          outputs
            .filter((output) => output.kind === kind)
            .map((output) => {
              if (output.kind === "text") return output.text;
              return output.kind === "thinking" ? output.thinking : "";
            })
            .join("");
        expect(pieces("text")).toBe(original.text);
        expect(pieces("thinking")).toBe(original.thinking);
      }),
    );
  });

  it("is the same over the wire in pieces cut anywhere", () => {
    fc.assert(
      fc.property(answer, cuts, cuts, (original, places, wirePlaces) => {
        const chunks = chunksOf(original, places);
        const wire = [
          ": comment\n\n",
          ...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
          "data: [DONE]\n\n",
        ].join("");
        let sse = startSse();
        const events = cut(wire, wirePlaces).flatMap((piece) => {
          const step = stepSse(sse, piece);
          sse = step.state;
          return step.events.map(decodeChatEvent);
        });
        expect(decode(events)).toEqual(decode([...chunks, CHAT_DONE]));
      }),
      { numRuns: 300 },
    );
  });
});
