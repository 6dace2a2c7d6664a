import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeFolders, runCommand, type Folders } from "./agent-command.js";
import { startHostileServer, type HostileServer } from "./hostile-server.js";

let folders: Folders | undefined;
let server: HostileServer | undefined;
afterEach(async () => {
  await server?.close();
  await folders?.remove();
});

interface Place {
  readonly at: Folders;
  readonly git: (...args: readonly string[]) => string;
  readonly put: (name: string, text: string) => Promise<void>;
  /** What touches the mark. */
  readonly program: string;
  readonly mark: string;
}

/** Somebody else's repository, with a program in it that leaves a mark when it runs. */
async function somebodysRepository(): Promise<Place> {
  const at = await makeFolders("repositories");
  folders = at;
  const [mark, program] = [join(at.root, "it-ran"), join(at.work, "program.sh")];
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(at.work, name)), { recursive: true });
    await writeFile(join(at.work, name), text);
  };
  const env = { PATH: process.env["PATH"], HOME: at.root, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...identity, ...args], { cwd: at.work, env, encoding: "utf8", stdio: "pipe" });
  git("init", "-q", "-b", "main");
  await put("program.sh", `#!/bin/sh\ntouch ${mark}\n`);
  await chmod(program, 0o755);
  await put("a.txt", "the first line\n");
  await put(".env", "TOKEN=the-token\n");
  git("add", "-A");
  git("commit", "-qm", "the first commit");
  return { at, git, put, program, mark };
}

/** What the model is told of its calls: one run of the command for all of them. */
async function resultsOf(
  { at }: Place,
  calls: readonly { readonly tool: string; readonly input: unknown }[],
  args: readonly string[],
): Promise<readonly string[]> {
  server = await startHostileServer([calls, [{ text: "done" }]]);
  const { code } = await runCommand(at, ["-p", "go", ...args, "--base-url", server.url]);
  expect(code).toBe(0);
  const body = JSON.parse(server.bodies.at(-1) ?? "{}") as {
    messages: readonly { readonly content: string | readonly Record<string, unknown>[] }[];
  };
  await server.close();
  return body.messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter((block) => block["type"] === "tool_result")
    .map((block) => JSON.stringify(block["content"]));
}

const commands = (texts: readonly string[]) => texts.map((command) => ({ tool: "Bash", input: { command } }));

const modes = ["default", "plan", "acceptEdits"];

describe("git in somebody else's repository", () => {
  it("shows what it has, without a question", async () => {
    const place = await somebodysRepository();
    await place.put("a.txt", "the second line\n");
    const results = await resultsOf(
      place,
      commands([
        "git status --short",
        "git diff",
        "git log --oneline -1",
        "git -C . show HEAD:a.txt | head -1",
      ]),
      ["--permission-mode", "plan"],
    );
    expect(results).toEqual([
      expect.stringContaining("M a.txt"),
      expect.stringContaining("+the second line"),
      expect.stringContaining("the first commit"),
      expect.stringContaining("the first line"),
    ]);
  });

  it.each(modes)("runs none of its programs (%s)", async (mode) => {
    const place = await somebodysRepository();
    const { git, put, program, mark, at } = place;
    // Files that anybody can commit.
    const bare = `[core]\nrepositoryformatversion=1\nfsmonitor=${program}\n[extensions]\nworktreeConfig=true\n`;
    for (const [name, text] of [
      ["common/config", bare],
      ["common/HEAD", "ref: refs/heads/main\n"],
      ["common/objects/x", ""],
      ["common/refs/x", ""],
      ["led/HEAD", "ref: refs/heads/main\n"],
      ["led/commondir", "../common\n"],
      ["led/config.worktree", "[core]\nbare=false\nworktree=..\n"],
      [".gitattributes", "*.txt diff=d filter=f\n"],
      [".gitmodules", '[submodule "sub"]\npath=sub\nurl=./x\nignore=none\n'],
    ] as const) {
      await put(name, text);
    }
    // A submodule that has a configuration of its own.
    await mkdir(join(at.work, "sub"));
    git("-C", "sub", "init", "-q");
    await put("sub/s.txt", "x");
    git("-C", "sub", "add", "-A");
    git("-C", "sub", "commit", "-qm", "x");
    git("-C", "sub", "config", "core.fsmonitor", program);
    git("add", "-A");
    git("commit", "-qm", "more");
    await put("sub/s.txt", "changed");
    const reading = [
      "git status",
      "git diff",
      "cd led && git status",
      "git -C led status",
      "git -C sub status",
      "git status && git -C led diff",
      "git log -p -1",
    ];
    await resultsOf(place, commands(reading), ["--permission-mode", mode]);
    expect(existsSync(mark)).toBe(false);
    // Each of them does run without brakes.
    git("status");
    expect(existsSync(mark)).toBe(true);
    await rm(mark);
    git("-C", "led", "status");
    expect(existsSync(mark)).toBe(true);
  });

  it("is not asked under settings that came with it, as in an archive", async () => {
    const place = await somebodysRepository();
    const { git, put, program, mark } = place;
    await put(".gitattributes", "*.txt diff=d filter=f\n");
    for (const [key, value] of [
      ["core.fsmonitor", program],
      ["core.hooksPath", "."],
      ["diff.external", program],
      ["diff.d.textconv", program],
      ["filter.f.clean", program],
      ["log.showSignature", "true"],
      ["gpg.program", program],
    ] as const) {
      git("config", key, value);
    }
    await put("a.txt", "changed");
    const reading = ["git status", "git diff", "git log -p -1", "git -C . ls-files -m", "git blame a.txt"];
    const results = await resultsOf(place, commands(reading), []);
    expect(existsSync(mark)).toBe(false);
    expect(results.every((result) => result.includes("Nobody is there"))).toBe(true);
    git("diff");
    expect(existsSync(mark)).toBe(true);
  });

  it("runs as it is where the person allowed it", async () => {
    const place = await somebodysRepository();
    place.git("config", "core.fsmonitor", place.program);
    await resultsOf(place, commands(["git status"]), ["--allowed-tools", "Bash(git status)"]);
    expect(existsSync(place.mark)).toBe(true);
  });
});

describe("commands that nobody was asked about", () => {
  it("read nothing outside, through whatever link or option", async () => {
    const place = await somebodysRepository();
    const { at, put } = place;
    await writeFile(join(at.root, "secret.txt"), "the-secret\n");
    await mkdir(join(at.root, "elsewhere"));
    await writeFile(join(at.root, "elsewhere/the-name"), "the-secret\n");
    await put("one/x", "x\n");
    await put("two/x", "y\n");
    await symlink(join(at.root, "secret.txt"), join(at.work, "one/link"));
    await put("two/link", "nothing\n");
    await symlink(join(at.root, "elsewhere"), join(at.work, "away"));
    await put("list", `${join(at.root, "secret.txt")}\0`);
    await put("filter.jq", `import "x" as $x; .`);
    const results = await resultsOf(
      place,
      commands([
        "diff one two",
        "diff -r one two",
        `jq -n --from-file ${join(at.root, "secret.txt")}`,
        `jq -n --rawfile a ${join(at.root, "secret.txt")} '$a'`,
        "ls -L away",
        "ls */",
        "find -L . -name 'the-*'",
        "find . -follow",
        "wc --files0-from=list",
        "cat o*/l*",
        "grep -R the .",
        "head -1 one/link",
        "tail -n 1 {one,two}/link",
        "git diff --no-index one/link two/link",
        "sort --files0-from=list",
        "cd one && cat link",
        "cd one && cat l*",
      ]),
      [],
    );
    expect(results).toHaveLength(17);
    expect(results.join("\n")).not.toMatch(/the-secret|the-name/);
    expect(results.every((result) => result.includes("Nobody is there"))).toBe(true);
  });

  it("do not show a file that a rule forbids to read, nor does a rule for commands", async () => {
    const place = await somebodysRepository();
    await place.put(".env", "TOKEN=the-token-2\n");
    const showing = [
      "git show HEAD:.env",
      "git cat-file -p HEAD:.env",
      "git log -p -- .env",
      "git log -p",
      "git diff",
      "git show",
      "cat .e*",
      "cat .{env,x}",
      "grep -r TOKEN .",
      "diff . one",
    ];
    const denied = ["--disallowed-tools", "Read(.env)"];
    const unasked = await resultsOf(
      place,
      [
        ...commands(showing),
        ...["*", ".e*", "{.env,a.txt}"].map((glob) => ({
          tool: "Grep",
          input: { pattern: "TOKEN|first", glob, output_mode: "content" },
        })),
      ],
      denied,
    );
    expect(unasked.join("\n")).not.toContain("the-token");
    expect(unasked.slice(-3).join("\n")).toContain("the first line");
    const named = showing.filter((command) => command.includes(".e") || command.includes(".{"));
    const allowed = await resultsOf(place, commands(named), [
      ...denied,
      "--permission-mode",
      "bypassPermissions",
    ]);
    expect(allowed).toHaveLength(5);
    expect(allowed.every((result) => result.includes("forbids"))).toBe(true);
  });
});

it("accepting edits does not cover what runs later or instructs later sessions", async () => {
  const place = await somebodysRepository();
  const guarded = [".github/workflows/ci.yml", ".npmrc", "AGENTS.md", "sub/CLAUDE.md", ".husky/pre-commit"];
  const write = (file_path: string) => ({ tool: "Write", input: { file_path, content: "taken" } });
  const results = await resultsOf(place, [...guarded, "src/new.ts"].map(write), [
    "--permission-mode",
    "acceptEdits",
  ]);
  expect(results.slice(0, -1).every((result) => result.includes("accepting edits does not cover it"))).toBe(
    true,
  );
  expect(guarded.filter((name) => existsSync(join(place.at.work, name)))).toEqual([]);
  expect(existsSync(join(place.at.work, "src/new.ts"))).toBe(true);
});
