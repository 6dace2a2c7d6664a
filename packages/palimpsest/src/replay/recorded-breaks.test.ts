import {
  createAssistantMessage,
  createUserMessage,
  type Message,
  type MessageOrigin,
} from "@palimpsest/core";
import { createCompactBoundary } from "@palimpsest/core/engine";
import { expect, it } from "vitest";
import { analyzeRecording } from "./analyze-recording.js";
import { noCounts, type Recording } from "./readers/recording.js";
import { recordedBreaks } from "./recorded-breaks.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A conversation that is written down line by line. */
function recorder() {
  const messages: Message[] = [];
  let now = Date.UTC(2026, 10, 15, 10);
  let parentUuid: string | null = null;
  const origin = (): MessageOrigin => ({
    clock: { now: () => now },
    ids: { next: () => `u${messages.length}` },
    sessionId: "s",
    parentUuid,
  });
  const add = (message: Message): Message => {
    messages.push(message);
    parentUuid = message.uuid;
    return message;
  };
  const recording = (): Recording => ({ format: "claude-code", messages, counts: noCounts, damaged: [] });
  return {
    messages,
    add,
    origin,
    recording,
    breaks: () => recordedBreaks(recording()),
    wait: (milliseconds: number) => void (now += milliseconds),
    /** What follows hangs on this message. */
    goBackTo: (uuid: string) => void (parentUuid = uuid),
    /** A question, and five seconds later the answer with these figures. */
    round: (
      read: number,
      written: number,
      change: { model?: string; usage?: object; pieces?: number } = {},
    ) => {
      const { model = "claude-opus-5", usage = {}, pieces = 1 } = change;
      add(createUserMessage(origin(), { content: "question" }));
      now += 5 * SECOND;
      const id = `msg_${messages.length}`;
      for (let piece = 0; piece < pieces; piece += 1) {
        add(
          createAssistantMessage(origin(), {
            id,
            model,
            content: [{ type: "text", text: "answer" }],
            usage: {
              input_tokens: 10,
              output_tokens: 20,
              cache_read_input_tokens: read,
              cache_creation_input_tokens: written,
              ...usage,
            },
          }),
        );
      }
      return id;
    },
  };
}

const hour = (written: number) => ({
  usage: { cache_creation: { ephemeral_1h_input_tokens: written, ephemeral_5m_input_tokens: 0 } },
});

it("a reading far below what was left is a break, counted once however many pieces it has", () => {
  const { round, breaks, wait } = recorder();
  round(0, 50_000, { pieces: 3 });
  wait(MINUTE);
  round(50_000, 1000, { pieces: 2 });
  const messageId = round(10_000, 45_000, { pieces: 2 });
  round(54_000, 500);
  expect(breaks()).toEqual([
    {
      at: "2026-11-15T10:01:15.000Z",
      messageId,
      model: "claude-opus-5",
      expectedTokens: 51_000,
      readTokens: 10_000,
      lostTokens: 41_000,
      lostShare: 41 / 51,
      gapMs: 5000,
      reason: "not-visible",
      detail: "reason not visible in the recording",
      cost: expect.closeTo(0.041 * (6.25 - 0.5), 10) as number,
    },
  ]);
});

it.each<[string, number, object, object, string, string]>([
  ["5 minutes by default", 6 * MINUTE, {}, {}, "expired", "possible TTL expiry (6 min without a request)"],
  [
    "an hour where it was written for one",
    70 * MINUTE,
    hour(50_000),
    hour(51_000),
    "expired",
    "possible TTL expiry (70 min without a request, lifetime 1h)",
  ],
  [
    "less than that",
    6 * MINUTE,
    hour(50_000),
    hour(51_000),
    "not-visible",
    "reason not visible in the recording",
  ],
  [
    "another lifetime",
    MINUTE,
    hour(50_000),
    { usage: { cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 51_000 } } },
    "ttl-changed",
    "markers changed (TTL 1h → 5m)",
  ],
  [
    "another model",
    6 * MINUTE,
    {},
    { model: "claude-sonnet-5" },
    "model-changed",
    "model changed (claude-opus-5 → claude-sonnet-5)",
  ],
])("the reason: %s", (_, gap, first, second, reason, detail) => {
  const { round, breaks, wait } = recorder();
  round(0, 50_000, first);
  wait(gap - 5 * SECOND);
  round(0, 51_000, second);
  expect(breaks()).toMatchObject([{ reason, detail, gapMs: gap }]);
});

it("going back to an earlier message is a reason; a link that leads nowhere is none", () => {
  const back = recorder();
  back.round(0, 50_000);
  const from = back.messages.at(-1)?.uuid ?? "";
  back.round(50_000, 20_000);
  back.goBackTo(from);
  back.round(50_000, 1000);
  expect(back.breaks()).toMatchObject([{ reason: "messages-changed", lostTokens: 20_000 }]);
  const torn = recorder();
  torn.round(0, 50_000);
  torn.goBackTo("nobody");
  torn.round(0, 51_000);
  expect(torn.breaks()).toMatchObject([{ reason: "not-visible" }]);
});

it("the request begins where its question was written, not where its answer came", () => {
  const { add, origin, breaks, wait } = recorder();
  const usage = (read: number, written: number) => ({
    input_tokens: 1,
    output_tokens: 1,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  });
  const answer = (id: string, figures: ReturnType<typeof usage>) =>
    add(createAssistantMessage(origin(), { id, model: "claude-opus-5", content: [], usage: figures }));
  add(createUserMessage(origin(), { content: "think long" }));
  wait(4 * MINUTE);
  answer("a", usage(0, 50_000));
  wait(2 * MINUTE);
  add(createUserMessage(origin(), { content: "next" }));
  wait(3 * MINUTE);
  answer("b", usage(0, 51_000));
  expect(breaks()).toMatchObject([{ reason: "expired", gapMs: 6 * MINUTE }]);
});

it("is none: behind a compaction, behind a clearing, on small fast models, in a sidechain, without figures", () => {
  const { round, breaks, add, origin } = recorder();
  round(0, 50_000);
  add(createCompactBoundary(origin(), { trigger: "auto", preTokens: 50_000 }));
  round(0, 10_000);
  const clearing = {
    variant: "size-based",
    trigger: "auto",
    toolUseIds: ["t"],
    tokensBefore: 9,
    tokensAfter: 1,
  };
  add({
    ...createCompactBoundary(origin(), { trigger: "auto", preTokens: 0 }),
    subtype: "microcompact_boundary",
    microcompactMetadata: clearing,
  } as Message);
  round(1000, 4000);
  round(0, 5000, { model: "claude-haiku-4-5" });
  round(0, 90_000, { usage: { cache_creation_input_tokens: null, cache_read_input_tokens: null } });
  const side = add(createUserMessage(origin(), { content: "aside" }));
  add({
    ...createAssistantMessage(origin(), {
      id: "side",
      model: "claude-opus-5",
      content: [],
      usage: {
        input_tokens: 9,
        output_tokens: 1,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 1,
      },
    }),
    isSidechain: true,
    parentUuid: side.uuid,
  });
  round(5000, 100);
  expect(breaks()).toEqual([]);
});

it("of providers that report no writes, what was read before is what has to be there", () => {
  const { round, breaks } = recorder();
  const model = "gpt-5.5";
  const plain = (input: number) => ({ model, usage: { input_tokens: input } });
  round(0, 0, plain(30_000));
  round(0, 0, plain(32_000));
  round(30_000, 0, plain(4000));
  round(8000, 0, plain(27_000));
  expect(breaks()).toMatchObject([{ expectedTokens: 30_000, lostTokens: 22_000, cost: null }]);
});

it("stands in the analysis", () => {
  const { round, recording } = recorder();
  round(0, 50_000);
  round(0, 51_000);
  expect(analyzeRecording(recording()).cacheBreaks).toHaveLength(1);
});

it("responses without a model do not make it throw, and are no change of the model", () => {
  const { round, breaks, recording, messages } = recorder();
  round(0, 50_000);
  round(0, 50_000);
  round(0, 50_000);
  for (const message of messages.slice(2, 6)) {
    if (message.type === "assistant") Reflect.deleteProperty(message.message, "model");
  }
  expect(breaks()).toMatchObject([
    { model: "", reason: "not-visible", cost: null },
    { model: "", reason: "not-visible", cost: null },
  ]);
  expect(analyzeRecording(recording()).cacheBreaks).toHaveLength(2);
});
