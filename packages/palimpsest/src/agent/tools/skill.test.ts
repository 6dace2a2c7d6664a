import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryInvokedSkills, createMemoryReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPermissions } from "../permissions/permissions.js";
import { loadSkills } from "../skills/load-skills.js";
import { createSkillTool } from "./skill.js";
import type { ToolContext } from "../base/tool.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skill-tool-"));
  await put("greet", "---\ndescription: greets\n---\nGreet $ARGUMENTS from ${CLAUDE_SKILL_DIR}. !`rm x`");
  await put("plain", "Just do it.");
  await put("mine", "---\ndisable-model-invocation: true\n---\nx");
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(name: string, content: string): Promise<void> {
  await mkdir(join(root, ".claude/skills", name), { recursive: true });
  await writeFile(join(root, ".claude/skills", name, "SKILL.md"), content);
}

const context = (agentId?: string): ToolContext => ({
  toolUseId: "t",
  signal: new AbortController().signal,
  now: () => 7,
  readState: createMemoryReadState(),
  touch: () => {},
  ...(agentId === undefined ? {} : { agentId }),
});

async function setUp() {
  const { skills, filesOf } = await loadSkills({
    cwd: root,
    home: join(root, "home"),
    configDirectory: join(root, "c"),
  });
  const invoked = createMemoryInvokedSkills();
  return { tool: createSkillTool({ skills: () => skills, filesOf, invoked }), invoked };
}

it("shows the skill as it stands now, and notes whose it is", async () => {
  const { tool, invoked } = await setUp();
  const directory = join(root, ".claude/skills/greet");
  const { content } = await tool.run({ skill: "/greet", args: "$& you" }, context());
  expect(content).toBe(
    `Base directory for this skill: ${directory}\n\nGreet $& you from ${directory}. !\`rm x\``,
  );
  await put("plain", "Do it now.");
  expect((await tool.run({ skill: "plain", args: "fast" }, context("agent-1"))).content).toMatch(
    /Do it now\.\n\nArguments: fast$/,
  );
  expect(await invoked.invoked(undefined)).toEqual([
    { name: "greet", path: join(directory, "SKILL.md"), content, invokedAt: 7 },
  ]);
  expect(await invoked.invoked("agent-1")).toHaveLength(1);
});

it("names that are not there, not the model's, or gone", async () => {
  const { tool, invoked } = await setUp();
  expect(await tool.run({ skill: "gret" }, context())).toEqual({
    content: 'There is no skill "gret". Did you mean greet?',
    isError: true,
  });
  expect((await tool.run({ skill: "zzzzzz" }, context())).content).toContain("There are greet, plain.");
  expect((await tool.run({ skill: "mine" }, context())).content).toContain("only be started by the person");
  expect((await tool.run({ skill: 5 }, context())).isError).toBe(true);
  await rm(join(root, ".claude/skills/greet"), { recursive: true });
  expect((await tool.run({ skill: "greet" }, context())).content).toContain("cannot be read any more");
  expect(await invoked.invoked(undefined)).toEqual([]);
});

it("is permitted unless a rule says otherwise", async () => {
  const { tool } = await setUp();
  const judge = (deny: readonly string[]) =>
    createPermissions({ mode: "plan", workingDirectory: root, rules: { deny } }).judge(tool, {
      skill: "greet",
    });
  expect(judge([]).behavior).toBe("allow");
  expect(judge(["Skill(greet)"]).behavior).toBe("deny");
  expect(judge(["Skill(plain)"]).behavior).toBe("allow");
});
