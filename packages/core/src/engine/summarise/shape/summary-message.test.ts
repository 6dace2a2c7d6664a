import { describe, expect, it } from "vitest";
import { isHumanMessage } from "../../../messages/predicates.js";
import { createSample } from "../../tools/testing/sample.js";
import { createSummaryMessage, isSummaryText, type SummaryMessageParts } from "./summary-message.js";

const sample = createSample();
const parts: SummaryMessageParts = {
  summary: "1. Primary request: all of it.",
  continuation: "continue",
  hasKeptMessages: false,
};
const message = (change: Partial<SummaryMessageParts> = {}) =>
  createSummaryMessage(sample.origin(), { ...parts, ...change });
const textOf = (change: Partial<SummaryMessageParts> = {}): string => {
  const { content } = message(change).message;
  return typeof content === "string" ? content : "";
};

describe("the message that stands for a conversation", () => {
  it("is a user message that is marked as a summary, and no person's", () => {
    expect(message()).toMatchObject({
      type: "user",
      message: { role: "user" },
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    });
    expect(isHumanMessage(message())).toBe(false);
  });

  it("says first what it is, then the summary, then where the transcript is and that messages follow", () => {
    const text = textOf({
      transcriptPath: "/data/s.jsonl",
      droppedHint: "Seven messages went: ask for them.",
      hasKeptMessages: true,
      workRecord: "Last calls: none.",
    });
    const order = [
      "summary of it",
      parts.summary,
      "Last calls: none.",
      "/data/s.jsonl",
      "\n\nSeven messages went: ask for them.\n\n",
      "follow the summary word for word",
    ].map((piece) => text.indexOf(piece));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(-1);
    expect(isSummaryText(text)).toBe(true);
    expect(textOf()).not.toMatch(/transcript is at|word for word/);
  });

  it("after a compaction by itself sends the model on without a question or a recap", () => {
    expect(textOf()).toMatch(/ask nothing first, and do not confirm, repeat or announce anything/);
  });

  it("after one by hand leaves the model free to ask", () => {
    expect(textOf({ continuation: "ask" })).not.toMatch(/ask nothing first/);
  });

  it("where nobody is there says that a running loop goes on, without a greeting", () => {
    expect(textOf({ continuation: "autonomous" })).toMatch(
      /not a first start: continue it, without a greeting/,
    );
    expect(textOf()).not.toMatch(/not a first start/);
  });
});
