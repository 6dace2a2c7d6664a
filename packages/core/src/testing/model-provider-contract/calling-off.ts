import { check } from "../check.js";
import type { ModelProviderCase, ProviderHarness } from "./model-provider-case.js";
import {
  abortController,
  checkRequests,
  failureOf,
  messageOf,
  requestFor,
  scripted,
  shown,
  streamed,
  textIn,
  textOf,
  until,
  type Streamed,
} from "./steps.js";

const LONG_TEXT = "One of many words. ".repeat(2000);

function checkAborted(stream: Streamed): void {
  const failure = failureOf(stream);
  check(failure.kind === "aborted", `expected a failure "aborted", got ${shown(failure)}`);
  check(!failure.retryable, "what was called off is said to be retryable");
  check(stream.retries.length === 0, "what was called off was retried");
}

async function checkServes(harness: ProviderHarness): Promise<void> {
  const message = messageOf(await streamed(harness));
  check(textOf(message) === "Still here.", "the next call got another answer");
}

export const callingOffCases: readonly ModelProviderCase[] = [
  scripted({
    name: "called off before: no request",
    script: [{ text: "Still here." }],
    async run(harness) {
      const controller = abortController();
      controller.abort();
      const stream = await streamed(harness, { signal: controller.signal });
      checkAborted(stream);
      check(stream.outputs.length === 1, "something else was yielded");
      checkRequests(harness, 0);
      await checkServes(harness);
    },
  }),
  scripted({
    name: "called off while the server says nothing: ends at once",
    script: [{ fault: "hang", text: LONG_TEXT }, { text: "Still here." }],
    async run(harness) {
      const controller = abortController();
      let stream: Streamed | undefined;
      const reading = streamed(harness, { signal: controller.signal }).then((ended) => {
        stream = ended;
      });
      await until(() => harness.requests() === 1, "the request");
      controller.abort();
      await Promise.race([reading, until(() => stream !== undefined, "the end of what was called off")]);
      check(stream !== undefined, "there is no end");
      checkAborted(stream);
      checkRequests(harness, 1);
      await checkServes(harness);
    },
  }),
  scripted({
    name: "called off between two pieces: no further piece",
    script: [{ text: LONG_TEXT }, { text: "Still here." }],
    async run(harness) {
      const controller = abortController();
      let late = 0;
      const stream = await streamed(harness, {
        signal: controller.signal,
        onOutput({ kind }) {
          if (controller.signal.aborted && kind !== "error") late += 1;
          if (kind === "text") controller.abort();
        },
      });
      checkAborted(stream);
      check(late === 0, `${late} more pieces were yielded`);
      check(LONG_TEXT.startsWith(textIn(stream)), "the text before is not the server's");
      checkRequests(harness, 1);
      await checkServes(harness);
    },
  }),
  scripted({
    name: "called off at its start: no content",
    script: [{ text: LONG_TEXT }, { text: "Still here." }],
    async run(harness) {
      const controller = abortController();
      const stream = await streamed(harness, {
        signal: controller.signal,
        onOutput({ kind }) {
          if (kind === "start") controller.abort();
        },
      });
      checkAborted(stream);
      check(textIn(stream) === "", "text was yielded after it was called off");
      await checkServes(harness);
    },
  }),
  scripted({
    name: "a signal that is aborted afterwards changes nothing",
    script: [{ text: "Done." }, { text: "Still here." }],
    async run(harness) {
      const controller = abortController();
      const stream = await streamed(harness, { signal: controller.signal });
      controller.abort();
      check(textOf(messageOf(stream)) === "Done.", "the answer is another one");
      await checkServes(harness);
    },
  }),
  scripted({
    name: "whoever stops reading is done: the provider serves the next call",
    script: [{ text: LONG_TEXT }, { text: "Still here." }],
    async run(harness) {
      const kinds: string[] = [];
      for await (const output of harness.provider.stream({ request: requestFor(harness) })) {
        kinds.push(output.kind);
        if (output.kind === "text") break;
      }
      check(kinds.at(-1) === "text", `expected to stop at a text, got: ${kinds.join(", ")}`);
      checkRequests(harness, 1);
      await checkServes(harness);
      checkRequests(harness, 2);
    },
  }),
  scripted({
    name: "a stream that nobody reads is not sent twice",
    script: [{ text: "Still here." }],
    async run(harness) {
      harness.provider.stream({ request: requestFor(harness) });
      await checkServes(harness);
      checkRequests(harness, 1);
    },
  }),
  scripted({
    name: "an observer of retries that throws harms nothing",
    script: [{ fault: "server-error" }, { text: "Still here." }],
    async run(harness) {
      const options = {
        onRetry() {
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
