import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countsAnswer, forkMaxTokens } from "./fork-max-tokens.js";
import { forkParameters } from "./fork-parameters.js";

const base = { model: "claude-opus-5", max_tokens: 1000 };

describe("the parameters of a call beside the conversation", () => {
  it("are the caller's where nothing decides what an answer looks like, and the key is the same", () => {
    const parameters = {
      ...base,
      thinking: { type: "adaptive" },
      effort: "low",
      context_management: { edits: [] },
      betas: ["b"],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      extraBody: { metadata: { user_id: "u" }, speed: "fast", output_config: { effort: "max" } },
    };
    expect(forkParameters(parameters, "text")).toEqual({ parameters, isKeySame: true });
    expect(forkParameters(parameters, "calls")).toEqual({ parameters, isKeySame: true });
  });

  it("let nothing through that nobody has looked at, whatever it is called", () => {
    const name = fc.string().filter((text) => text !== "__proto__");
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (extraBody) => {
        const { extraBody: left = {} } = forkParameters({ ...base, extraBody }, "text").parameters;
        const known =
          "metadata service_tier inference_geo user_profile_id user safety_identifier prompt_cache_key speed mcp_servers container output_config";
        expect(Object.keys(left).filter((field) => !known.split(" ").includes(field))).toEqual([]);
        expect(Object.keys(left["output_config"] ?? {})).toEqual([]);
      }),
    );
  });

  it.each([
    [{ type: "any" }, "text", false],
    [{ type: "tool", name: "Read" }, "text", false],
    [{ type: "none" }, "text", true],
    [{ type: "none" }, "calls", false],
    [{ type: "any" }, "calls", false],
    [{ type: "something new" }, "text", false],
  ] as const)("with the choice %j for %s: kept %s", (tool_choice, answer, isKept) => {
    const { parameters, isKeySame } = forkParameters({ ...base, tool_choice }, answer);
    expect(isKeySame).toBe(isKept);
    expect(parameters.tool_choice).toEqual(isKept ? tool_choice : undefined);
  });

  it("say that the key is another one without the format", () => {
    const format = { type: "json_schema", schema: {} };
    const outcome = (extraBody: object) => forkParameters({ ...base, extraBody: { ...extraBody } }, "text");
    expect(outcome({ output_config: { format, effort: "low" } })).toEqual({
      parameters: { ...base, extraBody: { output_config: { effort: "low" } } },
      isKeySame: false,
    });
    expect(outcome({ output_format: format })).toEqual({ parameters: base, isKeySame: false });
    expect(outcome({ output_format: null }).isKeySame).toBe(true);
    expect(outcome({ stop_sequences: ["x"], temperature: 0 })).toEqual({ parameters: base, isKeySame: true });
  });
});

describe("the tokens of its answer", () => {
  it("fit into the window of a model that counts them in, or that nobody knows", () => {
    expect(countsAnswer("claude-opus-5")).toBe(false);
    expect(countsAnswer("llama-9")).toBe(true);
    const unknown = { model: "llama-9", max_tokens: 500 };
    const output = { outputTokens: 20_000 };
    expect(forkMaxTokens(unknown, output)).toBe(8192);
    expect(forkMaxTokens({ ...unknown, max_tokens: 12_000 }, output)).toBe(12_000);
    expect(forkMaxTokens(unknown, { ...output, room: 3000 })).toBe(3000);
    expect(forkMaxTokens(unknown, { ...output, room: -5 })).toBe(1);
    expect(forkMaxTokens(base, { ...output, room: 3000 })).toBe(20_000);
  });

  it("are more than a budget for thinking, and never more than the model has", () => {
    const thinking = { type: "enabled", budget_tokens: 40_000 };
    const older = { model: "claude-opus-4-5", max_tokens: 41_000, thinking };
    expect(forkMaxTokens(older, { outputTokens: 20_000 })).toBe(60_000);
    expect(forkMaxTokens(older, { outputTokens: 40_000 })).toBe(64_000);
  });
});
