import { describe, expect, it } from "vitest";
import { findModel, models } from "./table.js";

describe("the table of models", () => {
  it("has each id once, and sensible figures", () => {
    expect(new Set(models.map((model) => model.id)).size).toBe(models.length);
    for (const model of models) {
      expect(model.maxOutputTokens).toBeLessThan(model.contextWindow);
      expect(model.prices.cacheRead).toBeLessThan(model.prices.input);
      expect(model.prices.cacheWrite5m).toBeCloseTo(model.prices.input * 1.25);
      expect(model.prices.cacheWrite1h).toBeCloseTo(model.prices.input * 2);
    }
  });

  it.each([
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["us.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["claude-opus-5[1m]", "claude-opus-5"],
    ["anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"],
    ["global.anthropic.claude-sonnet-5-5", "claude-sonnet-5-5"],
    ["apac.anthropic.claude-sonnet-4-5-20250929-v1:0:200k", "claude-sonnet-4-5"],
    [
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0",
      "claude-haiku-4-5",
    ],
    ["claude-opus-4-6@default", "claude-opus-4-6"],
    ["claude-opus-5@20260801", "claude-opus-5"],
    ["claude-haiku-5-5", "claude-haiku-5-5"],
  ])("finds %s", (name, id) => {
    expect(findModel(name)?.id).toBe(id);
  });

  it.each([
    "gpt-5.5",
    "",
    "claude-",
    "<synthetic>",
    "claude-opus-4",
    "claude-fable-5-2",
    "anthropic.claude-v2:1",
    "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc",
    "claude-opus-5-v",
    "claude-@default",
  ])("does not know %s", (name) => {
    expect(findModel(name)).toBeUndefined();
  });

  it("knows which models bind thinking to its prefix", () => {
    const bound = models
      .filter((model) => model.capabilities.thinking.boundToPrefix)
      .map((model) => model.id);
    expect(bound.toSorted()).toEqual(["claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5"]);
  });
});
