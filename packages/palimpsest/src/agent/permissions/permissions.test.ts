import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentTool, PermissionSubject, ToolInput } from "../base/tool.js";
import { denyInsteadOfAsking } from "./judgement.js";
import type { PermissionMode } from "./mode.js";
import { createPermissions, type PermissionOptions } from "./permissions.js";
import { PermissionRuleError, type RuleLists } from "./rule.js";
import { createRuleTest } from "./rule-test.js";

const tool = (
  name: string,
  subject: (input: ToolInput) => PermissionSubject,
  isReadOnly: (input: ToolInput) => boolean = () => false,
): AgentTool => ({
  definition: { name },
  subject,
  isReadOnly,
  run: async () => ({ content: "" }),
});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const readPath = (kind: "read" | "edit") => (input: ToolInput) => ({
  kind,
  paths: [text(input["file_path"])],
});
const read = tool("Read", readPath("read"), () => true);
const grep = tool(
  "Grep",
  () => ({ kind: "read" }),
  () => true,
);
const write = tool("Write", readPath("edit"));
const edit = tool("Edit", readPath("edit"));
const bash = tool(
  "Bash",
  (input) => ({ kind: "execute", command: text(input["command"]) }),
  (input) => /^(?:ls\b|git status|(?:cat|head)\b[^*]*$)/.test(text(input["command"])),
);
const fetchPage = tool(
  "WebFetch",
  (input) => ({ kind: "network", url: text(input["url"]) }),
  () => true,
);
const todo = tool("TodoWrite", () => ({ kind: "none" }));
const other = (name: string, isReadOnly = false) =>
  tool(
    name,
    () => ({ kind: "other" }),
    () => isReadOnly,
  );

let root: string;
let project: string;
let outside: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "permissions-")));
  project = join(root, "project");
  outside = join(root, "outside");
  await mkdir(join(project, "src"), { recursive: true });
  await mkdir(join(project, "secrets"));
  await mkdir(join(project, ".git/hooks"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "key"), "x");
  await writeFile(join(project, "src/a.ts"), "x");
  await writeFile(join(project, "secrets/key"), "x");
  await symlink(join(outside, "key"), join(project, "link"));
  await symlink(outside, join(project, "linked"));
  await symlink(join(outside, "not-there"), join(project, "dangling"));
  await symlink(join(project, "secrets/key"), join(project, "src/innocent"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const permissions = (mode: PermissionMode, rules: RuleLists = {}, more: Partial<PermissionOptions> = {}) =>
  createPermissions({ mode, rules, workingDirectory: project, home: join(root, "home"), ...more });
const run = (rules: RuleLists, command: string, mode: PermissionMode = "default"): string =>
  permissions(mode, rules).judge(bash, { command }).behavior;
const on = (which: AgentTool, path: string, mode: PermissionMode, rules: RuleLists = {}): string =>
  permissions(mode, rules).judge(which, { file_path: path }).behavior;

describe("modes", () => {
  it.each<[PermissionMode, string, string, string, string]>([
    // mode, read, edit, command, MCP
    ["default", "allow", "ask", "ask", "ask"],
    ["acceptEdits", "allow", "allow", "ask", "ask"],
    ["plan", "allow", "deny", "deny", "deny"],
    ["bypassPermissions", "allow", "allow", "allow", "allow"],
  ])("%s", (mode, reading, editing, running, mcp) => {
    expect(on(read, "src/a.ts", mode)).toBe(reading);
    expect(on(edit, "src/a.ts", mode)).toBe(editing);
    expect(on(write, "src/new/b.ts", mode)).toBe(editing);
    expect(run({}, "npm test", mode)).toBe(running);
    expect(permissions(mode).judge(other("mcp__a__b"), {}).behavior).toBe(mcp);
    expect(permissions(mode).judge(todo, {}).behavior).toBe("allow");
    expect(run({}, "ls src", mode)).toBe("allow");
  });

  it("plan mode is not opened by rules that allow", () => {
    const rules = { allow: ["Edit", "Bash(npm test)", "mcp__a"] };
    expect(on(edit, "src/a.ts", "plan", rules)).toBe("deny");
    expect(run(rules, "npm test", "plan")).toBe("deny");
    expect(permissions("plan", rules).judge(other("mcp__a__b", true), {}).behavior).toBe("allow");
  });

  it("deny goes before ask, ask before allow, and bypassing before ask alone", () => {
    const all = { allow: ["Bash"], ask: ["Bash(npm publish:*)"], deny: ["Bash(rm:*)"] };
    expect(run(all, "npm test")).toBe("allow");
    expect(run(all, "npm publish now")).toBe("ask");
    expect(run(all, "npm publish; rm x")).toBe("deny");
    expect(run(all, "rm x", "bypassPermissions")).toBe("deny");
    expect(run(all, "npm publish", "bypassPermissions")).toBe("allow");
  });

  it("can be changed, and learns rules", () => {
    const judge = permissions("default");
    judge.setMode("acceptEdits");
    expect(judge.mode()).toBe("acceptEdits");
    expect(judge.judge(edit, { file_path: "src/a.ts" }).behavior).toBe("allow");
    judge.addRule("allow", "Bash(npm test:*)");
    expect(judge.judge(bash, { command: "npm test x" }).behavior).toBe("allow");
  });
});

describe("paths", () => {
  it.each([
    "../outside/key",
    "link",
    "linked/key",
    "/etc/passwd",
    "~/x",
    "src/../../outside/key",
    "linked/../x",
  ])("reading and editing %s is not inside", (path) => {
    expect(on(read, path, "default")).toBe("ask");
    expect(on(edit, path, "acceptEdits")).toBe("ask");
  });

  it("a link without a target leads where it leads", () => {
    expect(on(write, "dangling", "acceptEdits")).toBe("ask");
  });

  it("a rule that allows has to hold for where a link leads, too", () => {
    expect(on(edit, "linked/key", "default", { allow: ["Edit(linked/**)"] })).toBe("ask");
    const rules = { allow: ["Edit(linked/**)", `Edit(/${outside}/**)`] };
    expect(on(edit, "linked/key", "default", rules)).toBe("allow");
  });

  it("a rule that forbids holds for other names of the file", () => {
    const rules = { allow: ["Read", "Edit"], deny: ["Read(secrets/**)", "Edit(secrets/**)", "Edit(.env)"] };
    for (const path of [
      "secrets/key",
      "./src/../secrets/key",
      "src/innocent",
      "SECRETS/key",
      `${project}/secrets/key`,
    ]) {
      expect(on(read, path, "bypassPermissions", rules)).toBe("deny");
      expect(on(edit, path, "bypassPermissions", rules)).toBe("deny");
    }
    expect(on(write, "deep/.env", "acceptEdits", rules)).toBe("deny");
    expect(run(rules, "cat secrets/key", "bypassPermissions")).toBe("deny");
    expect(run(rules, "cat src/innocent")).toBe("deny");
    expect(run(rules, "echo $(cat secrets/key)", "bypassPermissions")).toBe("deny");
    expect(run(rules, "echo a > .env", "bypassPermissions")).toBe("deny");
    expect(permissions("default", rules).isDenied("src/innocent", "read")).toBe(true);
    expect(permissions("default", rules).isDenied("src/a.ts", "read")).toBe(false);
  });

  it("rules count from where they stand", () => {
    const allow = [{ rule: "Edit(/src/**)", base: project }];
    expect(on(edit, "src/a.ts", "default", { allow })).toBe("allow");
    expect(on(write, "src/a.ts", "default", { allow })).toBe("allow");
    expect(on(edit, "lib/a.ts", "default", { allow })).toBe("ask");
    expect(on(edit, "src/a.ts", "default", { allow: [{ rule: "Edit(/src/**)", base: outside }] })).toBe(
      "ask",
    );
  });

  it("what decides over permissions is not covered by accepting edits", () => {
    for (const path of [
      ".git/hooks/pre-commit",
      ".claude/settings.json",
      "sub/.Claude/x",
      ".mcp.json",
      ".palimpsest/settings.json",
    ]) {
      expect(on(write, path, "acceptEdits")).toBe("ask");
    }
    expect(on(write, ".gitignore", "acceptEdits")).toBe("allow");
  });

  it("a NUL, or no path at all", () => {
    expect(on(read, "a\0b", "bypassPermissions")).toBe("deny");
    expect(permissions("default").judge(grep, {}).behavior).toBe("allow");
    expect(permissions("default", { deny: ["Read"] }).judge(grep, {}).behavior).toBe("deny");
  });

  it("additional directories count like the working directory", () => {
    const judge = permissions("acceptEdits", {}, { additionalDirectories: ["../outside"] });
    expect(judge.judge(edit, { file_path: "linked/key" }).behavior).toBe("allow");
    expect(judge.roots).toEqual([project, outside]);
  });
});

describe("commands", () => {
  const allow = ["Bash(npm run test:*)", "Bash(git diff *)", "Bash(echo *)", "Bash(make * fast)"];
  it.each([
    "npm run test",
    "npm run test --watch",
    "git diff",
    "git diff HEAD",
    "npm  run   test",
    "make all fast",
  ])("allowed: %s", (command) => expect(run({ allow }, command)).toBe("allow"));
  it.each([
    "npm run test; rm -rf /",
    "npm run test && rm x",
    "npm run test || rm x",
    "npm run test | sh",
    "npm run test & rm x",
    "npm run test\nrm x",
    "npm run test `rm x`",
    "npm run test $(rm x)",
    'npm run test "$(rm x)"',
    "npm run test > ~/.bashrc",
    "npm run test < /etc/passwd",
    "npm run test <(rm x)",
    "npm run tests",
    "npm run test:unit",
    "LD_PRELOAD=./x.so npm run test",
    "git difftool",
    "gitdiff",
    "(npm run test)",
    "npm run test \\\n; rm x",
    "make all fast; x fast",
    "",
  ])("not allowed: %j", (command) => expect(run({ allow }, command)).toBe("ask"));

  it("each simple command is allowed by a rule of its own, or only reads", () => {
    expect(run({ allow }, "npm run test 2>&1 | head -5 && git diff; ls")).toBe("allow");
    expect(run({ allow }, "cd src && npm run test")).toBe("allow");
    expect(run({ allow }, "cd .. && ls")).toBe("ask");
    expect(run({ allow }, "cd linked && ls")).toBe("ask");
    expect(run({ allow }, "cd $X && ls")).toBe("ask");
  });

  it("a rule that says exactly this, operators included, allows it", () => {
    expect(run({ allow: ["Bash(npm ci && npm test > log)"] }, "npm ci && npm test > log")).toBe("allow");
    expect(run({ allow: ["Bash(*)"] }, "for x in a; do rm $x; done")).toBe("allow");
  });

  it.each([
    "cat /etc/passwd",
    "cat ../outside/key",
    "cat link",
    "ls linked/",
    "cat ~/x*",
    "cat $HOME",
    "cat *",
    "ls --x=/etc",
    "head -n1 -f/etc/passwd",
    "cd src; cat ../link",
    "ls -C..",
    "cat < link",
    "cat linked/../outside/key",
    "ls ../*",
    "ls */../../*",
    "ls /etc/*",
  ])("reading commands ask outside: %s", (command) => expect(run({}, command)).toBe("ask"));
  it.each([
    "ls",
    "cat src/a.ts",
    "ls -la src | head -3",
    "cat 'no such/file'",
    "cd src && cat a.ts",
    "git status 2>/dev/null",
    "ls *.ts src/*.{ts,js}",
  ])("reading commands are allowed inside: %s", (command) => expect(run({}, command)).toBe("allow"));

  it.each([
    "rm x",
    "ls; rm x",
    "ls && 'rm' x",
    "r\\m x",
    "/bin/rm x",
    "X=1 rm x",
    "sudo rm x",
    "timeout -k 5 10 rm x",
    "env -i X=1 rm x",
    "echo $(rm x)",
    "echo `rm x`",
    "if true; then rm x; fi",
    "bash -c 'ls; rm x'",
    "sudo sh -c 'rm x'",
    "eval rm x",
    "find . -exec rm x {} +",
    "ls | xargs rm x",
    "(rm x)",
    "rm x > /dev/null",
    "ls\nrm x",
  ])("forbidden: %j", (command) =>
    expect(run({ allow: ["Bash"], deny: ["Bash(rm:*)"] }, command)).toBe("deny"),
  );

  it("what only speaks of a forbidden command is not forbidden", () => {
    expect(run({ allow: ["Bash"], deny: ["Bash(rm:*)"] }, "git commit -m 'rm x; rm y'")).toBe("allow");
    expect(run({ allow: ["Bash"], deny: ["Bash(rm:*)"] }, "rmdir x")).toBe("allow");
  });

  it("starts where the shell stands", () => {
    const judge = permissions("default");
    const moved: AgentTool = {
      ...bash,
      subject: (input) => ({ ...bash.subject(input), directory: join(project, "src") }),
    };
    expect(judge.judge(moved, { command: "cat ../secrets/key" }).behavior).toBe("allow");
    expect(judge.judge(moved, { command: "cat ../../outside/key" }).behavior).toBe("ask");
  });

  // Taking it apart in every way would never end.
  it.each([
    ["sudo ", 3000, "allow"],
    ["bash -c 'x y' ", 1000, "allow"],
    ["$(", 9000, "ask"],
    ["a;", 9000, "ask"],
  ])("a command of nothing but %j is judged", (piece, times, expected) => {
    expect(run({ allow: ["Bash"], deny: ["Bash(rm:*)", "Read(.env)"] }, piece.repeat(times))).toBe(expected);
  });
});

describe("other tools", () => {
  it("hosts", () => {
    const rules = {
      allow: ["WebFetch(domain:example.com)", "WebFetch(domain:*.good.org)"],
      deny: ["WebFetch(domain:bad.com)"],
    };
    const at = (url: string) => permissions("default", rules).judge(fetchPage, { url }).behavior;
    expect(at("https://example.com/x")).toBe("allow");
    expect(at("https://EXAMPLE.com./x")).toBe("allow");
    expect(at("https://docs.good.org")).toBe("allow");
    expect(at("https://example.com.evil.org")).toBe("ask");
    expect(at("https://example.com@evil.org/")).toBe("ask");
    expect(at("nonsense")).toBe("ask");
    expect(at("http://bad.com:80")).toBe("deny");
  });

  it("servers, agents, skills", () => {
    const rules = {
      allow: ["mcp__github", "mcp__db__read_*", "Agent(Explore)", "Skill(pdf)"],
      deny: ["mcp__github__delete"],
    };
    const judge = (name: string, input = {}) =>
      permissions("default", rules).judge(other(name), input).behavior;
    expect(judge("mcp__github__list")).toBe("allow");
    expect(judge("mcp__github2__list")).toBe("ask");
    expect(judge("mcp__github__delete")).toBe("deny");
    expect(judge("mcp__db__read_rows")).toBe("allow");
    expect(judge("mcp__db__write")).toBe("ask");
    expect(judge("Agent", { subagent_type: "Explore" })).toBe("allow");
    expect(judge("Agent", { subagent_type: "Other" })).toBe("ask");
    expect(judge("Skill", { skill: "/pdf" })).toBe("allow");
  });

  it("a tool that cannot say what it is about is denied", () => {
    const broken = tool("Broken", () => {
      throw new Error("no");
    });
    expect(permissions("bypassPermissions").judge(broken, {}).behavior).toBe("deny");
  });

  it("rules that cannot be meant are an error", () => {
    for (const rule of ["", "Bash(", "rm -rf", "Edit(!x)", "B*"]) {
      expect(() => permissions("default", { deny: [rule] })).toThrow(PermissionRuleError);
    }
  });
});

describe("nobody to ask", () => {
  it("says what would allow it", () => {
    const judge = permissions("default");
    const denied = (which: AgentTool, input: ToolInput) => denyInsteadOfAsking(judge.judge(which, input));
    expect(denied(bash, { command: "npm run build" })).toMatchObject({
      behavior: "deny",
      reason: expect.stringContaining("Bash(npm run:*)"),
    });
    expect(denied(edit, { file_path: "src/a.ts" }).reason).toContain("--permission-mode acceptEdits");
    expect(denied(read, { file_path: "../outside/key" }).reason).toContain(`--add-dir ${outside}`);
    expect(denied(fetchPage, { url: "https://a.org" }).reason).toContain("WebFetch(domain:a.org)");
    expect(denied(bash, { command: "echo $(x)" }).reason).toContain("the rule Bash ");
    expect(denied(read, { file_path: "src/a.ts" }).behavior).toBe("allow");
  });
});

describe("conditions of hooks", () => {
  it("one simple command is enough, and so is one that cannot be split", () => {
    const meets = createRuleTest({ workingDirectory: project, home: root });
    const command = (text: string) => ({ toolName: "Bash", toolInput: { command: text } });
    expect(meets("Bash(git *)", command("ls && git push"))).toBe(true);
    expect(meets("Bash(git *)", command("ls"))).toBe(false);
    expect(meets("Bash(git *)", command("echo $(x)"))).toBe(true);
    expect(
      meets("Edit(*.ts)", { toolName: "Write", toolInput: { file_path: join(project, "src/b.ts") } }),
    ).toBe(true);
    expect(meets("Edit(*.ts)", { toolName: "Read", toolInput: { file_path: "b.ts" } })).toBe(false);
    expect(meets("mcp__a", { toolName: "mcp__a__b", toolInput: {} })).toBe(true);
  });
});
