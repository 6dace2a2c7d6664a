import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CommandJudge } from "../bench/command-judge.js";
import { createRandom } from "../bench/random.js";
import { fuzzShell } from "./shell-fuzz.js";
import { makeCommand } from "./shell-grammar.js";
import { createShellSandbox, type ShellSandbox } from "./shell-sandbox.js";
import { traceOf } from "./shell-trace.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function sandbox(isTraced: boolean, seconds?: number): ShellSandbox {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-shell-fuzz-")));
  folders.push(folder);
  return createShellSandbox(folder, { isTraced, ...(seconds === undefined ? {} : { seconds }) });
}

const fuzz = (judge: CommandJudge, { commands, isTraced }: { commands: number; isTraced: boolean }) =>
  fuzzShell({
    random: createRandom(18),
    sandbox: sandbox(isTraced),
    commands,
    step: async () => {},
    isOver: () => false,
    judgeWith: () => judge,
  });

describe("the fuzzer of shell commands", () => {
  it.each([true, false])("finds a judge that allows everything at once (traced: %s)", async (isTraced) => {
    const [escape] = await fuzz(() => "allow", { commands: 40, isTraced });
    expect(escape).toMatch(/^with .*, bash (?:made|read|ran|wrote) .*: "/);
  });

  it("finds a judge that knows a list of bad signs, by the one that is not on it", async () => {
    const bad = /\$\(|`|[;&|<>#]|\$['"[{]|(?:^|[^\\])(?:\\\\)*\n/;
    const judge: CommandJudge = (command) =>
      command.startsWith("echo ") && !bad.test(command) ? "allow" : "ask";
    const [escape] = await fuzz(judge, { commands: 8000, isTraced: false });
    expect(escape).toContain(String.raw`$\\\n`);
  });

  it("finds nothing where nothing runs, and nothing where what runs is harmless", async () => {
    expect(await fuzz(() => "deny", { commands: 500, isTraced: false })).toEqual([]);
    const judge: CommandJudge = (command) => (/^echo [\w ]*$/.test(command) ? "allow" : "ask");
    expect(await fuzz(judge, { commands: 500, isTraced: true })).toEqual([]);
  });

  it("makes the same commands of the same seed, and hardly any twice", () => {
    const all = (seed: number): readonly string[] => {
      const random = createRandom(seed);
      return Array.from({ length: 2000 }, (_, number) => makeCommand(random, number));
    };
    expect(all(7)).toEqual(all(7));
    expect(new Set(all(7)).size).toBeGreaterThan(1800);
  });
});

describe("the sandbox", () => {
  it("sees what each command did", async () => {
    const own = sandbox(true);
    const { deeds, made, isChanged } = await own.run([
      "echo a",
      "cat link",
      "cat hidden.txt > /dev/null",
      "touch PWN-1",
      "echo x > OUT-2; echo y >> README.md",
      "git status",
    ]);
    expect(deeds.map(({ readsOutside }) => readsOutside)).toEqual([false, true, false, false, false, false]);
    expect(made.toSorted()).toEqual(["OUT-2", "PWN-1", "README.md"]);
    expect(isChanged).toBe(true);
    if (own.isTraced) {
      expect(deeds.map(({ readsHidden }) => readsHidden)).toEqual([false, false, true, false, false, false]);
      expect(deeds.map(({ programs }) => programs)).toEqual([[], ["cat"], ["cat"], ["touch"], [], ["git"]]);
      expect(deeds[4]?.writes).toEqual(["OUT-2", "README.md"]);
    }
    // It is as it was again.
    expect((await own.run(["echo a"])).isChanged).toBe(false);
  });

  it("goes on after a command that never ends", async () => {
    const { deeds, isCutShort } = await sandbox(true, 1).run([
      "while true; do true; done",
      "head >(true)",
      "(while true; do sleep 1; done) &",
      "cat link",
    ]);
    expect(isCutShort).toBe(false);
    expect(deeds.map(({ readsOutside }) => readsOutside)).toEqual([false, false, false, true]);
  });

  it("reads what strace wrote", () => {
    const text = [
      '7  execve("/usr/bin/timeout", ["command-0", "-s", "KILL"], 0x1) = 0',
      '7  execve("/bin/bash", ["/bin/bash", "-c", "exec 2>&1\\ncat x"], 0x1) = 0',
      '7  openat(AT_FDCWD</p>, "x", O_RDONLY) = 3</real/x>',
      '8  execve("/usr/bin/cat", ["cat", "x"], 0x1 <unfinished ...>',
      '7  execve("/nowhere/cat", ["cat", "x"], 0x1) = -1 ENOENT (No such file or directory)',
      '7  execve("/usr/bin/timeout", ["command-1", "-s", "KILL"], 0x1) = 0',
      '7  execve("/bin/bash", ["/bin/bash", "-c", "y"], 0x1) = 0',
      '7  execve("/bin/bash", ["bash", "-c", "z"], 0x1) = 0',
      '7  openat(AT_FDCWD</p>, "y", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</real/y>',
      '7  openat(AT_FDCWD</p>, "z", O_RDONLY) = -1 ENOENT (No such file or directory)',
    ].join("\n");
    expect(traceOf(text, 2)).toEqual([
      { read: ["/real/x"], written: [], programs: ["cat"] },
      { read: [], written: ["/real/y"], programs: ["bash"] },
    ]);
  });
});
