import { expect, it } from "vitest";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import { capResult } from "./cap-result.js";

const estimator = createHeuristicEstimator();

it("leaves a short result alone and cuts a long one, with a pointer to the whole", async () => {
  const spilled: string[] = [];
  const spill = async (text: string): Promise<string> => {
    spilled.push(text);
    return "/tmp/result-1.md";
  };
  expect(await capResult("short", { estimator, maxTokens: 100, spill })).toBe("short");
  const long = `first line\n${"words of a report ".repeat(5000)}\nlast line`;
  const capped = await capResult(long, { estimator, maxTokens: 500, spill });
  expect(estimator.block({ type: "text", text: capped })).toBeLessThanOrEqual(500);
  expect(capped).toContain("first line");
  expect(capped).toContain("last line");
  expect(capped).toContain("/tmp/result-1.md");
  expect(spilled).toEqual([long]);
});

it("cuts all the same where nothing can be kept", async () => {
  const capped = await capResult("x".repeat(10_000), {
    estimator,
    maxTokens: 200,
    spill: () => Promise.reject(new Error("disk full")),
  });
  expect(capped).toContain("could not be kept");
});
