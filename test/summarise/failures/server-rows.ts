import { expect } from "vitest";
import type { HostOptions } from "../host.js";
import { COMPACTED, type FailureRow } from "./stage.js";
import { onSummaries } from "./summaries-seen.js";

/** Where the provider's own block keeps thinking valid. */
const withServer = (options: HostOptions = {}): HostOptions => ({
  model: "claude-opus-5-5",
  isThinking: true,
  ...options,
  settings: { compactServerWriter: true, ...options.settings },
});

const textInstead = (): Response =>
  Response.json({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [{ type: "text", text: "<summary>\nAll is well.\n</summary>" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  });

const byFork = (reason: string): FailureRow["expected"] => ({
  outcome: "by fork",
  attempts: [`server: ${reason}`],
  told: COMPACTED,
});

/** Only with `compactServerWriter`: the provider is asked before all others. */
export const serverRows: readonly FailureRow[] = [
  {
    name: "the provider's own summary fails (500)",
    host: withServer(),
    provoke: ({ host }) => {
      host.provider.faults.set([{ fault: { fault: "500" }, span: { next: 2 } }]);
      return {};
    },
    expected: byFork("api_error"),
  },
  {
    name: "the provider writes no summary of its own",
    host: withServer({ summaries: { mode: "empty", times: 1 } }),
    expected: byFork("no_summary"),
  },
  {
    name: "the provider does not know its own summaries and answers in words",
    host: withServer({
      provider: { wrap: onSummaries((number) => (number === 1 ? textInstead() : undefined)) },
    }),
    expected: byFork("no_summary"),
    check: (_stage, outcome) => expect(outcome.calls).toHaveLength(2),
  },
];
