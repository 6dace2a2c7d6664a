import { describe, expect, it } from "vitest";
import { repositoryOf } from "./repository.js";

const named = (value: object, path = "/data/more/session.jsonl"): string =>
  repositoryOf(
    [
      { line: 1, offset: 0, bytes: 0, value: { type: "x" } },
      { line: 2, offset: 9, bytes: 0, value: { ...value } },
    ],
    path,
  );

describe("the repository of a recording", () => {
  it.each([
    ["/home/someone/projects/agentv", "agentv"],
    ["/home/someone/projects/agentv/", "agentv"],
    ["D:\\oh-my-posh", "oh-my-posh"],
    ["/w/cli/.worktrees/alex/ent-109", "cli"],
    ["D:\\oh-my-posh\\.claude\\worktrees\\agent-a4\\src", "oh-my-posh"],
    ["/Users/someone/Projects/wt/skills/experiment", "skills"],
    ["/", "more"],
    ["", "more"],
  ])("made in %s: %s", (cwd, name) => expect(named({ cwd })).toBe(name));

  it("is named by the remote first, wherever it stands", () => {
    const git = (url: unknown): object => ({ payload: { cwd: "/w/copy", git: { repository_url: url } } });
    expect(named(git("https://host.example/owner/agentv.git"))).toBe("agentv");
    expect(named(git("git@host.example:owner/agentv"))).toBe("agentv");
    expect(named(git("https://host.example/..git"))).toBe("copy");
    expect(named(git(7))).toBe("copy");
  });

  it("is the file's own folder where the recording does not say", () => {
    expect(named({})).toBe("more");
    expect(named({ cwd: 3, payload: "no" })).toBe("more");
    expect(repositoryOf([], "/data/few/a.jsonl")).toBe("few");
  });

  it("never is a path", () => {
    for (const cwd of ["/a/..", "/a/\u001b[2J", "/a/b\nc", "..\\.."])
      expect(named({ cwd })).toMatch(/^[\w.-]*\w[\w.-]*$/);
  });
});
