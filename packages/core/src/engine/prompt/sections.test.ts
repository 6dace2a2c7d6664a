import { describe, expect, it } from "vitest";
import { createSystemPrompt, dynamicBoundary, section, volatileSection } from "./sections.js";

describe("the system prompt", () => {
  it("computes a section once, a volatile one each time, until it is reset", async () => {
    let rules = 0;
    let clock = 0;
    const prompt = createSystemPrompt([
      section("rules", () => `rules ${(rules += 1)}`),
      dynamicBoundary,
      volatileSection("clock", async () => `clock ${(clock += 1)}`, "the time of day"),
      section("nothing", () => undefined),
      section("blank", () => "  \n"),
    ]);
    expect(await prompt.resolve()).toEqual([
      { name: "rules", text: "rules 1", part: "static" },
      { name: "clock", text: "clock 1", part: "dynamic", volatileBecause: "the time of day" },
    ]);
    const [both, again] = await Promise.all([prompt.resolve(), prompt.resolve()]);
    expect(both[0]?.text).toBe("rules 1");
    expect(again[1]?.text).toBe("clock 3");
    prompt.reset();
    expect((await prompt.resolve())[0]?.text).toBe("rules 2");
  });

  it("names the section that fails and tries it again", async () => {
    let isBroken = true;
    const prompt = createSystemPrompt([
      section("memory", () => {
        if (isBroken) throw new Error("no such file");
        return "memory";
      }),
    ]);
    await expect(prompt.resolve()).rejects.toThrow('the section "memory"');
    isBroken = false;
    expect(await prompt.resolve()).toHaveLength(1);
  });

  it("refuses what would go wrong quietly", () => {
    const text = (): string => "text";
    expect(() => volatileSection("clock", text, " ")).toThrow("needs a reason");
    expect(() => createSystemPrompt([section("a", text), section("a", text)])).toThrow("two sections");
    expect(() => createSystemPrompt([dynamicBoundary, dynamicBoundary])).toThrow("one boundary");
    expect(() => createSystemPrompt([volatileSection("a", text, "why"), dynamicBoundary])).toThrow(
      "after the boundary",
    );
  });
});
