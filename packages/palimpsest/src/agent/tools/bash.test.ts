import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { afterAll, describe, expect, it } from "vitest";
import { createBackgroundCommands } from "./background-commands.js";
import { createBashOutputTool } from "./bash-output.js";
import { createBashTool, type BashOptions } from "./bash.js";
import { createKillBashTool } from "./kill-bash.js";
import { createSpill } from "./spill.js";
import { createPathGuard } from "../base/path-guard.js";
import type { ToolContext, ToolInput } from "../base/tool.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-bash-")));
const root = join(base, "project");
const session = join(base, "session");
mkdirSync(join(root, "src", "deep"), { recursive: true });
symlinkSync(base, join(root, "up"));
const background = createBackgroundCommands({ directory: session, killGraceMs: 300 });
afterAll(async () => {
  await background.close();
  rmSync(base, { recursive: true, force: true });
});

const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  toolUseId: "toolu_1",
  signal: new AbortController().signal,
  now: () => 0,
  readState: createMemoryReadState(),
  touch: () => {},
  ...more,
});

function harness(more: Partial<BashOptions> = {}) {
  const tool = createBashTool({
    workingDirectory: root,
    roots: [root],
    spill: createSpill({ directory: session }),
    background,
    killGraceMs: 300,
    ...more,
  });
  return {
    tool,
    run: (command: string, input: ToolInput = {}, ctx = context()) => tool.run({ command, ...input }, ctx),
  };
}

async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8").trim() : "";
    if (text !== "") return Number(text);
    await sleep(10);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 3000; tries++) {
    if (!isRunning(pid)) return true;
    await sleep(10);
  }
  return false;
}

describe("a command", () => {
  it("gives its output, both streams in the order of writing", async () => {
    const { run } = harness();
    expect(await run("echo hello")).toEqual({ content: "hello" });
    const both = await run("for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done");
    expect(both.content).toBe([1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}`).join("\n"));
    expect(await run("true")).toEqual({ content: "(no output)" });
  });

  it("tells its exit code, and what ended it", async () => {
    const { run } = harness();
    expect(await run("echo wrong >&2; exit 3")).toEqual({ content: "Exit code 3\n\nwrong", isError: true });
    expect(await run("false")).toEqual({ content: "Exit code 1", isError: true });
    expect((await run("no-such-command-here")).content).toMatch(/^Exit code 127\n\n.*not found/);
    expect((await run("if")).content).toMatch(/^Exit code \d+\n\n.*syntax error/);
    expect(await run("echo before; kill -9 $$")).toEqual({
      content: "Ended by SIGKILL\n\nbefore",
      isError: true,
    });
  });

  it("has no input and no terminal", async () => {
    const { run } = harness();
    expect((await run("cat; echo end")).content).toBe("end");
    expect((await run("(: </dev/tty) 2>/dev/null && echo there || echo none")).content).toBe("none");
  });

  it("sees no key of ours, nor a hidden variable", async () => {
    const env = {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "sk-1",
      ANTHROPIC_AUTH_TOKEN: "sk-2",
      OPENAI_API_KEY: "sk-3",
      MY_SECRET: "sk-4",
      KEPT: "yes",
    };
    const { content } = await harness({ env, hiddenVariables: ["MY_SECRET"] }).run("env");
    expect(content).toContain("KEPT=yes");
    expect(content).not.toContain("sk-");
  });

  it("that cannot be one is refused", async () => {
    const { run } = harness();
    expect(await run("  ")).toMatchObject({ isError: true });
    expect(await run("echo a\u0000b")).toMatchObject({ isError: true });
    expect((await run(`echo ${"x".repeat(200_000)}`)).content).toContain("too long");
  });

  it("with long output leaves it in a file; with endless output keeps the ends of it", async () => {
    const { run } = harness({ maxOutputBytes: 200_000 });
    const { content } = await run("seq 1 20000", {}, context({ toolUseId: "long" }));
    expect(content).toContain(join(session, "bash-long.txt"));
    expect(content).toMatch(/\n20000$/);
    expect(readFileSync(join(session, "bash-long.txt"), "utf8").split("\n")).toHaveLength(20_000);
    const endless = await run(
      "echo first; yes | head -c 5000000; echo last",
      {},
      context({ toolUseId: "endless" }),
    );
    expect(endless.content).toMatch(/first\n/);
    expect(endless.content).toMatch(/last$/);
    expect(readFileSync(join(session, "bash-endless.txt"), "utf8")).toContain("bytes were too many to keep");
  });

  it("that leaves something in the background is done when it exits", async () => {
    const own = createBackgroundCommands({ directory: session, killGraceMs: 300 });
    const { content } = await harness({ background: own }).run("sleep 600 & echo $! >left.pid; echo done");
    expect(content).toBe("done");
    const pid = await pidIn("left.pid");
    expect(isRunning(pid)).toBe(true);
    await own.close();
    expect(await isGone(pid)).toBe(true);
  });
});

describe("the end of its time", () => {
  it("ends the command with everything it started", async () => {
    const { run } = harness();
    const command = "echo begun; sleep 600 & echo $! >timeout.pid; (trap '' TERM; sleep 600); wait";
    // A machine may be so slow that the command has not begun by then.
    for (let timeout = 300; !existsSync(join(root, "timeout.pid")); timeout *= 3) {
      const output = await run(command, { timeout });
      expect(output).toMatchObject({ isError: true });
      expect(output.content).toContain(`Timed out after ${timeout} ms`);
      if (existsSync(join(root, "timeout.pid"))) expect(output.content).toMatch(/^Timed out.*begun$/s);
    }
    expect(await isGone(await pidIn("timeout.pid"))).toBe(true);
  });

  it("comes with an abort too, also before it began", async () => {
    const { run } = harness();
    const controller = new AbortController();
    const running = run("echo $$ >abort.pid; sleep 60", {}, context({ signal: controller.signal }));
    const pid = await pidIn("abort.pid");
    controller.abort();
    expect((await running).content).toMatch(/^Interrupted/);
    expect(await isGone(pid)).toBe(true);
    const before = await run("touch never", {}, context({ signal: controller.signal }));
    expect(before).toMatchObject({ isError: true });
    expect(existsSync(join(root, "never"))).toBe(false);
  });
});

describe("the working directory", () => {
  it("goes on to the next command; variables do not", async () => {
    const { run } = harness();
    await run("cd src && X=1");
    expect((await run("pwd; echo x$X")).content).toBe(`${root}/src\nx`);
    await run("cd deep; exit 4");
    expect((await run("pwd")).content).toBe(`${root}/src/deep`);
    await run("(cd /); false; cd ..; exit 0");
    expect((await run("pwd")).content).toBe(`${root}/src`);
    expect((await run("cd nowhere")).content).toMatch(/^Exit code 1/);
    expect((await run("pwd")).content).toBe(`${root}/src`);
  });

  it("stays where it is when a command leaves the roots, by a link too", async () => {
    const { run } = harness();
    for (const target of ["/", "..", "up", "up/session", "src/../.."]) {
      const { content } = await run(`cd ${target} && echo there`);
      expect(content).toMatch(/^there\n\nThe working directory is .* again/);
      expect((await run("pwd")).content).toBe(root);
    }
    await run("echo /etc >&3; trap - EXIT; cd .");
    expect((await run("pwd")).content).toBe(root);
  });

  it("that is gone is left for the first one", async () => {
    const { run } = harness();
    await run("mkdir -p gone && cd gone");
    rmSync(join(root, "gone"), { recursive: true });
    expect((await run("pwd")).content).toContain("not there any more");
    expect((await run("pwd")).content).toBe(root);
  });

  it("with quotes and line ends in its name is found again", async () => {
    const { run } = harness();
    const name = 'it\'s "odd"\nname';
    mkdirSync(join(root, name));
    await run(`cd it*`);
    expect((await run("pwd")).content).toBe(join(root, name));
  });
});

describe("in the background", () => {
  const output = createBashOutputTool({ background });
  const kill = createKillBashTool({ background });
  const idOf = (content: unknown): string => /bash_\d+/.exec(String(content))?.[0] ?? "";

  it("a command runs on, and tells what is new", async () => {
    const { run } = harness();
    const started = await run("echo one; until [ -e go ]; do sleep 0.02; done; echo two >&2; exit 5", {
      run_in_background: true,
    });
    const id = idOf(started.content);
    const command = background.get(id);
    expect(started.content).toContain(command?.outputPath);
    while (command?.written() === 0) await sleep(5);
    const first = await output.run({ bash_id: id }, context());
    expect(first.content).toMatch(/still running.*one$/s);
    expect((await output.run({ bash_id: id }, context())).content).toContain("Nothing new");
    expect((await output.run({ bash_id: id, block: true, timeout: 30 }, context())).content).toContain(
      "still running",
    );
    writeFileSync(join(root, "go"), "");
    const last = await output.run({ bash_id: id, block: true }, context());
    expect(last.content).toMatch(/ended with exit code 5.*two$/s);
    expect(last.content).not.toContain("one\n");
    expect(readFileSync(command?.outputPath ?? "", "utf8")).toBe("one\ntwo\n");
  });

  it("a command can be ended, with everything it started", async () => {
    const { run } = harness();
    const id = idOf((await run("sleep 60 & echo $! >bg.pid; wait", { run_in_background: true })).content);
    const pid = await pidIn("bg.pid");
    expect((await kill.run({ shell_id: id }, context())).content).toBe(`${id} was ended.`);
    expect(await isGone(pid)).toBe(true);
    expect((await kill.run({ shell_id: id }, context())).content).toContain("already ended");
    expect((await output.run({ bash_id: id }, context())).content).toContain("ended by SIGTERM");
  });

  it("an id that is none is answered with those that are", async () => {
    const answer = await output.run({ bash_id: "bash_999" }, context());
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content).toContain("bash_1");
    expect(await kill.run({ shell_id: "x" }, context())).toMatchObject({ isError: true });
  });

  it("too much output is dropped, and the end of the session ends everything", async () => {
    const own = createBackgroundCommands({
      directory: join(base, "own"),
      maxOutputBytes: 100_000,
      killGraceMs: 300,
    });
    const { run } = harness({ background: own });
    const id = idOf((await run("echo $$ >yes.pid; yes", { run_in_background: true })).content);
    const pid = await pidIn("yes.pid");
    while ((own.get(id)?.dropped() ?? 0) === 0) await sleep(5);
    const shown = await createBashOutputTool({ background: own }).run({ bash_id: id }, context());
    expect(shown.content).toContain("too many to keep");
    expect(shown.content.length).toBeLessThan(31_000);
    await own.close();
    expect(await isGone(pid)).toBe(true);
    expect(readFileSync(own.get(id)?.outputPath ?? "").length).toBe(100_000);
  });

  it("nothing is started where no file can be made", async () => {
    writeFileSync(join(base, "file"), "");
    const own = createBackgroundCommands({ directory: join(base, "file", "below") });
    const answer = await harness({ background: own }).run("touch started", { run_in_background: true });
    expect(answer).toMatchObject({ isError: true });
    expect(existsSync(join(root, "started"))).toBe(false);
  });
});

describe("what the loop asks", () => {
  it("is answered by the command", () => {
    const { tool } = harness();
    expect(tool.isReadOnly({ command: "ls -l" })).toBe(true);
    expect(tool.isReadOnly({ command: "ls -l", run_in_background: true })).toBe(false);
    expect(tool.isReadOnly({ command: "rm x" })).toBe(false);
    expect(tool.isReadOnly({})).toBe(false);
    expect(tool.subject({ command: "rm x" })).toMatchObject({ kind: "execute", command: "rm x" });
  });
});

describe("files that a command shows", () => {
  const folder = join(base, "shown");
  mkdirSync(folder);
  for (const name of ["a.txt", "b c.txt", "secret.env", "up.txt"]) {
    writeFileSync(join(folder, name), "1\n2\n3\n4\n");
  }
  writeFileSync(join(base, "outside.txt"), "1\n");
  const guard = createPathGuard({ roots: [folder], workingDirectory: folder, denied: ["*.env"] });
  const noted = async (command: string, more: Partial<BashOptions> = {}) => {
    const { run } = harness({ workingDirectory: folder, roots: [folder], guard, ...more });
    const readState = createMemoryReadState();
    const touched: string[] = [];
    await run(command, {}, context({ readState, now: () => 7, touch: (path) => touched.push(path) }));
    const reads = readState.snapshot().reads.map(({ path, offset, limit, isCut, timestamp, mtime }) => {
      expect(timestamp).toBe(7);
      expect(mtime).toBe(statSync(path).mtimeMs);
      return [path.slice(folder.length + 1), offset, limit, isCut];
    });
    expect(new Set(touched)).toEqual(new Set(reads.map(([name]) => join(folder, String(name)))));
    return reads;
  };

  it("count as read, with the part that was shown", async () => {
    expect(await noted("cat a.txt")).toEqual([["a.txt", undefined, undefined, undefined]]);
    expect(await noted("sed -n '2,3p' a.txt && head -n 2 'b c.txt'")).toEqual([
      ["b c.txt", undefined, 2, true],
      ["a.txt", 2, 2, true],
    ]);
  });

  it("are found from where the shell stood", async () => {
    mkdirSync(join(folder, "deep"), { recursive: true });
    writeFileSync(join(folder, "deep", "d.txt"), "1\n");
    const { run } = harness({ workingDirectory: folder, roots: [folder], guard });
    const readState = createMemoryReadState();
    await run("cd deep", {}, context({ readState }));
    await run("cat d.txt", {}, context({ readState }));
    expect(readState.has(join(folder, "deep", "d.txt"))).toBe(true);
  });

  it.each([
    ["the command failed", "cat a.txt && cat gone.txt"],
    ["it does something else", "cat a.txt | wc -l"],
    ["nobody may read it", "cat secret.env"],
    ["it lies outside", "cat ../outside.txt"],
    ["it is a folder", "cat . || true"],
  ])("do not where %s", async (_, command) => {
    expect(await noted(command)).toEqual([]);
  });

  it("do not where what was shown was too long to be handed on", async () => {
    writeFileSync(join(folder, "long.txt"), "x".repeat(200_000));
    expect(await noted("cat long.txt")).toEqual([]);
  });
});
