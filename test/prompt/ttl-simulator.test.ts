import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findModel, type ModelRequest } from "@palimpsest/core";
import { requestCost } from "../../packages/core/src/engine/prompt/ttl/expected-cost.js";
import { keepAliveRequest } from "../../packages/core/src/engine/prompt/ttl/keep-alive-request.js";
import { createClient, prose } from "../../packages/palimpsest/src/simulator/testing/client.js";

const MINUTE = 60_000;
const MODEL = "claude-opus-5";

/** The conversation's request after as many turns: markers at the end of the system prompt and of the messages. */
function requestAt(turn: number, ttl: "5m" | "1h"): ModelRequest {
  const cache_control = { type: "ephemeral", ttl } as const;
  return {
    model: MODEL,
    max_tokens: 1000,
    thinking: { type: "adaptive" },
    tools: [{ name: "Read", input_schema: { type: "object", properties: {} } }],
    system: [{ type: "text", text: prose("rules", 1000), cache_control }],
    messages: Array.from({ length: turn + 1 }, (_, index) => index).flatMap((index) => [
      ...(index === 0
        ? []
        : [{ role: "assistant" as const, content: [{ type: "text" as const, text: "so" }] }]),
      {
        role: "user" as const,
        content: [
          {
            type: "text" as const,
            text: prose(`turn ${index}`, 300),
            ...(index === turn ? { cache_control } : {}),
          },
        ],
      },
    ]),
  };
}

const prices = findModel(MODEL)?.prices;

describe.each(["5m", "1h"] as const)("a simulated server with entries of %s", (ttl) => {
  it("charges for gaps of any length what the cost model says", () => {
    if (prices === undefined) throw new Error("the model has left the table");
    const gap = fc.oneof(
      fc.integer({ min: 1, max: 6 * MINUTE }),
      fc.integer({ min: 1, max: 70 * MINUTE }),
      fc.constantFrom(5 * MINUTE - 1, 5 * MINUTE, 60 * MINUTE - 1, 60 * MINUTE),
    );
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 8 }), (gaps) => {
        const client = createClient();
        let before = 0;
        for (const [turn, gap] of [undefined, ...gaps].entries()) {
          client.simulator.advance(gap ?? 0);
          const { promptTokens, cost, output } = client.send(requestAt(turn, ttl));
          const spaced = {
            prefixTokens: before,
            newTokens: promptTokens - before,
            ...(gap === undefined ? {} : { gap }),
          };
          const charged = cost - (output * prices.output) / 1e6;
          expect(charged).toBeCloseTo(requestCost(spaced, { ttl, prices }), 9);
          before = promptTokens;
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([true, false])(
    "a keep-alive reads all, writes nothing and wins another lifetime (streamed: %s)",
    (isStreamed) => {
      const client = createClient();
      const sent = requestAt(3, ttl);
      const first = client.send(sent);
      const lifetime = ttl === "5m" ? 5 * MINUTE : 60 * MINUTE;
      const ping = keepAliveRequest(sent, { isStreamed });
      for (let pings = 0; pings < 3; pings += 1) {
        client.simulator.advance(lifetime - 1000);
        const verdict = client.send({ ...ping, ...(isStreamed ? { stream: true } : {}) });
        expect(verdict).toMatchObject({
          cacheRead: first.promptTokens,
          cacheWrite5m: 0,
          cacheWrite1h: 0,
          input: 0,
        });
        expect(verdict.output).toBeLessThanOrEqual(1);
      }
      client.simulator.advance(lifetime - 1000);
      expect(client.send(requestAt(4, ttl)).cacheRead).toBe(first.promptTokens);
    },
  );

  it("without one the prefix is written again", () => {
    const client = createClient();
    client.send(requestAt(3, ttl));
    client.simulator.advance(ttl === "5m" ? 5 * MINUTE : 60 * MINUTE);
    expect(client.send(requestAt(4, ttl)).cacheRead).toBe(0);
  });
});
