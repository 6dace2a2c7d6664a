import { describe, expect, it } from "vitest";
import { planCompaction } from "@palimpsest/core/engine";
import type { CallParameters } from "@palimpsest/core";
import { createHost, expectCompacted, type HostOptions } from "./host.js";
import { answering, summary } from "./failures/good-summary.js";

const schema = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
  additionalProperties: false,
};
const format = { type: "json_schema", schema };
const read = (turn: number) => [
  { type: "tool_use" as const, name: "Read", input: { file_path: `/work/file-${turn}.ts` } },
];

async function hostAt(turns: number, options: HostOptions) {
  const host = createHost({ answers: read, ...options });
  await host.turns(turns);
  return host;
}

/** Of the last request: what it read, and what a fork of everything sent before could read. */
const lastSummary = (host: ReturnType<typeof createHost>) => {
  const request = host.requests.at(-1)?.request;
  if (request === undefined) throw new Error("nobody was asked");
  return request;
};

describe("a conversation whose answers are short", () => {
  // About 5,000 tokens on this model.
  const long = answering(summary({ 5: `- ${"It was found that this matters here. ".repeat(700)}` }));

  it("gets summaries as long as they are, all from the cache", async () => {
    const host = await hostAt(30, { ...long, maxTokens: 1000, resultTokens: 600 });
    const before = host.verdict();
    const compacted = expectCompacted(await host.compact());
    expect(compacted.writer).toBe("fork");
    expect(compacted.failedAttempts).toEqual([]);
    expect(compacted.calls).toHaveLength(1);
    expect(compacted.calls[0]?.usage.output_tokens).toBeGreaterThan(3000);
    expect(host.estimator.block({ type: "text", text: compacted.summary })).toBeGreaterThan(3000);
    // Everything that the conversation had written is read, and nothing is written.
    expect(host.verdict()).toMatchObject({
      cacheRead: before.promptTokens,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
    });
    expect(lastSummary(host).max_tokens).toBe(20_000);
  });

  it.each<[string, string, CallParameters["thinking"], number]>([
    ["a budget", "claude-opus-4-5", { type: "enabled", budget_tokens: 4000 }, 24_000],
    ["adaptive thinking", "claude-opus-5", { type: "adaptive" }, 25_000],
    ["thinking that is always on", "claude-opus-5-5", undefined, 25_000],
    ["none", "claude-opus-5", { type: "disabled" }, 20_000],
  ])("leaves room beside them for thinking: %s", async (_name, model, thinking, maxTokens) => {
    const parameters = thinking === undefined ? {} : { thinking };
    const host = await hostAt(20, { model, maxTokens: 5000, parameters });
    const before = host.verdict();
    expectCompacted(await host.compact());
    expect(lastSummary(host).max_tokens).toBe(maxTokens);
    expect(host.problems).toEqual([]);
    if (model !== "claude-opus-4-5") expect(host.verdict().cacheRead).toBe(before.promptTokens);
  });

  it("asks for no more than the setting, and never for more than the model has", async () => {
    const host = await hostAt(20, { settings: { compactOutputTokens: 6000 } });
    expectCompacted(await host.compact());
    expect(lastSummary(host).max_tokens).toBe(6000);
    const greedy = await hostAt(20, { settings: { compactOutputTokens: 500_000 } });
    expectCompacted(await greedy.compact());
    expect(lastSummary(greedy).max_tokens).toBe(128_000);
  });
});

describe("what the caller set for its own answers is not asked of a summary", () => {
  const parameters: Partial<CallParameters> = {
    effort: "low",
    extraBody: {
      metadata: { user_id: "u" },
      inference_geo: "us",
      stop_sequences: ["2. Key"],
    },
  };

  it("stop sequences and the like, which cost nothing to leave out", async () => {
    const host = await hostAt(20, { parameters, provider: { maxRetries: 0 } });
    const before = host.verdict();
    const compacted = expectCompacted(await host.compact());
    expect(compacted).toMatchObject({ writer: "fork", failedAttempts: [], mended: { sectionsAdded: [] } });
    expect(host.verdict().cacheRead).toBe(before.promptTokens);
    const { metadata, inference_geo, stop_sequences, output_config } = lastSummary(host);
    expect({ metadata, inference_geo, stop_sequences, output_config }).toEqual({
      metadata: { user_id: "u" },
      inference_geo: "us",
      stop_sequences: undefined,
      output_config: { effort: "low" },
    });
  });

  const inTheKey: readonly [string, Partial<CallParameters>][] = [
    ["output_config.format", { extraBody: { output_config: { format } } }],
    ["output_format", { extraBody: { output_format: format }, betas: ["structured-outputs-2025-11-13"] }],
    ["a forced choice of any tool", { tool_choice: { type: "any" } }],
    ["a forced choice of one tool", { tool_choice: { type: "tool", name: "Read" } }],
  ];

  it.each(inTheKey)("%s: it is asked for apart, which costs less", async (_name, given) => {
    const host = await hostAt(20, { parameters: given });
    const plan = await planCompaction(host.input(), host.ports());
    const compacted = expectCompacted(await host.compact());
    expect(compacted).toMatchObject({ writer: "streaming", failedAttempts: [] });
    expect(compacted.mended.sectionsAdded).toEqual([]);
    expect(compacted.summary).toContain("Primary request");
    const { tool_choice, output_config, output_format } = lastSummary(host);
    expect([tool_choice, output_config, output_format]).toEqual([undefined, undefined, undefined]);
    expect(host.problems).toEqual([]);
    expect(plan).toMatchObject({ kind: "plan", writer: "streaming" });
  });

  it("says who asks, and where it is to be computed, also of a summary that is asked for apart", async () => {
    const who = { metadata: { user_id: "u" }, inference_geo: "us", service_tier: "standard_only" };
    const extraBody = { ...who, output_config: { format }, stop_sequences: ["END"] };
    const host = await hostAt(20, { parameters: { extraBody } });
    expect(expectCompacted(await host.compact()).writer).toBe("streaming");
    expect(lastSummary(host)).toMatchObject(who);
    expect(lastSummary(host)["stop_sequences"]).toBeUndefined();
    expect(host.problems).toEqual([]);
  });

  it.each(inTheKey)("%s: a fork is asked where that costs less, and writes nothing", async (_name, given) => {
    const host = await hostAt(20, {
      model: "claude-sonnet-5",
      parameters: given,
      settings: { compactModel: "claude-fable-5" },
    });
    const plan = await planCompaction(host.input(), host.ports());
    const compacted = expectCompacted(await host.compact());
    expect(compacted).toMatchObject({ writer: "fork", failedAttempts: [], mended: { sectionsAdded: [] } });
    const { tool_choice, output_config, output_format } = lastSummary(host);
    expect([tool_choice, output_config, output_format]).toEqual([undefined, undefined, undefined]);
    const verdict = host.verdict();
    // System prompt and tools are read, messages are not.
    expect(verdict.cacheRead).toBeGreaterThan(1500);
    expect(verdict.cacheRead).toBeLessThan(verdict.promptTokens / 2);
    expect(verdict.cacheWrite5m + verdict.cacheWrite1h).toBe(0);
    expect(plan).toMatchObject({ kind: "plan", writer: "fork" });
  });

  it("a choice that leaves the model free to answer stays: it is part of the key", async () => {
    const choice = { type: "auto", disable_parallel_tool_use: true };
    const host = await hostAt(20, { parameters: { tool_choice: choice } });
    const before = host.verdict();
    expect(expectCompacted(await host.compact()).writer).toBe("fork");
    expect(lastSummary(host).tool_choice).toEqual(choice);
    expect(host.verdict().cacheRead).toBe(before.promptTokens);
  });
});
