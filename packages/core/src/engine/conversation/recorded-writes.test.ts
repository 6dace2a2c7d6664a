import { expect, it } from "vitest";
import {
  createAssistantMessage,
  createCompactBoundary,
  createUserMessage,
} from "../../messages/construct.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { sequentialIds } from "../../testing/sequential-ids.js";
import { simulatedClock } from "../../testing/simulated-clock.js";
import { createClearingBoundary } from "../boundaries/clearing-boundary.js";
import { recordedWrites } from "./recorded-writes.js";

const clock = simulatedClock(0);
const ids = sequentialIds("m");
const origin = () => ({ clock, ids, sessionId: "s", parentUuid: null });
const asks = (text: string): Message => createUserMessage(origin(), { content: [{ type: "text", text }] });
const calls = (id: string): Message =>
  createAssistantMessage(origin(), {
    id: `msg-${id}`,
    model: "claude-opus-5",
    content: [{ type: "tool_use", id, name: "Read", input: {} }],
  });
const result = (id: string): Message =>
  createUserMessage(origin(), { content: [{ type: "tool_result", tool_use_id: id, content: id }] });
const cleared = (...toolUseIds: readonly string[]): Message =>
  createClearingBoundary(origin(), {
    variant: "size-based",
    trigger: "auto",
    toolUseIds,
    tokensBefore: 2,
    tokensAfter: 1,
  });

const writes = (live: readonly Message[]): readonly number[] =>
  recordedWrites(live, normalise(live).messages, "5m").map(({ position }) => position.message);

it("every request wrote up to its last message", () => {
  expect(writes([asks("go"), calls("a"), result("a"), calls("b"), result("b"), calls("c")])).toEqual([
    0, 2, 4,
  ]);
});

it("what was written of results that were cleared since is not there any more, and what came after is", () => {
  const before = [asks("go"), calls("a"), result("a"), calls("b"), result("b"), calls("c"), result("c")];
  expect(writes([...before, cleared("b"), calls("d")])).toEqual([0, 2, 6]);
  expect(writes([...before, cleared("a"), calls("d")])).toEqual([0, 6]);
  expect(writes([...before, cleared("a"), calls("d"), result("d"), cleared("b"), calls("e")])).toEqual([
    0, 8,
  ]);
});

it("what a compaction kept was written after another beginning: it is not there after a summary", () => {
  const kept = [calls("a"), result("a")];
  clock.advance(1000);
  const boundary = createCompactBoundary(origin(), { trigger: "auto", preTokens: 100 });
  const summary = asks("a summary");
  clock.advance(1000);
  const since = [calls("b"), result("b"), calls("c")];
  expect(writes([boundary, summary, ...kept, ...since])).toEqual([2, 4]);
});
