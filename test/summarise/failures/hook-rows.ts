import { expect } from "vitest";
import { createEventEmitter } from "@palimpsest/core";
import type { CompactHooks } from "../../../packages/core/src/engine/ports/compact-hooks.js";
import { expectCompacted } from "../host.js";
import { hooksWith } from "./abort-rows.js";
import { COMPACTED, type FailureRow } from "./stage.js";

const withHooks = (hooks: Partial<CompactHooks>) => () => ({ ports: { hooks: hooksWith(hooks) } });

const rejects = () => Promise.reject(new Error("the hook failed"));
const throws = (): never => {
  throw new Error("the hook failed at once");
};

const byFork = { outcome: "by fork", told: COMPACTED } as const;

const contexts =
  (...expected: readonly unknown[]): NonNullable<FailureRow["check"]> =>
  (_stage, outcome) => {
    const { hookResults, live } = expectCompacted(outcome);
    expect(hookResults.map((message) => message.type === "attachment" && message.attachment)).toEqual(
      expected.map((context) => ({ type: "hook_additional_context", ...(context as object) })),
    );
    expect(live.slice(live.length - hookResults.length)).toEqual(hookResults);
  };

const nobodyListens = (): never => {
  throw new Error("the observer failed");
};

/** Who is only told of something cannot stop it. */
const observerRows: readonly FailureRow[] = [
  {
    name: "whoever is shown the status throws",
    provoke: ({ statuses }) => ({
      ports: {
        onStatus: (status) => {
          statuses.push(status);
          nobodyListens();
        },
      },
    }),
    expected: byFork,
  },
  {
    name: "whoever is told of requests throws",
    provoke: ({ host }) => {
      const { onRequest } = host.ports();
      return {
        ports: {
          onRequest: (sent) => {
            onRequest?.(sent);
            nobodyListens();
          },
        },
      };
    },
    expected: byFork,
  },
  {
    name: "whoever listens to events throws",
    provoke: ({ events, begun }) => {
      const emitter = createEventEmitter();
      emitter.on("compact_started", () => {
        begun.push(events.length);
        nobodyListens();
      });
      emitter.on("compact", (event) => {
        events.push(event);
        nobodyListens();
      });
      return { ports: { events: emitter } };
    },
    expected: byFork,
  },
];

export const hookRows: readonly FailureRow[] = [
  ...observerRows,
  {
    name: "a PreCompact hook blocks it and says why",
    provoke: withHooks({ preCompact: () => Promise.resolve({ block: "tests are running" }) }),
    expected: {
      outcome: "blocked_by_hook",
      told: "A PreCompact hook blocked the compaction: tests are running.",
    },
    check: ({ host }) => expect(host.requests).toEqual([]),
  },
  {
    name: "a PreCompact hook blocks it without a word",
    provoke: withHooks({ preCompact: () => Promise.resolve({ block: "" }) }),
    expected: { outcome: "blocked_by_hook", told: "A PreCompact hook blocked the compaction." },
    check: ({ host }) => expect(host.requests).toEqual([]),
  },
  { name: "a PreCompact hook rejects", provoke: withHooks({ preCompact: rejects }), expected: byFork },
  {
    name: "a PreCompact hook throws before it returns a promise",
    provoke: withHooks({ preCompact: throws }),
    expected: byFork,
  },
  {
    name: "a PreCompact hook adds instructions: they stand in the prompt, after the person's",
    provoke: () => ({
      input: { instructions: "Mind the tests." },
      ports: {
        hooks: hooksWith({
          preCompact: ({ customInstructions }) =>
            Promise.resolve({ instructions: `Not only: ${customInstructions}`, message: "Hook says hello" }),
        }),
      },
    }),
    expected: { outcome: "by fork", told: `${COMPACTED}\nHook says hello` },
    check: ({ host }, outcome) => {
      const prompt = JSON.stringify(host.requests[0]?.request.messages.at(-1));
      expect(prompt).toContain("Mind the tests.\\n\\nNot only: Mind the tests.");
      expect(expectCompacted(outcome).boundary.compactMetadata).toMatchObject({
        userContext: "Mind the tests.\n\nNot only: Mind the tests.",
      });
    },
  },
  {
    name: "a PreCompact hook adds blank instructions: they count as none",
    provoke: () => ({
      input: { instructions: " \n" },
      ports: { hooks: hooksWith({ preCompact: () => Promise.resolve({ instructions: "  " }) }) },
    }),
    expected: byFork,
    check: ({ host }) =>
      expect(JSON.stringify(host.requests[0]?.request.messages.at(-1))).not.toContain("the person also asks"),
  },
  {
    name: "a SessionStart hook rejects",
    provoke: withHooks({
      sessionStart: rejects,
      postCompact: () => Promise.resolve({ contexts: ["after"] }),
    }),
    expected: byFork,
    check: contexts({ hookEvent: "PostCompact", content: "after" }),
  },
  {
    name: "a SessionStart hook throws before it returns a promise",
    provoke: withHooks({ sessionStart: throws, postCompact: () => Promise.resolve({ contexts: ["after"] }) }),
    expected: byFork,
    check: contexts({ hookEvent: "PostCompact", content: "after" }),
  },
  {
    name: "a PostCompact hook rejects",
    provoke: withHooks({
      postCompact: rejects,
      sessionStart: () => Promise.resolve({ contexts: ["start"] }),
    }),
    expected: byFork,
    check: contexts({ hookEvent: "SessionStart", content: "start" }),
  },
  {
    name: "a PostCompact hook throws before it returns a promise",
    provoke: withHooks({ postCompact: throws, sessionStart: () => Promise.resolve({ contexts: ["start"] }) }),
    expected: byFork,
    check: contexts({ hookEvent: "SessionStart", content: "start" }),
  },
  {
    name: "hooks return contexts: they stand last, and count",
    provoke: withHooks({
      sessionStart: () => Promise.resolve({ contexts: ["start", " "], message: "Started" }),
      postCompact: () => Promise.resolve({ contexts: ["after ".repeat(500)], message: "Done" }),
    }),
    expected: { outcome: "by fork", told: `${COMPACTED}\nStarted\nDone` },
    check: async (stage, outcome) => {
      await contexts(
        { hookEvent: "SessionStart", content: "start" },
        { hookEvent: "PostCompact", content: "after ".repeat(500) },
      )(stage, outcome);
      const { tokensAfter, live, boundary } = expectCompacted(outcome);
      const { estimator } = stage.host;
      const messages = live.reduce((sum, message) => sum + estimator.message(message), 0);
      expect(tokensAfter).toBeGreaterThanOrEqual(stage.host.input().size.overhead + messages);
      expect(boundary.compactMetadata).toMatchObject({ postTokens: tokensAfter });
    },
  },
  {
    name: "hooks return more than there is room for: what does not fit is left out",
    provoke: withHooks({
      sessionStart: () =>
        Promise.resolve({ contexts: [...Array.from({ length: 200 }, () => "word ".repeat(2000)), "short"] }),
    }),
    expected: {
      outcome: "by fork",
      told: `${COMPACTED}\nWhat a SessionStart hook added did not fit and was left out.`,
    },
    check: (_stage, outcome) => {
      const { hookResults } = expectCompacted(outcome);
      expect(hookResults.length).toBeLessThan(200);
      expect(hookResults.at(-1)).toMatchObject({
        attachment: { type: "hook_additional_context", hookEvent: "SessionStart", content: "short" },
      });
    },
  },
];
