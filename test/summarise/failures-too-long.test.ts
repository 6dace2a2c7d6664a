import { describe, expect, it } from "vitest";
import type { RequestMessage } from "@palimpsest/core";
import { asFields } from "@palimpsest/core/engine";
import { DIGEST_HEADING } from "../../packages/core/src/engine/summarise/write/extractive/digest.js";
import { TRUNCATION_MARKER } from "../../packages/core/src/engine/summarise/write/too-long.js";
import { onSummaries, tooLong } from "./failures/summaries-seen.js";
import { createHost, expectCompacted, type HostOptions } from "./host.js";
import { REQUEST } from "./failures/good-summary.js";

const ROUNDS = 14;

/** Compacts a conversation whose requests for a summary are refused again and again. */
async function refuse(refusal: () => Response, options: HostOptions = {}) {
  const wrap = onSummaries((number) => (number <= 3 ? refusal() : undefined));
  const host = createHost({ ...options, provider: { wrap } });
  await host.turns(ROUNDS);
  const outcome = expectCompacted(await host.compact());
  expect(host.problems).toEqual([]);
  const retries = host.requests.slice(1).map(({ request }) => request);
  return { host, outcome, retries };
}

const filesIn = (messages: readonly RequestMessage[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_use" ? [String(asFields(block.input)["file_path"])] : [],
    ),
  );

const textsIn = (messages: readonly RequestMessage[]): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])));

const newest = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/work/file-${ROUNDS - count + index}.ts`);

/** Marker and digest stand once, at the head, before what is left. */
function expectHead(messages: readonly RequestMessage[]): string {
  const [marker, digest] = textsIn(messages.slice(0, 1));
  expect(marker).toBe(TRUNCATION_MARKER);
  expect(digest).toMatch(new RegExp(`^${DIGEST_HEADING.replaceAll(/[[\]]/g, "\\$&")}`));
  const all = textsIn(messages);
  expect(all.filter((text) => text === TRUNCATION_MARKER)).toHaveLength(1);
  expect(all.filter((text) => text.startsWith(DIGEST_HEADING))).toHaveLength(1);
  return digest ?? "";
}

describe("what is too long to be summarised", () => {
  it("loses as many of the oldest rounds as cover the gap, each time", async () => {
    const { host, retries } = await refuse(() =>
      tooLong("prompt is too long: 203000 tokens > 200000 maximum"),
    );
    const perRound = host.live.slice(1, 3).reduce((sum, message) => sum + host.estimator.message(message), 0);
    const each = Math.ceil(3000 / perRound);
    expect(each).toBeGreaterThan(1);
    // What the person asked for stands before the first round, and is a group of its own.
    const left = retries.map(({ messages }) => filesIn(messages));
    expect(left).toEqual([newest(ROUNDS - each), newest(ROUNDS - 2 * each), newest(ROUNDS - 3 * each)]);
  });

  it("loses a fifth of its rounds each time without figures, and never only what a retry put there", async () => {
    const { retries } = await refuse(() => tooLong("Prompt is too long."));
    // 15 groups, the request of the person among them: 3 go, then 3 of 12, then 2 of 9.
    expect(retries.map(({ messages }) => filesIn(messages))).toEqual([newest(12), newest(9), newest(7)]);
  });

  it("has the digest of all that was dropped so far at its head, within its budget", async () => {
    const { host, retries } = await refuse(() => tooLong("Prompt is too long."));
    for (const { messages } of retries) {
      const digest = expectHead(messages);
      expect(digest).toContain(REQUEST.slice(0, 60));
      expect(host.estimator.block(digest)).toBeLessThanOrEqual(host.settings.compactDigestTokens);
    }
  });

  it("is sent without thinking in every retry, and with the prompt at its end", async () => {
    const { retries } = await refuse(() => tooLong("Prompt is too long."), {
      model: "claude-opus-5-5",
      isThinking: true,
    });
    expect(retries).toHaveLength(3);
    for (const { messages } of retries) {
      expect(JSON.stringify(messages)).not.toContain('"thinking"');
      expect(textsIn(messages).at(-1)).toMatch(/^Answer with plain text only/);
    }
  });

  it("is summarised with every word of the person all the same", async () => {
    const { outcome } = await refuse(() => tooLong("Prompt is too long."));
    expect(outcome.writer).toBe("streaming");
    expect(outcome.summary).toContain(REQUEST);
  });
});
