import type { CallProgress } from "../../engine/ports/model-provider.js";
import { check } from "../check.js";
import type { ModelProviderCase, ScriptedTurn } from "./model-provider-case.js";
import { abortController, requestFor, scripted } from "./steps.js";

interface Told {
  readonly name: string;
  readonly script: readonly ScriptedTurn[];
  /** Attempts that go out. */
  readonly sent: number;
  /** Responses that begin: at least so many. */
  readonly begun: number;
}

const told: readonly Told[] = [
  { name: "an answer", script: [{ text: "Done." }], sent: 1, begun: 1 },
  { name: "a refusal", script: [{ fault: "unauthorized" }], sent: 1, begun: 0 },
  {
    name: "retries of what was refused",
    script: [{ fault: "rate-limit" }, { fault: "overloaded" }, { text: "Done." }],
    sent: 3,
    begun: 1,
  },
  {
    name: "an attempt that breaks off before any content, of which nothing is yielded",
    script: [{ fault: "cut-after-start", text: "Gone." }, { text: "Done." }],
    sent: 2,
    begun: 2,
  },
  {
    name: "an answer that breaks off",
    script: [{ fault: "cut-mid-text", text: "One of many words. ".repeat(2000) }],
    sent: 1,
    begun: 1,
  },
];

const countOf = (progress: readonly CallProgress[], kind: CallProgress["kind"]): number =>
  progress.filter((made) => made.kind === kind).length;

/** What may be billed is told as it happens, whatever is yielded: the account of a conversation is made of it. */
export const progressCases: readonly ModelProviderCase[] = [
  ...told.map(({ name, script, sent, begun }) =>
    scripted({
      name: `progress of ${name}`,
      script,
      async run(harness) {
        const progress: CallProgress[] = [];
        const options = { onProgress: (made: CallProgress) => void progress.push(made) };
        for await (const _ of harness.provider.stream({ request: requestFor(harness) }, options));
        const kinds = progress.map(({ kind }) => kind).join(", ");
        check(countOf(progress, "sent") === sent, `expected to be told of ${sent} requests, got: ${kinds}`);
        check(countOf(progress, "start") === begun, `expected to be told of ${begun} starts, got: ${kinds}`);
        check(progress[0]?.kind === "sent", `expected to be told first that it goes out, got: ${kinds}`);
      },
    }),
  ),
  scripted({
    name: "progress: nothing of a call that was called off before",
    script: [{ text: "Still here." }],
    async run(harness) {
      const controller = abortController();
      controller.abort();
      const progress: CallProgress[] = [];
      const { signal } = controller;
      const options = { signal, onProgress: (made: CallProgress) => void progress.push(made) };
      for await (const _ of harness.provider.stream({ request: requestFor(harness) }, options));
      check(progress.length === 0, "something is said to have gone out");
    },
  }),
  scripted({
    name: "progress: an observer that throws harms nothing",
    script: [{ text: "Still here." }],
    async run(harness) {
      const options = {
        onProgress() {
          throw new Error("an observer's own");
        },
      };
      let text = "";
      for await (const output of harness.provider.stream({ request: requestFor(harness) }, options)) {
        if (output.kind === "text") text += output.text;
      }
      check(text === "Still here.", "the answer is another one");
    },
  }),
];
