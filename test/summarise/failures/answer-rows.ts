import { expect } from "vitest";
import type {
  Mended,
  CompactionFailureReason,
} from "../../../packages/core/src/engine/events/compaction-terms.js";
import type { SummaryMode } from "../../../packages/palimpsest/src/simulator/index.js";
import { expectCompacted, type HostOptions } from "../host.js";
import { COMPACTED, type FailureRow, type Outcome } from "./stage.js";
import { answering, REQUEST, summary } from "./good-summary.js";

interface BadAnswer {
  readonly name: string;
  readonly mode: SummaryMode;
  readonly reason: CompactionFailureReason;
  readonly told: string;
}

const badAnswers: readonly BadAnswer[] = [
  {
    name: "an answer without text",
    mode: "empty",
    reason: "no_summary",
    told: "No summary was written; the conversation is unchanged: the answer held no text.",
  },
  {
    name: "a tool call instead of an answer",
    mode: "tool-call",
    reason: "tool_call",
    told: "The model called a tool instead of writing the summary; the conversation is unchanged.",
  },
  {
    name: "a summary that is cut off",
    mode: "truncated",
    reason: "cut_off",
    told: "The summary was cut off before its end; the conversation is unchanged.",
  },
  {
    name: "a summary larger than the conversation",
    mode: "inflated",
    reason: "not_smaller",
    told: "Compacting would not make the conversation noticeably smaller; it is unchanged.",
  },
  {
    name: "a tag that is not closed",
    mode: "unclosed",
    reason: "unclosed_tags",
    told: "The summary had no end; the conversation is unchanged.",
  },
  {
    name: "an API error as the text of the answer",
    mode: "api-error-text",
    reason: "api_error",
    told:
      "The summary could not be written; the conversation is unchanged: API Error: 529 " +
      '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}.',
  },
  {
    name: "a refusal",
    mode: "refusal",
    reason: "no_summary",
    told: "No summary was written; the conversation is unchanged: the model refused to summarise.",
  },
];

/** No answer is cut off that does not cut itself off. */
const roomy: HostOptions = { maxTokens: 60_000, settings: { compactOutputTokens: 60_000 } };

/** What was paid for is told, also where nothing came of it. */
const expectUsageOf =
  (calls: number): NonNullable<FailureRow["check"]> =>
  (_stage, outcome) =>
    expect(outcome.calls).toHaveLength(calls);

const rowsOf = ({ name, mode, reason, told }: BadAnswer): readonly FailureRow[] => [
  {
    name: `${name}, once`,
    host: { ...roomy, summaries: { mode, times: 1 } },
    expected: { outcome: "by streaming", attempts: [`fork: ${reason}`], told: COMPACTED },
    check: expectUsageOf(2),
  },
  {
    name: `${name}, every time`,
    host: { ...roomy, summaries: { mode } },
    expected: {
      outcome: "by extractive",
      attempts: [`fork: ${reason}`, `streaming: ${reason}`],
      told: COMPACTED,
    },
    check: expectUsageOf(2),
  },
  {
    name: `${name}, every time, extractive writer off`,
    host: { ...roomy, summaries: { mode }, settings: { ...roomy.settings, compactExtractive: false } },
    expected: { outcome: reason, attempts: [`fork: ${reason}`, `streaming: ${reason}`], told },
    check: expectUsageOf(2),
  },
];

const mended =
  (expected: Partial<Mended>, ...shown: readonly (string | RegExp)[]) =>
  (_stage: unknown, outcome: Outcome): void => {
    const { mended, summary: text, boundary, writer } = expectCompacted(outcome);
    expect(mended).toEqual({ sectionsAdded: [], messagesAdded: 0, pathsUnknown: [], ...expected });
    expect(boundary.compactMetadata).toMatchObject({ writer, mended });
    for (const part of shown) expect(text).toMatch(part);
    expect(text).not.toContain("<analysis>");
  };

const accepted: FailureRow["expected"] = { outcome: "by fork", told: COMPACTED };

/** What can be mended is no failure. */
const acceptedRows: readonly FailureRow[] = [
  {
    name: "a summary without any tags: taken whole",
    host: { summaries: { mode: "no-tags" } },
    expected: accepted,
    check: (_stage, outcome) => expect(expectCompacted(outcome).summary).toMatch(/^1\. /),
  },
  {
    name: "a summary in good order: taken as it is",
    host: answering(summary()),
    expected: accepted,
    check: mended({}, REQUEST),
  },
  {
    name: "sections are missing or empty: written from the messages",
    host: answering(summary({ 2: undefined, 5: "", 9: undefined })),
    expected: accepted,
    check: mended({ sectionsAdded: [2, 5, 9] }, /^2\. Key technical concepts:/m, /^9\. Optional next step:/m),
  },
  {
    name: "a message of the person is missing: added word for word",
    host: answering(summary({ 6: "- The person asked for something." })),
    expected: accepted,
    check: mended({ messagesAdded: 1 }, REQUEST),
  },
  {
    name: "a file is named that nobody has seen: marked",
    host: answering(summary({ 3: "- /work/invented-by-the-model.ts: was changed." })),
    expected: accepted,
    check: mended(
      { pathsUnknown: ["/work/invented-by-the-model.ts"] },
      /to be checked before use: \/work\/invented-by-the-model\.ts/,
    ),
  },
];

/** Answers to something else than the request for a summary. */
const otherRows: readonly FailureRow[] = [
  ["JSON instead of a summary", '{"ok":true}', "the answer was JSON instead of a summary"],
  [
    "a short answer without tags and sections",
    "I'm ready to go on. What would you like me to do next?",
    "the answer was too short to be a summary",
  ],
].map(([name = "", text = "", detail = ""]) => ({
  name: `${name}, every time, extractive writer off`,
  host: { ...answering(text), settings: { compactExtractive: false } },
  expected: {
    outcome: "no_summary",
    attempts: ["fork: no_summary", "streaming: no_summary"],
    told: `No summary was written; the conversation is unchanged: ${detail}.`,
  },
  check: expectUsageOf(2),
}));

export const answerRows: readonly FailureRow[] = [
  ...badAnswers.flatMap(rowsOf),
  ...otherRows,
  ...acceptedRows,
];
