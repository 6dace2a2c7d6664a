import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeRecordedCommands, permissionsBenchmark } from "./permissions.js";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-recorded-commands-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A recording in the shape of Claude Code's, in which these commands were called. */
async function record(name: string, cwd: string, commands: readonly string[]): Promise<string> {
  const common = { sessionId: "s", timestamp: "2026-11-15T10:00:00.000Z", cwd };
  const lines = [
    {
      ...common,
      type: "user",
      uuid: "u",
      parentUuid: null,
      message: { role: "user", content: "Look around." },
    },
    ...commands.map((command, index) => ({
      ...common,
      type: "assistant",
      uuid: `a${index}`,
      parentUuid: index === 0 ? "u" : `a${index - 1}`,
      message: {
        id: `m${index}`,
        role: "assistant",
        model: "claude-opus-5",
        content: [{ type: "tool_use", id: `t${index}`, name: "Bash", input: { command } }],
        usage: { input_tokens: 10, output_tokens: 10 },
      },
    })),
  ];
  const path = join(directory, name);
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

it("judges recorded commands as if their project were here, wherever it was", async () => {
  const commands = [
    "cd /home/ada/machine/src && cat engine.ts",
    "cat /home/ada/machine/README.md",
    "cat /home/ada/letters.txt",
    "npm test",
    "touch x",
  ];
  const file = await record("unix.jsonl", "/home/ada/machine", commands);
  const verdicts = await judgeRecordedCommands([file]);
  expect(verdicts.map(({ isUnasked }) => isUnasked)).toEqual([true, true, false, false, false]);
  expect(verdicts.map(({ isRuled }) => isRuled)).toEqual([true, true, false, true, false]);
  expect(verdicts.map(({ command }) => command).join()).not.toContain("/home/ada/machine");
  // The folder has another name each time, and the hashes stay.
  expect((await judgeRecordedCommands([file])).map(({ hash }) => hash)).toEqual(
    verdicts.map(({ hash }) => hash),
  );
});

it("knows the spellings of a folder on a drive", async () => {
  const commands = [
    "cat D:/work/a.go",
    "cd /d/work/src && ls",
    "cat 'D:\\work\\src\\a.go'",
    "cat D:/other/a.go",
  ];
  const file = await record("drive.jsonl", "D:\\work", commands);
  const verdicts = await judgeRecordedCommands([file]);
  expect(
    verdicts.filter(({ command }) => /D:|\/d\/work/.test(command)).map(({ command }) => command),
  ).toEqual(["cat D:/other/a.go"]);
  expect(verdicts.slice(0, 3).map(({ isUnasked }) => isUnasked)).toEqual([true, true, true]);
});

it("gives counts and shares", async () => {
  const file = await record("few.jsonl", "/home/ada/machine", ["ls", "git status", "git push", "touch x"]);
  const figures = [];
  for await (const figure of permissionsBenchmark.run({ recordings: [file], tell: () => {} })) {
    figures.push([figure.name, figure.value]);
  }
  expect(figures).toEqual([
    ["permissions.commands", 4],
    ["permissions.unasked", 2],
    ["permissions.unasked.ratio", 0.5],
    ["permissions.ruled", 3],
    ["permissions.ruled.ratio", 0.75],
  ]);
});
