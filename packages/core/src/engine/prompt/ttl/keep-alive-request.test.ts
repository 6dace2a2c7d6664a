import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../messages/call/request.js";
import { findProblems } from "../../../messages/validity/find-problems.js";
import { keepAliveRequest } from "./keep-alive-request.js";

const request: ModelRequest = {
  model: "claude-opus-4-6",
  max_tokens: 32_000,
  stream: true,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
  tools: [{ name: "Read", input_schema: { type: "object" } }],
  thinking: { type: "adaptive" },
  messages: [
    { role: "user", content: [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }] },
  ],
};

describe("the request that keeps an entry alive", () => {
  it("is the same but for the answer's length", () => {
    const { max_tokens: _, stream: __, ...key } = request;
    expect(keepAliveRequest(request)).toEqual({ ...key, max_tokens: 1 });
    const ping = keepAliveRequest(request);
    expect(ping?.messages).toBe(request.messages);
    expect(ping?.tools).toBe(request.tools);
    expect(ping?.system).toBe(request.system);
    expect(JSON.stringify(ping?.thinking)).toBe(JSON.stringify(request.thinking));
  });

  it("asks for no answer at all where it is not streamed and nothing stands against it", () => {
    const unstreamed = { isStreamed: false };
    expect(keepAliveRequest(request, unstreamed)).toMatchObject({ max_tokens: 0 });
    expect(keepAliveRequest({ ...request, tool_choice: { type: "auto" } }, unstreamed)?.max_tokens).toBe(0);
    expect(keepAliveRequest({ ...request, tool_choice: { type: "any" } }, unstreamed)?.max_tokens).toBe(1);
    const format = { type: "json_schema", schema: {} };
    expect(keepAliveRequest({ ...request, output_config: { format } }, unstreamed)?.max_tokens).toBe(1);
    expect(keepAliveRequest({ ...request, output_config: { effort: "high" } }, unstreamed)?.max_tokens).toBe(
      0,
    );
  });

  it("does not exist where the thinking budget asks for a long answer", () => {
    const thinking = { type: "enabled", budget_tokens: 4096 };
    expect(keepAliveRequest({ ...request, thinking })).toBeUndefined();
    expect(keepAliveRequest({ ...request, thinking }, { isStreamed: false })).toBeUndefined();
  });

  it("is accepted wherever the request itself was", () => {
    const field = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({
          thinking: field<object>(
            { type: "adaptive" },
            { type: "disabled" },
            { type: "enabled", budget_tokens: 2000 },
          ),
          tool_choice: field<object>(
            { type: "auto" },
            { type: "any" },
            { type: "tool", name: "Read" },
            { type: "none" },
          ),
          output_config: field<object>(
            { effort: "low" },
            { format: { type: "json_schema", schema: { type: "object" } } },
          ),
          model: fc.constantFrom("claude-opus-4-6", "claude-opus-5", "claude-sonnet-5-5", "claude-haiku-4-5"),
          isStreamed: fc.boolean(),
        }),
        ({ isStreamed, ...fields }) => {
          const given = Object.entries(fields).filter(([, value]) => value !== undefined);
          const sent: ModelRequest = {
            ...request,
            thinking: { type: "adaptive" },
            ...Object.fromEntries(given),
          };
          if (findProblems(sent).length > 0) return;
          const ping = keepAliveRequest(sent, { isStreamed });
          if (ping === undefined) return;
          expect(findProblems({ ...ping, ...(isStreamed ? { stream: true } : {}) })).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
