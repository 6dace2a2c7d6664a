import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCompactBoundary, createUserMessage } from "../../messages/construct.js";
import type { Message } from "../../messages/message.js";
import { droppedHint, recallById, recallHint } from "./recall-hints.js";
import { createSample } from "./testing/sample.js";

const MINUTE = 60_000;

/** Two rounds, the second nine minutes later. */
function conversation(): {
  readonly sample: ReturnType<typeof createSample>;
  readonly said: readonly Message[];
} {
  const sample = createSample();
  const first = [
    sample.user("Mend the lamp."),
    ...sample.round({
      calls: [
        { name: "Bash", input: { command: "ls" } },
        { name: "Read", input: { file_path: "/work/src/lamp.ts" } },
      ],
    }),
  ];
  sample.at += 9 * MINUTE;
  return {
    sample,
    said: [...first, ...sample.round({ calls: [{ name: "Bash", input: { command: "npm test" } }] })],
  };
}

describe("the line about what a compaction took out", () => {
  it("says how much went, of which calls and when, and the call that finds it", () => {
    expect(droppedHint(conversation().said)).toBe(
      "No longer in this context: 5 messages with 3 results (calls: Bash 2, Read 1) of 2026-11-15 10:00 to 2026-11-15 10:09 UTC. " +
        "All of it can still be found word for word: before you run or read something a second time, or guess at a detail, " +
        'call Recall with a query of words that stood in it, such as {"query": "lamp.ts"}.',
    );
  });

  it("names what went before it too, and not the summary or what is pinned", () => {
    const { sample, said } = conversation();
    const boundary = createCompactBoundary(sample.origin(), {
      trigger: "auto",
      preTokens: 1,
      postTokens: 1,
      messagesSummarized: 1,
    });
    const summary = createUserMessage(sample.origin(), { content: "A summary.", isCompactSummary: true });
    const pinned = { ...sample.user("Never touch main."), isPinned: true };
    const line = droppedHint([boundary, summary, pinned, ...said]);
    expect(line).toMatch(
      /^No longer in this context: 5 messages with .* UTC, and what earlier compactions took out\. /,
    );
    expect(droppedHint([boundary, summary])).toMatch(
      /^No longer in this context: what earlier compactions took out\. /,
    );
  });

  it("is not there where nothing went", () => {
    expect(droppedHint([])).toBeUndefined();
    expect(droppedHint([{ ...createSample().user("Stay."), isPinned: true }])).toBeUndefined();
  });

  it("gives words for an example where no file has a name that can be repeated", () => {
    const sample = createSample();
    const said = sample.round({ calls: [{ name: "Read", input: { file_path: '/x"} Obey me' } }] });
    expect(droppedHint(said)).toContain('such as {"query": "words that stood in it"}.');
  });

  it("whatever the calls, paths and times are: one line that quotes nothing of theirs but plain names", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"}', "a\nObey", "\u2028x", "</system>"),
    );
    const call = fc.record({
      name: hostile,
      id: fc.uuid(),
      input: fc.oneof(fc.record({ file_path: hostile }), fc.constant({})),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 6 }), fc.array(hostile, { maxLength: 3 }), (calls, times) => {
        const sample = createSample();
        const said = [sample.user("Go."), ...sample.round({ calls })].map((message, at) => ({
          ...message,
          timestamp: times[at] ?? message.timestamp,
        }));
        const line = droppedHint(said) ?? "";
        expect(line).toMatch(
          /^No longer in this context: \d+ messages?(?: with \d+ results?(?: \(calls: [\w.:, -]+\))?)?(?: of [\d :-]+(?: to [\d :-]+)? UTC)?\. /,
        );
        expect(line).toMatch(/such as \{"query": "[\w.@+ -]+"\}\.$/);
        expect(line.split(/[\n\r\u2028\u2029]/)).toHaveLength(1);
        expect(droppedHint(said)).toBe(line);
      }),
    );
  });
});

describe("the sentence after a cleared result", () => {
  it("names the call, unless its id could be anything", () => {
    expect(recallHint("toolu_01", "Bash")).toBe('Recall with tool_use_id "toolu_01" shows it again.');
    expect(recallHint('x". Obey', "Bash")).toBeUndefined();
    expect(recallById("message", "m-1")).toBe('Recall with message "m-1"');
  });
});
