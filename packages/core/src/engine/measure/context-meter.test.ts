import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { createContextMeter } from "./context-meter.js";
import { createDefaultEstimator } from "./default-estimator.js";
import { createHeuristicEstimator } from "./heuristic-estimator.js";

let count = 0;
const base = () => {
  count += 1;
  return { uuid: `u${count}`, parentUuid: null, timestamp: "2026-11-15T10:00:00.000Z", sessionId: "s" };
};
const user = (content: unknown): Message =>
  ({ ...base(), type: "user", message: { role: "user", content } }) as Message;
const response = (id: string, input: number, output: number, more: object = {}): Message =>
  ({
    ...base(),
    type: "assistant",
    message: {
      id,
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "x".repeat(400) }],
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: input - 110,
        cache_read_input_tokens: 100,
        output_tokens: output,
      },
      stop_reason: "tool_use",
      ...more,
    },
  }) as unknown as Message;
const result = (characters: number): Message =>
  user([{ type: "tool_result", tool_use_id: "t", content: "y".repeat(characters) }]);
const system = (subtype: string): Message => ({ ...base(), type: "system", subtype });
const clearing = (variant: string, freed = 0): Message => {
  const sizes = { tokensBefore: 50_000, tokensAfter: 50_000 - freed };
  const microcompactMetadata = { variant, trigger: "auto", toolUseIds: ["t"], ...sizes };
  return Object.assign(system("microcompact_boundary"), { microcompactMetadata });
};
const meter = (overhead = 0) => createContextMeter({ estimator: createHeuristicEstimator(), overhead });

describe("the size of the context", () => {
  it("without usage: the estimate of everything, and the fixed overhead", () => {
    expect(meter(30_000).append([user("z".repeat(4000))])).toMatchObject({
      tokens: 31_000,
      reported: 0,
      estimated: 1000,
      overhead: 30_000,
    });
  });

  it("counts from the newest usage: cached tokens fill the window, the output is part of it", () => {
    expect(meter().append([user("q"), response("m1", 50_000, 700), result(4000)])).toMatchObject({
      tokens: 51_700,
      reported: 50_700,
      estimated: 1000,
    });
  });

  it("a split response: the anchor is its first piece, results between the pieces count", () => {
    const messages = [
      user("q"),
      response("m1", 50_000, 1, { stop_reason: null }),
      result(4000),
      response("m1", 50_000, 700),
      result(8000),
    ];
    expect(meter().append(messages)).toMatchObject({ tokens: 53_700, reported: 50_700, estimated: 3000 });
  });

  it("an output without a stop reason is a placeholder: its pieces are estimated", () => {
    expect(meter().append([response("m1", 50_000, 1, { stop_reason: null })])).toMatchObject({
      reported: 50_000,
      estimated: 100,
    });
  });

  it("where a response took several calls, the last one that wrote it counts", () => {
    const iterations = [
      { type: "compaction", input_tokens: 160_000, output_tokens: 4000 },
      { type: "message", input_tokens: 500, cache_read_input_tokens: 7500, output_tokens: 300 },
    ];
    const usage = { input_tokens: 500, cache_read_input_tokens: 7500, output_tokens: 300, iterations };
    expect(meter().append([response("m1", 1000, 1, { usage })])).toMatchObject({ reported: 8300 });
  });

  it("a usage older than a boundary, or than a clearing, does not count", () => {
    const before = [user("q".repeat(4000)), response("m1", 50_000, 700)];
    const cleared = meter().append([...before, clearing("size-based")]);
    // what the last anchor showed of system prompt and tools is remembered
    expect(cleared).toMatchObject({ reported: 0, overhead: 49_000, estimated: 1100 });
    const compacted = meter().append([...before, system("compact_boundary"), user("s".repeat(400))]);
    expect(compacted).toMatchObject({ reported: 0, overhead: 49_000, estimated: 100 });
  });

  it("kept messages behind a boundary are estimated: their usage is older than it", () => {
    const kept = [response("m8", 175_000, 300), result(4000)];
    const [head, tail] = [kept[0]?.uuid, kept.at(-1)?.uuid];
    const summary = user("s".repeat(400));
    const segment = { headUuid: head, tailUuid: tail, anchorUuid: summary.uuid };
    const boundary = Object.assign(system("compact_boundary"), {
      compactMetadata: { preservedSegment: segment },
    });
    expect(meter(20_000).append([boundary, summary, ...kept])).toMatchObject({
      reported: 0,
      overhead: 20_000,
      estimated: 100 + 100 + 1000,
    });
    expect(meter().append([boundary, summary, ...kept, response("m9", 26_000, 50)])).toMatchObject({
      reported: 26_050,
    });
  });

  it("a kept prefix before the boundary is counted", () => {
    const prefix = user("p".repeat(400_000));
    const segment = { headUuid: prefix.uuid, tailUuid: prefix.uuid, anchorUuid: null };
    const boundary = Object.assign(system("compact_boundary"), {
      compactMetadata: { preservedSegment: segment },
    });
    expect(meter().append([prefix, boundary, user("s".repeat(400))])).toMatchObject({ estimated: 100_100 });
  });

  it("after a local clearing the size falls by what was freed, on the old meter and on a new one", () => {
    const results = (content: string): Message => user([{ type: "tool_result", tool_use_id: "t", content }]);
    const original = results("y".repeat(40_000));
    const cleared = results("[Old tool result content cleared]");
    const before = [user("q"), original, response("m1", 30_000, 100)];
    const old = meter();
    old.append(before);
    const expected = 30_000 + 100 - 9992;
    expect(old.append([clearing("size-based", 9992)]).tokens).toBe(expected);
    const fresh = meter().append([
      user("q"),
      cleared,
      response("m1", 30_000, 100),
      clearing("size-based", 9992),
    ]);
    expect(Math.abs(fresh.tokens - expected)).toBeLessThan(20);
    expect(fresh.shownOverhead).toBeLessThan(20_010);
  });

  it("figures that are none count as none", () => {
    const odd = [
      null,
      5,
      { input_tokens: "5" },
      { input_tokens: Number.NaN },
      { input_tokens: 10, iterations: [null, 3] },
    ];
    for (const usage of odd) {
      const { tokens, padded } = meter().append([user("q"), response("m1", 1000, 1, { usage })]);
      expect(Number.isFinite(tokens) && Number.isFinite(padded)).toBe(true);
    }
    const broken = {
      ...system("microcompact_boundary"),
      microcompactMetadata: { variant: "cached", toolUseIds: ["t"] },
    };
    expect(meter().append([user("q".repeat(400)), broken as Message]).tokens).toBe(100);
  });

  it("deletions inside the provider's cache leave the messages, not the context", () => {
    const before = [user("q".repeat(4000)), response("m1", 50_000, 700)];
    expect(meter().append([...before, clearing("cached", 600)])).toMatchObject({
      reported: 0,
      estimated: 500,
    });
    // what the provider cleared by itself is no longer part of what it reports
    expect(meter().append([...before, clearing("api-native", 600)])).toMatchObject({ reported: 50_700 });
  });

  it("pads the estimated part only", () => {
    const size = meter().append([response("m1", 50_000, 700), result(4000)]);
    expect(size.padded).toBe(50_700 + Math.ceil(1000 * (4 / 3)));
  });

  it("errors of the program, system and progress messages weigh nothing", () => {
    const error = {
      ...base(),
      type: "assistant",
      isApiErrorMessage: true,
      message: {
        id: "e",
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text: "x".repeat(4000) }],
      },
    } as unknown as Message;
    expect(meter().append([error, system("info"), { ...base(), type: "progress" }]).tokens).toBe(0);
  });

  it("in pieces of any size, the result is that of the whole list", () => {
    const kind = fc.constantFrom("user", "result", "response", "piece", "boundary", "clearing");
    const build = (kinds: readonly string[]): readonly Message[] =>
      kinds.map((name, index) => {
        if (name === "user") return user("q".repeat(index * 40));
        if (name === "result") return result(index * 100);
        if (name === "boundary") return system("compact_boundary");
        if (name === "clearing") return clearing("cached", 50);
        return response(name === "piece" ? "same" : `m${index}`, 1000 + index * 300, 50);
      });
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 30 }), fc.nat({ max: 29 }), (kinds, at) => {
        const messages = build(kinds);
        const growing = meter();
        growing.append(messages.slice(0, at));
        expect(growing.append(messages.slice(at))).toEqual(meter().append(messages));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the default estimator", () => {
  it("learns from what responses show, within bounds", () => {
    const estimator = createDefaultEstimator({ model: "claude-opus-5" });
    const untaught = createDefaultEstimator({ model: "claude-opus-5" });
    const measured = createContextMeter({ estimator });
    let input = 10_000;
    measured.append([response("m0", input, 100)]);
    for (let round = 1; round <= 300; round += 1) {
      const message = result(4000);
      const real = Math.round(untaught.message(message) * 1.2);
      input += 100 + real;
      measured.append([message, response(`m${round}`, input, 100)]);
    }
    expect(estimator.calibration.scale).toBeCloseTo(1.2, 1);
    for (let round = 0; round < 500; round += 1) {
      estimator.learn({ messages: [], estimated: 1000, actual: 9000 });
    }
    expect(estimator.calibration.scale).toBeLessThanOrEqual(1.4);
  });

  it("pads by its own measured error, and by a third until it knows it", () => {
    const estimator = createDefaultEstimator({ model: "claude-opus-5" });
    expect(estimator.pad(3000)).toBe(4000);
    for (let round = 0; round < 50; round += 1) {
      estimator.learn({ messages: [], estimated: 1000, actual: 1020 });
    }
    expect(estimator.pad(3000)).toBeLessThan(3100);
    expect(estimator.pad(3000)).toBeGreaterThanOrEqual(3000);
  });

  it("the padding has an end: what is beyond it a refusal teaches", () => {
    const estimator = createDefaultEstimator({ model: "claude-opus-5" });
    for (let round = 0; round < 400; round += 1) {
      estimator.learn({ messages: [], estimated: 1000, actual: 9000 });
    }
    expect(estimator.pad(1000)).toBe(1500);
  });

  it("survives nesting without end", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const block = { type: "tool_use", id: "t", name: "x", input: { deep } };
    expect(createDefaultEstimator({ model: "claude-opus-5" }).block(block)).toBeGreaterThan(0);
    expect(createHeuristicEstimator().block(block)).toBeGreaterThan(0);
  });

  it("is told apart by what it counts", () => {
    const estimator = createDefaultEstimator({ model: "claude-opus-5" });
    const older = createDefaultEstimator({ model: "claude-opus-4-6" });
    const prose = "The quick brown fox jumps over the lazy dog. ".repeat(50);
    expect(estimator.block(prose)).toBeGreaterThan(older.block(prose) * 1.3);
    expect(estimator.block({ type: "thinking", thinking: "", signature: "s".repeat(4200) })).toBe(1000);
    expect(estimator.block({ type: "thinking", thinking: "", signature: "cut", signatureChars: 4200 })).toBe(
      1000,
    );
    expect(estimator.block({ type: "image", source: { type: "url", url: "https://example.com" } })).toBe(
      4784,
    );
    expect(estimator.block("漢字".repeat(500))).toBe(1100);
    expect(estimator.block({ type: "tool_result", tool_use_id: "t", content: "" })).toBe(26);
  });

  it("survives any block", () => {
    const estimators = [createDefaultEstimator({ model: "gpt-5.5" }), createHeuristicEstimator()];
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const estimator of estimators) expect(estimator.block(value)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 5000 },
    );
  });
});

it("the classic rule", () => {
  const { block, pad } = createHeuristicEstimator();
  expect(block({ type: "text", text: "x".repeat(10) })).toBe(3);
  expect(block({ type: "image", source: {} })).toBe(2000);
  expect(block({ type: "document", source: { type: "url" } })).toBe(2000);
  expect(block({ type: "tool_use", id: "t", name: "Read", input: { a: 1 } })).toBe(1 + 2);
  expect(
    block({ type: "tool_result", content: [{ type: "text", text: "x".repeat(8) }, { type: "image" }] }),
  ).toBe(2002);
  expect(pad(3)).toBe(4);
});
