import { expect } from "vitest";
import type { ModelProvider } from "@palimpsest/core";
import type { Fault } from "../../../packages/palimpsest/src/simulator/http/faults.js";
import type { HostOptions } from "../host.js";
import { COMPACTED, type FailureRow, type Provocation, type Stage } from "./stage.js";
import { errorResponse, onSummaries } from "./summaries-seen.js";

interface ApiFault {
  readonly name: string;
  /** What the person is told after "The summary could not be written; the conversation is unchanged: ". */
  readonly cause: string;
  /** Requests that it takes for one call to fail for good. */
  readonly requests: number;
  readonly fault?: Fault;
  readonly answer?: () => Response;
}

const faults: readonly ApiFault[] = [
  { name: "529, also on retries", cause: "Overloaded", requests: 2, fault: { fault: "529" } },
  { name: "500, also on retries", cause: "Internal server error", requests: 2, fault: { fault: "500" } },
  {
    name: "429, also on retries",
    cause: "Number of requests exceeds the limit",
    requests: 2,
    answer: () =>
      errorResponse(429, { type: "rate_limit_error", message: "Number of requests exceeds the limit." }),
  },
  { name: "401", cause: "invalid x-api-key", requests: 1, fault: { fault: "401" } },
  {
    name: "the connection is cut before the answer begins",
    cause: "the connection broke (ECONNRESET)",
    requests: 2,
    fault: { fault: "cut", events: 0 },
  },
  {
    name: "the connection is cut in the middle of the summary",
    cause: "the connection failed (ConnectionCut)",
    requests: 1,
    fault: { fault: "cut", events: 6 },
  },
  {
    name: "an error event in the middle of the summary",
    cause: "Overloaded",
    requests: 1,
    fault: { fault: "error", events: 6, type: "overloaded_error" },
  },
  {
    name: "something that is not an answer of the API",
    cause: "the server broke the protocol: status 200 with neither a stream nor a message",
    requests: 2,
    answer: () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
  },
];

const isExtractive = (isOn: boolean): HostOptions => ({ settings: { compactExtractive: isOn } });

/** A fault of the next so many requests. */
function arrange({ fault, answer }: ApiFault, requests: number): Pick<FailureRow, "host" | "provoke"> {
  if (answer !== undefined) {
    const wrap = onSummaries((number) => (number <= requests ? answer() : undefined));
    return { host: { provider: { wrap } } };
  }
  return {
    provoke: ({ host }) => {
      if (fault !== undefined) host.provider.faults.set([{ fault, span: { next: requests } }]);
      return {};
    },
  };
}

const rowsOf = (fault: ApiFault): readonly FailureRow[] => {
  const always = arrange(fault, Infinity);
  return [
    {
      name: `${fault.name}, for the fork`,
      ...arrange(fault, fault.requests),
      expected: { outcome: "by streaming", attempts: ["fork: api_error"], told: COMPACTED },
    },
    {
      name: `${fault.name}, every time`,
      ...always,
      expected: {
        outcome: "by extractive",
        attempts: ["fork: api_error", "streaming: api_error"],
        told: COMPACTED,
      },
    },
    {
      name: `${fault.name}, every time, extractive writer off`,
      ...always,
      host: { ...always.host, ...isExtractive(false) },
      expected: {
        outcome: "api_error",
        attempts: ["fork: api_error", "streaming: api_error"],
        told: `The summary could not be written; the conversation is unchanged: ${fault.cause}.`,
      },
      check: ({ host }) => expect(host.requests.map(({ writer }) => writer)).toEqual(["fork", "streaming"]),
    },
  ];
};

const NOT_FOUND = "model: claude-nobody-1";

/** A provider that breaks its promises. */
const providing =
  (stream: ModelProvider["stream"]) =>
  ({ host }: Stage): Provocation => ({
    ports: {
      provider: { name: "broken", capabilities: (model) => host.provider.capabilities(model), stream },
    },
  });

const brokenOnes: readonly FailureRow[] = [
  {
    name: "a `compactModel` that does not exist (404), after a bad answer of the fork",
    host: { summaries: { mode: "empty", times: 1 }, settings: { compactModel: "claude-nobody-1" } },
    expected: {
      outcome: "by extractive",
      attempts: ["fork: no_summary", "streaming: api_error"],
      told: COMPACTED,
    },
    check: (_stage, { failedAttempts }) => expect(failedAttempts[1]?.detail).toBe(NOT_FOUND),
  },
  {
    name: "a `compactModel` that does not exist (404), extractive writer off",
    host: {
      summaries: { mode: "empty", times: 1 },
      settings: { compactModel: "claude-nobody-1", compactExtractive: false },
    },
    expected: {
      outcome: "api_error",
      attempts: ["fork: no_summary", "streaming: api_error"],
      told: `The summary could not be written; the conversation is unchanged: ${NOT_FOUND}.`,
    },
  },
  {
    name: "a provider that throws, extractive writer off",
    host: isExtractive(false),
    provoke: providing(() => {
      throw new Error("not today");
    }),
    expected: {
      outcome: "api_error",
      attempts: ["fork: api_error", "streaming: api_error"],
      told: "The summary could not be written; the conversation is unchanged: not today.",
    },
  },
  {
    name: "a provider that never says how it ended, extractive writer off",
    host: isExtractive(false),
    // oxlint-disable-next-line require-yield
    provoke: providing(async function* () {}),
    expected: {
      outcome: "api_error",
      attempts: ["fork: api_error", "streaming: api_error"],
      told: "The summary could not be written; the conversation is unchanged: the answer never came.",
    },
  },
  {
    name: "no model and no extractive writer",
    host: isExtractive(false),
    provoke: () => ({ without: ["provider"] }),
    expected: {
      outcome: "no_writer",
      told: "There is nobody to write a summary: no model, and the extractive writer is switched off.",
    },
    check: ({ host }) => expect(host.requests).toEqual([]),
  },
];

export const apiRows: readonly FailureRow[] = [...faults.flatMap(rowsOf), ...brokenOnes];
