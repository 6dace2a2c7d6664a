import { expect, it } from "vitest";
import {
  createAssistantMessage,
  createAttachmentMessage,
  createCompactBoundary,
  createUserMessage,
} from "../../../messages/construct.js";
import type { Message, Usage } from "../../../messages/message.js";
import { sequentialIds } from "../../../testing/sequential-ids.js";
import { recordedRequests } from "./recorded-requests.js";

const ids = sequentialIds("m");
const at = (seconds: number) => ({
  clock: { now: () => seconds * 1000 },
  ids,
  sessionId: "s",
  parentUuid: null,
});
const asked = (seconds: number): Message => createUserMessage(at(seconds), { content: "go on" });
const answered = (
  seconds: number,
  usage: Partial<Usage>,
  { id = `r${seconds}`, model = "claude-opus-5" } = {},
): Message =>
  createAssistantMessage(at(seconds), {
    id,
    model,
    content: [{ type: "text", text: "so" }],
    usage: { input_tokens: 0, output_tokens: 9, ...usage },
  });

it("tells requests from responses: when they began, what was there before, what is new", () => {
  const messages = [
    asked(10),
    answered(15, { cache_creation_input_tokens: 900, input_tokens: 100 }, { id: "one" }),
    answered(17, { cache_creation_input_tokens: 900, input_tokens: 100 }, { id: "one" }),
    asked(18),
    createAttachmentMessage(at(20), { type: "todos" }),
    answered(25, { cache_read_input_tokens: 1000, cache_creation_input_tokens: 500 }),
    // shorter than before: the person went back
    asked(400),
    answered(410, { cache_read_input_tokens: 700, input_tokens: 500 }),
  ];
  const model = "claude-opus-5";
  expect(recordedRequests(messages)).toEqual([
    { at: 10_000, prefixTokens: 0, newTokens: 1000, model, followsCompaction: false },
    { at: 20_000, prefixTokens: 1000, newTokens: 500, model, followsCompaction: false },
    { at: 400_000, prefixTokens: 1200, newTokens: 0, model, followsCompaction: false },
  ]);
});

it("behind a compaction or with another model, what the cache gave is what was there", () => {
  const messages = [
    asked(1),
    answered(2, { input_tokens: 9000 }),
    createCompactBoundary(at(3), { trigger: "auto", preTokens: 9000 }),
    asked(4),
    answered(5, { cache_read_input_tokens: 2000, cache_creation_input_tokens: 1000 }),
    asked(6),
    answered(7, { cache_read_input_tokens: 100, input_tokens: 3000 }, { model: "claude-sonnet-5" }),
  ];
  expect(
    recordedRequests(messages).map(({ prefixTokens, newTokens, followsCompaction }) => [
      prefixTokens,
      newTokens,
      followsCompaction,
    ]),
  ).toEqual([
    [0, 9000, false],
    [2000, 1000, true],
    [100, 3000, false],
  ]);
});

it("leaves out errors, sidechains and what has no usage or time; time never goes back", () => {
  const messages: Message[] = [
    answered(50, { input_tokens: 10 }),
    { ...answered(51, { input_tokens: 10 }), isSidechain: true },
    createAssistantMessage(at(52), { id: "e", model: "<synthetic>", content: [], isApiErrorMessage: true }),
    createAssistantMessage(at(53), { id: "none", model: "claude-opus-5", content: [] }),
    { ...asked(30), timestamp: "yesterday" },
    asked(20),
    answered(54, { input_tokens: 30 }),
  ];
  expect(recordedRequests(messages).map(({ at }) => at)).toEqual([50_000, 50_000]);
  expect(recordedRequests([])).toEqual([]);
});
