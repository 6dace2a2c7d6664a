import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const reporter = fileURLToPath(new URL("../watchdog-reporter.mjs", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

it("a test that never ends, and never waits, ends the run with the name of its file, and is ended", async () => {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-watchdog-"));
  try {
    await writeFile(
      join(directory, "stuck.test.mjs"),
      [
        'import { writeFileSync } from "node:fs";',
        'test("ends", () => writeFileSync(process.env.PID_FILE, String(process.pid)));',
        'test("never ends", () => { for (;;); });',
      ].join("\n"),
    );
    const args = [
      vitest,
      "run",
      "--root",
      directory,
      "--globals",
      "--testTimeout=0",
      `--reporter=${reporter}`,
    ];
    const env = { ...process.env, PALIMPSEST_TEST_PATIENCE: "0.1", PID_FILE: join(directory, "pid") };
    const error: unknown = await promisify(execFile)(process.execPath, args, { env }).catch(
      (thrown: unknown) => thrown,
    );
    const { code, stderr } = error as { readonly code: number; readonly stderr: string };
    expect(code).toBe(1);
    expect(stderr).toContain("no test has ended for 0.1 minutes; running were\n  stuck.test.mjs\n");
    const pid = await readFile(join(directory, "pid"), "utf8");
    await expect.poll(() => stateOf(pid)).toMatch(/^(?:Z.*)?$/);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

/** Empty where there is no such process; Z for one that has ended and that nobody has asked after. */
const stateOf = (pid: string): string =>
  spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim();
