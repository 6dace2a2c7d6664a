import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelCall, ModelOutput, ModelProvider, ModelResponse } from "@palimpsest/core";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { messagesCapabilities } from "../../providers/messages-capabilities.js";
import { createAnswerStore } from "./answer-store.js";
import { expectedCost, providerRequest, requestDigest } from "./provider-request.js";
import { createProviderSummaries, planSummaries } from "./provider-summaries.js";

const folders: string[] = [];
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-answers-"));
  folders.push(folder);
});
afterAll(() => Promise.all(folders.map((one) => rm(one, { recursive: true, force: true }))));

const counter = { count: (text: string) => text.length };
const call = (said: string): ModelCall => ({
  request: {
    model: "claude-opus-4-5",
    max_tokens: 1000,
    system: [{ type: "text", text: "Be short.", cache_control: { type: "ephemeral" } }],
    thinking: { type: "enabled", budget_tokens: 1024 },
    messages: [
      { role: "user", content: [{ type: "text", text: said, cache_control: { type: "ephemeral" } }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "simt1" }] },
      { role: "user", content: [{ type: "text", text: "sum it up" }] },
    ],
  },
});

const response = (text: string): ModelResponse => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-5",
  content: text === "" ? [] : [{ type: "text", text }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1_000_000, output_tokens: 0 },
});

function provider(outputs: readonly ModelOutput[]): ModelProvider & { readonly calls: ModelCall[] } {
  const calls: ModelCall[] = [];
  return {
    name: "real",
    calls,
    capabilities: (model) => messagesCapabilities(model),
    async *stream(asked) {
      calls.push(asked);
      yield* outputs;
    },
  };
}
const answering = (text: string) => provider([{ kind: "message", message: response(text) }]);

describe("a request for a real model", () => {
  it("holds no thinking that only the simulator has signed, and no markers", () => {
    const request = providerRequest(call("please"));
    expect(JSON.stringify(request)).not.toMatch(/thinking|cache_control|simt1/);
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(request).toMatchObject({ model: "claude-opus-4-5", max_tokens: 1000, system: "Be short." });
  });

  it("is named by what it says and nothing else", () => {
    const digest = (said: string): string => requestDigest(providerRequest(call(said)));
    expect(digest("a")).toBe(digest("a"));
    expect(digest("a")).not.toBe(digest("b"));
    expect(digest("a")).toMatch(/^[0-9a-f]{64}$/);
  });

  it("has a price that grows with it", () => {
    const cost = (said: string): number => expectedCost(providerRequest(call(said)), counter);
    // 1,200 tokens more at 5 dollars a million.
    expect(cost("x".repeat(1001)) - cost("x")).toBeCloseTo((1200 * 5) / 1e6, 9);
    expect(expectedCost({ ...providerRequest(call("a")), model: "unheard-of" }, counter)).toBe(0);
  });
});

describe("answers", () => {
  it("are kept: the same is asked for once, by anybody", async () => {
    const real = answering("the summary");
    const writer = createProviderSummaries({ provider: real, folder, counter });
    expect(await writer.answer(call("a"))).toEqual({ content: [{ type: "text", text: "the summary" }] });
    expect(await writer.answer(call("a"))).toEqual({ content: [{ type: "text", text: "the summary" }] });
    expect(writer.figures()).toEqual({ asked: 1, dollars: 5, kept: 1 });
    const next = createProviderSummaries({ provider: real, folder, counter });
    await next.answer(call("a"));
    expect(next.figures()).toEqual({ asked: 0, dollars: 0, kept: 1 });
    expect(real.calls).toHaveLength(1);
  });

  it("that say nothing are not kept", async () => {
    const writer = createProviderSummaries({ provider: answering(""), folder, counter });
    expect(await writer.answer(call("a"))).toEqual({ content: [] });
    expect(await readdir(folder)).toEqual([]);
  });

  it("that somebody has damaged are asked for again", async () => {
    const store = createAnswerStore(folder);
    const digest = requestDigest(providerRequest(call("a")));
    for (const content of [
      "",
      "{",
      "[]",
      '{"content":3}',
      '{"content":[{"type":"text"}]}',
      '{"content":[]}',
    ]) {
      await writeFile(join(folder, `${digest}.json`), content);
      expect(await store.read(digest)).toBeUndefined();
    }
    const mixed = { content: [{ type: "thinking", thinking: "x" }, { type: "text", text: "kept" }, null, 3] };
    await writeFile(join(folder, `${digest}.json`), JSON.stringify(mixed));
    expect(await store.read(digest)).toEqual([{ type: "text", text: "kept" }]);
  });
});

describe("money", () => {
  it("is planned without asking: each request once, none that is kept", async () => {
    const plan = planSummaries(folder, counter);
    expect(await plan.answer(call("a"))).toBeUndefined();
    const once = plan.dollars();
    await plan.answer(call("a"));
    expect({ calls: plan.calls(), dollars: plan.dollars() }).toEqual({ calls: 1, dollars: once });
    expect(once).toBeGreaterThan(0);
    await createProviderSummaries({ provider: answering("s"), folder, counter }).answer(call("a"));
    const later = planSummaries(folder, counter);
    expect(await later.answer(call("a"))).toEqual({ content: [{ type: "text", text: "s" }] });
    expect({ calls: later.calls(), dollars: later.dollars() }).toEqual({ calls: 0, dollars: 0 });
  });

  it("is not spent beyond the limit, and after that nobody is asked", async () => {
    const real = answering("s");
    const writer = createProviderSummaries({ provider: real, folder, counter, maxCost: 5.01 });
    await writer.answer(call("a"));
    await expect(writer.answer(call("b".repeat(5000)))).rejects.toThrow("$5.00 of $5.01 are spent");
    await expect(writer.answer(call("c"))).rejects.toThrow("--max-cost");
    expect(writer.problem()).toContain("--max-cost");
    expect(real.calls).toHaveLength(1);
  });
});

it("a request that is too long for the model is the policy's to mend; any other failure ends it", async () => {
  const failing = (kind: "context-overflow" | "authentication") =>
    provider([{ kind: "error", failure: { kind, message: `no: ${kind}` } as never }]);
  const long = createProviderSummaries({ provider: failing("context-overflow"), folder, counter });
  expect(await long.answer(call("a"))).toMatchObject({ failure: { kind: "context-overflow" } });
  expect(long.problem()).toBeUndefined();
  const refused = createProviderSummaries({ provider: failing("authentication"), folder, counter });
  await expect(refused.answer(call("a"))).rejects.toThrow(
    "the provider did not write a summary: no: authentication",
  );
  expect(refused.problem()).toContain("no: authentication");
});
