import { expect } from "vitest";
import { createUserMessage } from "@palimpsest/core";
import { expectCompacted } from "../host.js";
import { answering, summary } from "./good-summary.js";
import { COMPACTED, type FailureRow, type Provocation, type Stage } from "./stage.js";

const TOO_FEW = "There are not enough messages to compact.";
const HARDLY = "Compacting would not make the conversation noticeably smaller; it is unchanged.";

const tooFew = { outcome: "not_enough_messages", told: TOO_FEW } as const;

const nothingSent: FailureRow["check"] = ({ host }) => expect(host.requests).toEqual([]);

const firstUuid = ({ host }: Stage): string => host.live[0]?.uuid ?? "";

export const scopeRows: readonly FailureRow[] = [
  {
    name: "no messages",
    provoke: () => ({ input: { live: [] } }),
    expected: tooFew,
    check: nothingSent,
  },
  {
    name: "nothing that the model would see",
    provoke: ({ host }): Provocation => ({
      input: {
        live: [
          {
            type: "system",
            subtype: "informational",
            content: "Welcome.",
            uuid: "only",
            parentUuid: null,
            timestamp: new Date(host.clock.now()).toISOString(),
            sessionId: "s",
          },
        ],
      },
    }),
    expected: tooFew,
    check: nothingSent,
  },
  {
    name: "one message only",
    host: answering(summary()),
    provoke: ({ host }) => {
      const live = [createUserMessage(host.origin(), { content: "Hello." })];
      return { input: { live, size: { tokensBefore: 3520, overhead: 3500, autoCompactAt: 100_000 } } };
    },
    expected: {
      outcome: "not_smaller",
      attempts: ["fork: not_smaller", "streaming: not_smaller", "extractive: not_smaller"],
      told: HARDLY,
    },
  },
  {
    name: "`up_to` the first message: nothing stands before it",
    provoke: (stage) => ({ input: { scope: { kind: "up_to", pivot: firstUuid(stage) } } }),
    expected: tooFew,
    check: nothingSent,
  },
  {
    name: "`from` the first message: all of it is summarised",
    provoke: (stage) => ({ input: { scope: { kind: "from", pivot: firstUuid(stage) } } }),
    expected: { outcome: "by fork", told: COMPACTED },
    check: (_stage, outcome) => expect(expectCompacted(outcome)).toMatchObject({ variant: "from", kept: [] }),
  },
  {
    name: "a pivot that is not in the conversation",
    provoke: () => ({ input: { scope: { kind: "from", pivot: "nobody" } } }),
    expected: {
      outcome: "unknown_pivot",
      told: "The message where the compaction was to begin or end is not in the conversation.",
    },
    check: nothingSent,
  },
  {
    name: "all but the first message is kept",
    host: answering(summary()),
    provoke: () => ({ input: { scope: { kind: "full", keepRecentTokens: 1_000_000 } } }),
    expected: {
      outcome: "not_smaller",
      attempts: ["fork: not_smaller", "streaming: not_smaller", "extractive: not_smaller"],
      told: HARDLY,
    },
  },
];
