import { execFileSync } from "node:child_process";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { linesOf, makeFolders, runCommand, startSimulate, type Folders } from "./agent-command.js";

const opened: { readonly remove?: () => Promise<void>; readonly stop?: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const { remove, stop } of opened.splice(0)) await (stop ?? remove)?.();
});

const git = ({ work }: Folders, ...args: readonly string[]) =>
  execFileSync("git", ["-C", work, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

it("a session that is continued after memory files and git have changed reads its cache, and the model is told", async () => {
  const folders = await makeFolders("resume");
  const simulator = await startSimulate(["--port", "0"]);
  opened.push(simulator, folders);
  git(folders, "init", "-q");
  await writeFile(join(folders.work, "CLAUDE.md"), "Use tabs.\n".repeat(200));
  git(folders, "add", ".");
  git(folders, "commit", "-qm", "one");
  const args = ["--base-url", simulator.url, "--model", "claude-opus-5", "--output-format", "stream-json"];
  expect((await runCommand(folders, ["-p", "word ".repeat(4000), ...args])).code).toBe(0);
  await appendFile(join(folders.work, "CLAUDE.md"), "From now on: use spaces.\n");
  await writeFile(join(folders.work, "new.txt"), "dirty");
  const ended = await runCommand(folders, ["-p", "What do you know?", "--continue", ...args]);
  expect(ended.code).toBe(0);
  const usage = linesOf(ended.stdout).findLast(({ type }) => type === "result")?.["usage"] as {
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
  };
  // All that was sent before is read; what is written is what was said since.
  const [first, second] = (await simulator.requests()).filter(({ verdict }) => verdict !== null);
  expect(first?.verdict?.cacheRead).toBe(0);
  expect(usage.cache_read_input_tokens).toBe(second?.verdict?.cacheRead);
  expect(usage.cache_read_input_tokens).toBeGreaterThan(8000);
  expect(usage.cache_creation_input_tokens).toBeLessThan(usage.cache_read_input_tokens / 2);
});
