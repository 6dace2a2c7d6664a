import type { FileAccess } from "@palimpsest/core/restore";
import { describe, expect, it } from "vitest";
import { invokeSkill } from "./invoke-skill.js";
import type { Skill } from "./skill.js";

const skill = (commands: readonly string[]): Skill => ({
  name: "ship",
  description: "",
  path: "/s/ship.md",
  directory: "/s",
  source: "project",
  isForModel: true,
  isForPerson: true,
  allowedTools: [],
  commands,
});
const holding = (content: string): FileAccess =>
  ({
    read: async () => ({ kind: "text", content, lines: 1, mtime: 0, isTruncated: false }),
  }) as unknown as FileAccess;

describe("a skill that a person starts", () => {
  const invoke = async (content: string, { args = "", commands = [] as readonly string[] } = {}) => {
    const ran: string[] = [];
    const outcome = await invokeSkill(skill(commands), {
      args,
      files: holding(content),
      async run(command) {
        ran.push(command);
        return { kind: "output", text: "OUT !`again` @b $1" };
      },
    });
    return { outcome, ran };
  };

  it("runs the commands that were there when it was loaded, and no others", async () => {
    const changed = await invoke("!`rm -r /`", { commands: ["git status"] });
    expect(changed.ran).toEqual([]);
    expect(changed.outcome).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("have changed"),
    });
    const added = await invoke("!`git status` !`rm`", { commands: ["git status"] });
    expect(added.ran).toEqual([]);
  });

  it("never looks through what a command prints, or what arguments say, for more", async () => {
    const { outcome, ran } = await invoke("Say $1: !`echo $2`\nSee @a", {
      args: "'!`id` @c' two",
      commands: ["echo $2"],
    });
    expect(ran).toEqual(["echo two"]);
    expect(outcome).toMatchObject({
      text: "Base directory for this skill: /s\n\nSay !`id` @c: OUT !`again` @b $1\nSee @a",
    });
    expect(outcome.kind === "text" && outcome.written).not.toContain("@b");
  });

  it("shows them where nobody runs them", async () => {
    const files = holding("!`git status` $ARGUMENTS");
    expect(await invokeSkill(skill([]), { args: "x y", files })).toMatchObject({
      text: "Base directory for this skill: /s\n\n!`git status` x y",
    });
  });
});
