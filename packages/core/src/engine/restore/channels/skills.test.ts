import { describe, expect, it } from "vitest";
import { filler } from "../../tools/testing/sample.js";
import { estimator } from "../../clear/testing/context.js";
import { createMemoryInvokedSkills, type InvokedSkill } from "../ports/invoked-skills.js";
import { restoreSkills } from "./skills.js";

const settings = { restoreSkillTokens: 5000, restoreSkillsTokens: 25_000 };
const skill = (name: string, tokens: number, more: Partial<InvokedSkill> = {}): InvokedSkill => ({
  name,
  path: `/skills/${name}/SKILL.md`,
  content: filler(name, tokens),
  invokedAt: 1,
  ...more,
});
const restore = (skills: readonly InvokedSkill[], agentId?: string) => {
  const { items, skipped } = restoreSkills(skills, { agentId, estimator, settings });
  const shown = (items[0]?.attachment["skills"] ?? []) as readonly InvokedSkill[];
  return { items, shown, names: shown.map(({ name }) => name), skipped: skipped.map(({ path }) => path) };
};

describe("skills", () => {
  it("come newest first in one attachment, of two invocations the later", () => {
    const { items, names, shown } = restore([
      skill("a", 10, { invokedAt: 3 }),
      skill("b", 10, { invokedAt: 5 }),
      skill("a", 12, { invokedAt: 9 }),
      skill("c", 10, { invokedAt: 5 }),
    ]);
    expect(names).toEqual(["a", "c", "b"]);
    expect(shown[0]).toEqual({ name: "a", path: "/skills/a/SKILL.md", content: filler("a", 12) });
    expect(items).toHaveLength(1);
  });

  it("are cut behind their head, with a marker that names the path, and five cut ones fit", () => {
    const skills = Array.from({ length: 6 }, (_, index) => skill(`s${index}`, 9000, { invokedAt: index }));
    const { names, shown, skipped, items } = restore(skills);
    expect(names).toEqual(["s5", "s4", "s3", "s2", "s1"]);
    expect(skipped).toEqual(["/skills/s0/SKILL.md"]);
    expect(shown[0]?.content).toMatch(/^s5 lorem[^]*\n\[cut here.*\/skills\/s5\/SKILL\.md\]$/);
    expect(items[0]?.tokens).toBeLessThanOrEqual(25_000);
    expect(items[0]?.tokens).toBeGreaterThan(24_500);
  });

  it("one that does not fit is passed over, a smaller older one may still fit", () => {
    const big = Array.from({ length: 5 }, (_, index) => skill(`b${index}`, 4900, { invokedAt: 10 - index }));
    const { names, skipped } = restore([skill("small", 100), ...big, skill("late", 4000, { invokedAt: 5 })]);
    expect(names).toEqual(["b0", "b1", "b2", "b3", "b4", "small"]);
    expect(skipped).toEqual(["/skills/late/SKILL.md"]);
  });

  it("do not leak between the main thread and subagents", () => {
    const skills = [
      skill("main", 10),
      skill("sub", 10, { agentId: "x" }),
      skill("other", 10, { agentId: "y" }),
    ];
    expect(restore(skills).names).toEqual(["main"]);
    expect(restore(skills, "x").names).toEqual(["sub"]);
    expect(restore(skills, "z").items).toEqual([]);
  });

  it("are cut from the original each time", () => {
    const original = skill("a", 20_000);
    const first = restore([original]).shown[0];
    expect(restore([original]).shown[0]).toEqual(first);
    expect(original.content).toBe(filler("a", 20_000));
  });

  it("blank ones give no attachment", () => {
    expect(restore([skill("a", 10, { content: " \n" })]).items).toEqual([]);
  });

  it("in memory are kept by agent and name", async () => {
    const skills = createMemoryInvokedSkills();
    skills.note(skill("a", 10));
    skills.note(skill("a", 20, { invokedAt: 2 }));
    skills.note(skill("a", 30, { agentId: "x" }));
    expect((await skills.invoked(undefined)).map(({ invokedAt }) => invokedAt)).toEqual([2]);
    expect(await skills.invoked("x")).toHaveLength(1);
  });
});
