import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSkills } from "./load-skills.js";
import { nearNames } from "../base/near-names.js";
import type { Skill } from "./skill.js";
import { skillListing, skillSection } from "./skill-listing.js";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skills-")));
  await mkdir(join(root, "repo/.git"), { recursive: true });
  await mkdir(join(root, "repo/sub"), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));
async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
const load = (includesProject = true) =>
  loadSkills({
    cwd: join(root, "repo/sub"),
    home: join(root, "home"),
    configDirectory: join(root, "home/.config/palimpsest"),
    includesProject,
  });

describe("skills on disk", () => {
  it("of all folders, the person's before the project's", async () => {
    await put(
      "repo/.claude/skills/pdf/SKILL.md",
      "---\nname: pdf\ndescription: Use this: for PDF\n---\nBody",
    );
    await put("repo/.palimpsest/skills/one/SKILL.md", "Body without front matter");
    await put(
      "repo/sub/.agents/skills/two/SKILL.md",
      "---\ndescription: two\nallowed-tools: Read, Bash(git:*)\n---\n",
    );
    await put("repo/.claude/commands/front/page.md", "# Makes a page\nWith $ARGUMENTS");
    await put("repo/.claude/commands/pdf.md", "older");
    await put(
      "home/.claude/skills/two/SKILL.md",
      "---\ndescription: mine\ndisable-model-invocation: true\n---\n",
    );
    await put("home/.claude/skills/empty/README.md", "x");
    const { skills, problems } = await load();
    expect(problems).toEqual([]);
    expect(
      skills.map(({ name, description, source, path }) => [name, description, source, relative(root, path)]),
    ).toEqual([
      ["front:page", "Makes a page", "project", "repo/.claude/commands/front/page.md"],
      ["one", "Body without front matter", "project", "repo/.palimpsest/skills/one/SKILL.md"],
      ["pdf", "Use this: for PDF", "project", "repo/.claude/skills/pdf/SKILL.md"],
      ["two", "mine", "user", "home/.claude/skills/two/SKILL.md"],
    ]);
    expect(skills[3]?.isForModel).toBe(false);
    expect((await load(false)).skills.map(({ name }) => name)).toEqual(["two"]);
  });

  it("names that cannot be called, links that lead out, binaries", async () => {
    await put("home/.ssh/SKILL.md", "key");
    await put("repo/.claude/skills/bad name!/SKILL.md", "x");
    await put(
      "repo/.claude/skills/odd/SKILL.md",
      "---\nname: '\u001b[2J'\ndescription: \"a\\e[2Jb\\nc\"\n---\nx",
    );
    await put("repo/.claude/skills/binary/SKILL.md", "a\0b");
    await symlink(join(root, "home/.ssh"), join(root, "repo/.claude/skills/stolen"));
    const { skills, problems } = await load();
    expect(skills.map(({ name, description }) => [name, description])).toEqual([["odd", "a [2Jb c"]]);
    expect(problems).toHaveLength(3);
  });
});

const skill = (name: string, description: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description,
  path: `/s/${name}/SKILL.md`,
  directory: `/s/${name}`,
  source: "project",
  isForModel: true,
  isForPerson: true,
  allowedTools: [],
  commands: [],
  ...more,
});

describe("the listing", () => {
  it("a line each, without those of the person alone", () => {
    expect(
      skillListing([skill("a", "does a"), skill("b", "", {}), skill("c", "x", { isForModel: false })]),
    ).toBe("- a: does a\n- b");
    expect(skillListing([skill("c", "x", { isForModel: false })])).toBeUndefined();
    expect(skillSection([])).toBeUndefined();
    expect(skillSection([skill("a", "does a")])).toContain("- a: does a");
  });

  it("is never longer than it may be", () => {
    expect(skillListing([skill("a", "x".repeat(400))])).toHaveLength("- a: ".length + 250);
    const many = Array.from({ length: 100 }, (_, index) => skill(`skill-${index}`, "d".repeat(200)));
    const listing = skillListing(many) ?? "";
    expect(listing.length).toBeLessThanOrEqual(8000);
    for (const { name } of many) expect(listing).toContain(name);
    const crowd = Array.from({ length: 2000 }, (_, index) => skill(`skill-${index}`, "d"));
    const crowded = skillListing(crowd) ?? "";
    expect(crowded.length).toBeLessThanOrEqual(8040);
    expect(crowded).toMatch(/\(\d+ more are not listed\)$/);
  });
});

it("near names", () => {
  const names = ["pdf", "pdf-forms", "docx", "commit", "review-pr"];
  expect(nearNames("pfd", names)).toEqual(["pdf"]);
  expect(nearNames("comit", names)).toEqual(["commit"]);
  expect(nearNames("review", names)).toEqual(["review-pr"]);
  expect(nearNames("zzzzzzzz", names)).toEqual([]);
});
