import type { ApiFailureKind } from "../../messages/call/failure.js";
import { check, checkSame } from "../check.js";
import type { ModelProviderCase, ScriptedFault } from "./model-provider-case.js";
import {
  checkRequests,
  failureOf,
  messageOf,
  scripted,
  shown,
  streamed,
  textIn,
  textOf,
  type Retry,
} from "./steps.js";

const ANSWER = { text: "Here I am." } as const;
const LONG_TEXT = "One of many words. ".repeat(200);

/** Faults that may pass, with what they may be called. */
const passing: readonly (readonly [ScriptedFault, readonly ApiFailureKind[]])[] = [
  ["rate-limit", ["rate-limit"]],
  ["overloaded", ["overloaded", "api"]],
  ["server-error", ["api"]],
  ["cut-before", ["connection"]],
  ["cut-after-start", ["connection", "api", "overloaded"]],
  ["garbage", ["connection", "api"]],
];

function checkRetry(retry: Retry | undefined, kinds: readonly ApiFailureKind[]): void {
  check(retry !== undefined, "a retry was not told of");
  check(
    kinds.includes(retry.failure.kind),
    `expected one of ${kinds.join(", ")}, got ${shown(retry.failure)}`,
  );
  check(retry.failure.retryable, `${shown(retry.failure)} was retried and is said not to be retryable`);
  check(retry.waitMs >= 0 && retry.waitMs < 1000, `a wait of ${retry.waitMs} ms`);
}

const retriedCases = passing.map(([fault, kinds]) =>
  scripted({
    name: `${fault}: retried, and nothing of it is seen`,
    script: [{ fault, text: LONG_TEXT }, ANSWER],
    async run(harness) {
      const stream = await streamed(harness);
      check(textOf(messageOf(stream)) === ANSWER.text, "the answer is another one");
      check(textIn(stream) === ANSWER.text, "text was streamed that is not part of the answer");
      checkSame(
        stream.retries.map(({ attempt }) => attempt),
        [1],
        "attempts that were retried",
      );
      checkRetry(stream.retries[0], kinds);
      checkRequests(harness, 2);
    },
  }),
);

const exhaustedCases = passing.map(([fault, kinds]) =>
  scripted({
    name: `${fault} without end: three attempts, then the failure`,
    script: Array.from({ length: 6 }, () => ({ fault, text: LONG_TEXT })),
    async run(harness) {
      const stream = await streamed(harness);
      const failure = failureOf(stream);
      check(kinds.includes(failure.kind), `expected one of ${kinds.join(", ")}, got ${shown(failure)}`);
      check(stream.outputs.length === 1, "something of the failed attempts was yielded");
      checkSame(
        stream.retries.map(({ attempt }) => attempt),
        [1, 2],
        "attempts that were retried",
      );
      checkRequests(harness, 3);
    },
  }),
);

const brokenCases = (["cut-mid-text", "error-mid-text"] as const).map((fault) =>
  scripted({
    name: `${fault}: what came stays, then the failure, and no second attempt`,
    script: [{ fault, text: LONG_TEXT }, ANSWER],
    async run(harness) {
      const stream = await streamed(harness);
      const failure = failureOf(stream);
      if (fault === "cut-mid-text") {
        check(failure.kind === "connection", `expected a failure "connection", got ${shown(failure)}`);
      }
      const text = textIn(stream);
      check(text !== "" && LONG_TEXT.startsWith(text), "the text before the failure is not the server's");
      checkSame(stream.retries, [], "retries");
      checkRequests(harness, 1);
    },
  }),
);

const finalCases = (
  [
    ["unauthorized", "authentication"],
    ["overflow", "context-overflow"],
  ] as const
).map(([fault, kind]) =>
  scripted({
    name: `${fault}: one attempt`,
    script: [{ fault }, ANSWER],
    async run(harness) {
      const stream = await streamed(harness);
      const failure = failureOf(stream);
      check(failure.kind === kind, `expected a failure "${kind}", got ${shown(failure)}`);
      check(!failure.retryable, "it is said to be retryable");
      checkSame(stream.retries, [], "retries");
      checkRequests(harness, 1);
    },
  }),
);

export const faultCases: readonly ModelProviderCase[] = [
  ...retriedCases,
  ...exhaustedCases,
  ...brokenCases,
  ...finalCases,
  scripted({
    name: "different faults in a row are retried as one",
    script: [{ fault: "cut-before" }, { fault: "overloaded" }, ANSWER],
    async run(harness) {
      const stream = await streamed(harness);
      check(textOf(messageOf(stream)) === ANSWER.text, "the answer is another one");
      checkSame(
        stream.retries.map(({ attempt }) => attempt),
        [1, 2],
        "attempts that were retried",
      );
      checkRequests(harness, 3);
    },
  }),
  scripted({
    name: "a provider that failed serves the next call",
    script: [{ fault: "unauthorized" }, { fault: "cut-mid-text", text: LONG_TEXT }, ANSWER],
    async run(harness) {
      failureOf(await streamed(harness));
      failureOf(await streamed(harness));
      check(textOf(messageOf(await streamed(harness))) === ANSWER.text, "the answer is another one");
    },
  }),
];
