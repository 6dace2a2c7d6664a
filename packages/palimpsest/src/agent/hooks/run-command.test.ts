import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { runCommand, type CommandRun } from "./run-command.js";

const directory = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = (command: string, more: Partial<CommandRun> = {}) =>
  runCommand({
    command,
    cwd: directory,
    env: process.env,
    input: "input\n",
    timeoutMs: 20_000,
    killGraceMs: 300,
    ...more,
  });

/** The id that a script wrote into a file, as soon as it has. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = existsSync(join(directory, file)) ? readFileSync(join(directory, file), "utf8").trim() : "";
    if (text !== "") return Number(text);
    await sleep(10);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that was killed stays in the list until its parent asks for it.
  const status = `/proc/${pid}/status`;
  return !(existsSync(status) && /^State:\s+Z/m.test(readFileSync(status, "utf8")));
}

async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 3000; tries++) {
    if (!isRunning(pid)) return true;
    await sleep(10);
  }
  return false;
}

describe("a command that ends by itself", () => {
  it("gives back its exit code and its outputs", async () => {
    expect(await run("cat; echo wrong >&2; exit 3")).toEqual({
      kind: "exited",
      code: 3,
      stdout: "input\n",
      stderr: "wrong\n",
    });
    expect(await run("pwd")).toMatchObject({ stdout: `${directory}\n` });
    expect(await run("no-such-command-here")).toMatchObject({ kind: "exited", code: 127 });
    expect(await run("kill -9 $$")).toEqual({ kind: "killed", signal: "SIGKILL", stderr: "" });
  });

  it("can be a program with arguments, without a shell", async () => {
    const script = "process.stdout.write(process.argv.slice(1).join('|'))";
    expect(await run("node", { args: ["-e", script, "a b", "$HOME", "'"] })).toMatchObject({
      stdout: "a b|$HOME|'",
    });
    expect(await run("no-such-program", { args: [] })).toMatchObject({ kind: "not-started" });
  });

  it("needs a place to run, and a command that can be started", async () => {
    expect(await run("true", { cwd: join(directory, "nowhere") })).toMatchObject({ kind: "not-started" });
    expect(await run("true\0")).toMatchObject({ kind: "not-started" });
    expect(await run(`: ${"x".repeat(4_000_000)}`)).toMatchObject({ kind: "not-started" });
  });

  it("need not read its input, however much there is", async () => {
    const input = "x".repeat(5_000_000);
    expect(await run("echo done", { input })).toMatchObject({ code: 0, stdout: "done\n" });
    expect(await run("exec <&-; sleep 0.2; echo closed", { input })).toMatchObject({ stdout: "closed\n" });
    expect(await run("wc -c", { input })).toMatchObject({ stdout: expect.stringContaining("5000000") });
  });

  it("may write more than is kept, and is not held up by it", async () => {
    const ending = await run("head -c 20000000 /dev/zero | tr '\\0' a; echo b >&2");
    expect(ending).toMatchObject({ kind: "exited", code: 0, stderr: "b\n" });
    expect(ending.kind === "exited" && ending.stdout.length).toBe(1_000_000);
    const odd = await run("node -e 'process.stdout.write(`a` + `ü`.repeat(600000))'");
    expect(odd.kind === "exited" && odd.stdout).toBe(`a${"ü".repeat(499_999)}`);
  });

  it("is done when it exits, though what it left in the background holds its outputs", async () => {
    const ending = await run("sleep 600 & echo $! > background.pid; echo here");
    expect(ending).toMatchObject({ kind: "exited", code: 0, stdout: "here\n" });
    const pid = await pidIn("background.pid");
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  it("is heard to the end, though what it left in the background keeps talking", async () => {
    const chatter = "(while :; do echo chatter; sleep 0.02; done) & echo $! > chatter.pid; echo here";
    const ending = await run(chatter);
    expect(ending).toMatchObject({ kind: "exited", stdout: expect.stringContaining("here\n") });
    const pid = await pidIn("chatter.pid");
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });
});

/** Lets its time run out: more of it where the machine is so slow that the command had not come to write a file. */
async function runsOut(
  command: string,
  { once, timeoutMs, ...more }: { once: string; timeoutMs: number; killGraceMs?: number },
): Promise<void> {
  for (let time = timeoutMs; !existsSync(join(directory, once)); time *= 3) {
    expect(await run(command, { ...more, timeoutMs: time })).toEqual({ kind: "timed-out" });
  }
}

describe("a command that is ended", () => {
  it("takes its children and theirs along when the time is over", async () => {
    writeFileSync(join(directory, "inner.sh"), "echo $$ > inner.pid; exec sleep 600");
    writeFileSync(join(directory, "middle.sh"), "echo $$ > middle.pid; sh inner.sh & wait");
    await runsOut("sh middle.sh & wait", { timeoutMs: 500, once: "inner.pid" });
    expect(await isGone(await pidIn("inner.pid"))).toBe(true);
    expect(await isGone(await pidIn("middle.pid"))).toBe(true);
  });

  it("is killed where it will not go", async () => {
    const stubborn = "trap '' TERM; echo $$ > stubborn.pid; while :; do sleep 0.05; done";
    const child = "sh -c \"trap '' TERM; while :; do sleep 0.05; done\" & echo $! > child.pid;";
    await runsOut(`${child} ${stubborn}`, { timeoutMs: 400, once: "stubborn.pid" });
    expect(await isGone(await pidIn("stubborn.pid"))).toBe(true);
    expect(await isGone(await pidIn("child.pid"))).toBe(true);
  });

  it("may tidy up within the grace", async () => {
    const tidy = "trap 'echo tidy > tidied; exit 0' TERM; while :; do sleep 0.02; done";
    await runsOut(tidy, { timeoutMs: 300, killGraceMs: 60_000, once: "tidied" });
    expect(readFileSync(join(directory, "tidied"), "utf8")).toBe("tidy\n");
  });

  it("ends when it is called off, or is not begun", async () => {
    const controller = new AbortController();
    const running = run("echo $$ > aborted.pid; sleep 30", { signal: controller.signal });
    const pid = await pidIn("aborted.pid");
    controller.abort();
    expect(await running).toEqual({ kind: "aborted" });
    expect(await isGone(pid)).toBe(true);
    expect(await run("touch begun", { signal: controller.signal })).toEqual({ kind: "aborted" });
    expect(existsSync(join(directory, "begun"))).toBe(false);
  });
});
