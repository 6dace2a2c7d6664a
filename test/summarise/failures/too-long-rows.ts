import { expect } from "vitest";
import type { HostOptions } from "../host.js";
import { answering } from "./good-summary.js";
import { COMPACTED, type FailureRow } from "./stage.js";
import { errorResponse, onSummaries, tooLong } from "./summaries-seen.js";

const TOLD = "The conversation is too long even to be summarised: go back a few messages and compact again.";

const figures = (): Response => tooLong("prompt is too long: 203000 tokens > 200000 maximum");
const noFigures = (): Response => tooLong("Prompt is too long for this model.");

/** The first so many requests for a summary are refused. */
const refusing = (times: number, refusal: () => Response): HostOptions => ({
  provider: { wrap: onSummaries((number) => (number <= times ? refusal() : undefined)) },
});

const off = (options: HostOptions): HostOptions => ({
  ...options,
  settings: { ...options.settings, compactExtractive: false },
});

const requests =
  (count: number): NonNullable<FailureRow["check"]> =>
  ({ host }) =>
    expect(host.requests).toHaveLength(count);

const attempts = (streaming: number): readonly string[] => [
  "fork: prompt_too_long",
  ...Array.from({ length: streaming }, () => "streaming: prompt_too_long"),
];

const rowsWith = (name: string, refusal: () => Response): readonly FailureRow[] => [
  {
    name: `too long once, ${name}`,
    host: refusing(1, refusal),
    expected: { outcome: "by streaming", attempts: attempts(0), told: COMPACTED },
    check: requests(2),
  },
  {
    name: `too long three times, ${name}`,
    host: refusing(3, refusal),
    expected: { outcome: "by streaming", attempts: attempts(2), told: COMPACTED },
    check: requests(4),
  },
  {
    name: `too long for ever, ${name}`,
    host: refusing(Infinity, refusal),
    expected: { outcome: "by extractive", attempts: attempts(3), told: COMPACTED },
    check: requests(4),
  },
  {
    name: `too long for ever, ${name}, extractive writer off`,
    host: off(refusing(Infinity, refusal)),
    expected: { outcome: "prompt_too_long", attempts: attempts(3), told: TOLD },
    check: requests(4),
  },
];

export const tooLongRows: readonly FailureRow[] = [
  ...rowsWith("with figures", figures),
  ...rowsWith("without figures", noFigures),
  {
    name: "more bytes than the API takes (413), once",
    host: refusing(1, () => errorResponse(413, { type: "request_too_large", message: "Request too large" })),
    expected: { outcome: "by streaming", attempts: attempts(0), told: COMPACTED },
  },
  {
    name: "the conversation fits into the window, the request for its summary does not",
    host: { window: 23_600 },
    turns: 11,
    provoke: ({ host }) => ({ input: { size: { ...host.input().size, autoCompactAt: 15_000 } } }),
    expected: { outcome: "by streaming", attempts: attempts(0), told: COMPACTED },
  },
  {
    name: "the gap is larger than the conversation",
    host: refusing(Infinity, () => tooLong("prompt is too long: 900000 tokens > 200000 maximum")),
    expected: { outcome: "by extractive", attempts: attempts(0), told: COMPACTED },
    check: requests(1),
  },
  {
    name: "the gap is larger than the conversation, extractive writer off",
    host: off(refusing(Infinity, () => tooLong("prompt is too long: 900000 tokens > 200000 maximum"))),
    expected: { outcome: "prompt_too_long", attempts: attempts(0), told: TOLD },
    check: requests(1),
  },
  {
    name: "the conversation was refused as too long, and nothing can be dropped, extractive writer off",
    host: off({}),
    turns: 0,
    provoke: () => ({ input: { isRefused: true } }),
    expected: { outcome: "prompt_too_long", told: TOLD },
    check: requests(0),
  },
  {
    name: "the conversation was refused as too long: whatever sends all of it is not tried",
    provoke: () => ({ input: { isRefused: true } }),
    expected: { outcome: "by streaming", told: COMPACTED },
    check: ({ host }) => expect(host.requests.map(({ writer }) => writer)).toEqual(["streaming"]),
  },
  {
    name: "the conversation was refused as too long, and no retry is allowed, extractive writer off",
    host: off({ settings: { compactRetries: 0 } }),
    provoke: () => ({ input: { isRefused: true } }),
    expected: { outcome: "prompt_too_long", told: TOLD },
    check: requests(0),
  },
  {
    name: "`from`: with all that is kept it is too long, without it it fits",
    host: refusing(1, () => tooLong("prompt is too long: 900000 tokens > 200000 maximum")),
    provoke: ({ host }) => ({
      input: { scope: { kind: "from", pivot: host.live.at(-6)?.uuid ?? "" } },
    }),
    expected: { outcome: "by streaming", attempts: attempts(0), told: COMPACTED },
    check: ({ host }) =>
      expect(JSON.stringify(host.requests[1]?.request)).not.toContain("truncated for compaction"),
  },
  {
    name: "too long as the text of an answer, every time, extractive writer off",
    host: off(answering("Prompt is too long")),
    expected: { outcome: "prompt_too_long", attempts: attempts(3), told: TOLD },
  },
];
