import { createAssistantMessage, findModel, type Message, type Usage } from "@palimpsest/core";
import { createCompactBoundary, pricesAt } from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { recordedCost } from "./recorded-cost.js";

const MILLION = 1_000_000;

function said(id: string, more: { readonly model?: unknown; readonly usage?: unknown }): Message {
  const origin = {
    clock: { now: () => 0 },
    ids: { next: () => `line-${id}` },
    sessionId: "s",
    parentUuid: null,
  };
  const message = createAssistantMessage(origin, { id, model: "", content: [] });
  return { ...message, message: { ...message.message, ...more } } as Message;
}

const usage = (input: number, read: number, write: number, output: number): Usage => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  output_tokens: output,
});

describe("recordedCost", () => {
  it("adds up what each kind of token costs", () => {
    const model = findModel("claude-opus-4-5");
    if (model === undefined) throw new Error("the model is in the table");
    const prices = pricesAt(model, 0);
    expect(prices).toMatchObject({ input: 5, output: 25 });
    const cost = recordedCost([
      said("a", { model: model.id, usage: usage(1000, 0, 20_000, 100) }),
      said("b", { model: model.id, usage: usage(10, 21_000, 2000, 300) }),
    ]);
    expect(cost.input).toBeCloseTo((1010 * 5) / MILLION, 12);
    expect(cost.cacheWrite).toBeCloseTo((22_000 * 6.25) / MILLION, 12);
    expect(cost.cacheRead).toBeCloseTo((21_000 * 0.5) / MILLION, 12);
    expect(cost.output).toBeCloseTo((400 * 25) / MILLION, 12);
    expect(cost.dollars).toBeCloseTo(cost.input + cost.cacheWrite + cost.cacheRead + cost.output, 12);
    expect(cost.withoutCache).toBeCloseTo((44_010 * 5 + 400 * 25) / MILLION, 12);
    expect(cost.cacheHit).toBeCloseTo(21_000 / 44_010, 12);
    expect(cost).toMatchObject({ responses: 2, unpricedResponses: 0 });
  });

  it("charges writes by how long they live", () => {
    const split = {
      ...usage(0, 0, 3000, 0),
      cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
    };
    const { cacheWrite } = recordedCost([said("a", { model: "claude-opus-4-5", usage: split })]);
    expect(cacheWrite).toBeCloseTo((1000 * 6.25 + 2000 * 10) / MILLION, 12);
  });

  it("counts the calls for summaries that a boundary tells of, once, and whatever else stands there not at all", () => {
    const origin = {
      clock: { now: () => 0 },
      ids: { next: () => "boundary" },
      sessionId: "s",
      parentUuid: null,
    };
    const call = { model: "claude-opus-4-5", usage: usage(100, 20_000, 0, 1000) };
    const boundary = createCompactBoundary(origin, {
      trigger: "auto",
      preTokens: 1,
      summaryCalls: [call, { model: "unheard-of", usage: usage(1, 0, 0, 1) }, null, { usage: 7 }] as never,
    });
    const first = said("a", { model: "claude-opus-4-5", usage: usage(10, 0, 0, 1) });
    const bare = recordedCost([first]);
    const cost = recordedCost([first, boundary, boundary]);
    expect(cost.summaryDollars).toBeCloseTo((100 * 5 + 20_000 * 0.5 + 1000 * 25) / MILLION, 12);
    expect((cost.dollars ?? 0) - (bare.dollars ?? 0)).toBeCloseTo(cost.summaryDollars, 12);
    expect(cost).toMatchObject({ responses: 3, summaryCalls: 2, unpricedResponses: 1 });
    expect(bare).toMatchObject({ summaryCalls: 0, summaryDollars: 0 });
  });

  it("counts what stands in records of its own: failed compactions, notes, subagents, calls that were cut off", () => {
    const record = {
      ...said("r", {}),
      type: "system",
      subtype: "billed_calls",
      uuid: "record",
      billedCalls: [
        { source: "compact", model: "claude-haiku-4-5", usage: usage(1000, 0, 0, 10) },
        { source: "session_memory", model: "claude-opus-4-5", usage: usage(100, 0, 0, 0) },
        { source: "agent:general/compact", model: "claude-opus-4-5", usage: usage(0, 0, 0, 1) },
        { source: "sdk", model: "claude-opus-4-5", usage: usage(2000, 0, 0, 0), estimated: "all" },
        { source: 7, usage: usage(1, 0, 0, 0), estimated: "perhaps" },
        { source: "x", usage: null },
        "nothing",
      ],
    } as unknown as Message;
    const first = said("a", { model: "claude-opus-4-5", usage: usage(10, 0, 0, 1) });
    const cost = recordedCost([first, record, record, { ...record, uuid: "b", billedCalls: 5 } as never]);
    expect(cost).toMatchObject({
      responses: 6,
      summaryCalls: 2,
      unpricedResponses: 1,
      estimatedCalls: 1,
      inputTokens: 3111,
    });
    expect(cost.estimatedDollars).toBeCloseTo((2000 * 5) / MILLION, 12);
    expect(cost.models).toMatchObject({
      "claude-opus-4-5": { calls: 4, estimatedCalls: 1, inputTokens: 2110 },
      "claude-haiku-4-5": { calls: 1, dollars: expect.closeTo((1000 * 1 + 10 * 5) / MILLION, 12) },
      "": { calls: 1, dollars: null },
    });
    expect(cost.sources).toMatchObject({
      main: { calls: 3, inputTokens: 2011, estimatedCalls: 1 },
      compact: { calls: 1 },
      session_memory: { calls: 1, inputTokens: 100 },
      "agent:general/compact": { calls: 1 },
    });
  });

  it("counts a response once, by its last line", () => {
    const cost = recordedCost([
      said("a", { model: "claude-opus-4-5", usage: usage(10, 0, 0, 1) }),
      said("a", { model: "claude-opus-4-5", usage: usage(10, 0, 0, 50) }),
    ]);
    expect(cost).toMatchObject({ responses: 1, outputTokens: 50 });
  });

  it("has no dollars for models without known prices, or without a name", () => {
    const models = ["gpt-x", undefined, null, 7];
    const cost = recordedCost(models.map((model, at) => said(`r${at}`, { model, usage: usage(5, 5, 0, 5) })));
    expect(cost).toMatchObject({
      dollars: null,
      responses: 4,
      unpricedResponses: 4,
      inputTokens: 20,
      cacheHit: 0.5,
    });
  });

  it("leaves out what the program wrote, and responses without usage", () => {
    const cost = recordedCost([
      said("a", { model: "<synthetic>", usage: usage(5, 0, 0, 5) }),
      said("b", { model: "claude-opus-4-5" }),
      said("c", { model: "claude-opus-4-5", usage: "much" }),
    ]);
    expect(cost).toMatchObject({ dollars: null, responses: 0, cacheHit: 0 });
  });

  it("tells responses without an id apart by their lines", () => {
    const cost = recordedCost([
      { ...said("", { model: "claude-opus-4-5", usage: usage(5, 0, 0, 5) }), uuid: "l1" },
      { ...said("", { model: "claude-opus-4-5", usage: usage(5, 0, 0, 5) }), uuid: "l2" },
    ]);
    expect(cost.responses).toBe(2);
  });
});
