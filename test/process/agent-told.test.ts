import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linesOf, runCommand } from "./agent-command.js";
import { endingWith } from "./hostile-server.js";
import { createStage } from "./hostile-stage.js";

const setUp = createStage("told");

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

it("many calls at once are no leak of listeners", async () => {
  const calls = Array.from({ length: 24 }, (_, index) => ({
    tool: "Bash",
    input: { command: index % 2 === 0 ? "pwd" : "ls" },
  }));
  const { at, api } = await setUp([calls, [{ text: "done" }]]);
  const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
  expect(ended).toEqual({ code: 0, stdout: "done\n", stderr: "" });
  expect(api.bodies.at(-1)?.match(/"type":"tool_result"/g)).toHaveLength(24);
});

it("--add-dir of nothing is wrong usage, in one sentence", async () => {
  const { at, api } = await setUp([[{ text: "done" }]]);
  await writeFile(join(at.work, "file.txt"), "x");
  for (const path of ["nothing", "file.txt", "/nowhere/at/all"]) {
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url, "--add-dir", path]);
    expect(ended.code).toBe(2);
    expect(lines(ended.stderr)).toEqual([
      expect.stringContaining(`--add-dir ${path}: there is no such directory`),
    ]);
  }
  expect(api.bodies).toEqual([]);
});

it("AGENTS.md with a NUL byte is left out, and that is told once", async () => {
  const { at, api } = await setUp([[{ tool: "Bash", input: { command: "pwd" } }], [{ text: "done" }]]);
  await writeFile(join(at.work, "AGENTS.md"), "Always say \0 yes.");
  const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
  expect(ended.code).toBe(0);
  expect(lines(ended.stderr)).toEqual([
    expect.stringMatching(/AGENTS\.md is left out: it holds a NUL byte, or other bytes that are not text\.$/),
  ]);
  expect(api.bodies.join("")).not.toContain("Always say");
});

it.runIf(process.platform === "linux")(
  "file names that are not UTF-8 are told by Glob and Grep",
  async () => {
    const { at, api } = await setUp([
      [
        { tool: "Glob", input: { pattern: "**/*.txt" } },
        { tool: "Grep", input: { pattern: "needle" } },
      ],
      [{ text: "done" }],
    ]);
    const bytes = (name: string): Buffer =>
      Buffer.concat([Buffer.from(`${at.work}/`), Buffer.from(name, "latin1")]);
    await writeFile(join(at.work, "fine.txt"), "needle");
    await writeFile(bytes("caf\xe9.txt"), "needle");
    await mkdir(bytes("dir\xff"));
    await writeFile(bytes("dir\xff/inside.txt"), "needle");
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
    expect(ended.code).toBe(0);
    const shown = api.bodies.at(-1) ?? "";
    expect(shown).toContain("fine.txt");
    expect(shown).toMatch(/\[\d more files? ha(?:s a name|ve names) that is not UTF-8 text/);
    expect(shown).toContain("in a name stands for bytes that are not UTF-8 text");
  },
);

describe("an answer that is cut off at its limit of tokens", () => {
  it("is told beside the text", async () => {
    const { at, api } = await setUp([endingWith("max_tokens", [{ text: "half an ans" }])]);
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
    expect([ended.code, ended.stdout]).toEqual([0, "half an ans\n"]);
    expect(lines(ended.stderr)).toEqual([expect.stringContaining("The answer was cut off")]);
  });

  it.each(["json", "stream-json"])("is told in %s", async (format) => {
    const { at, api } = await setUp([endingWith("max_tokens", [{ text: "half an ans" }])]);
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url, "--output-format", format]);
    const result = linesOf(ended.stdout).find(({ type }) => type === "result");
    expect(result).toMatchObject({ result: "half an ans", stop_reason: "max_tokens", is_error: false });
  });

  it("in the middle of a call is told to the model, and the call is not made", async () => {
    const { at, api } = await setUp([
      endingWith("max_tokens", [
        { tool: "Bash", id: "toolu_a", input: { command: "echo whole" } },
        { tool: "Write", id: "toolu_b", input: { file_path: "a.txt", content: "half" } },
      ]),
      [{ text: "done" }],
    ]);
    const args = ["-p", "go", "--base-url", api.url, "--permission-mode", "bypassPermissions"];
    const ended = await runCommand(at, args);
    expect([ended.code, ended.stdout]).toEqual([0, "done\n"]);
    expect(lines(ended.stderr)).toEqual([expect.stringContaining("A call of the model was cut off")]);
    expect(api.bodies.at(-1)).toContain("This call was cut off");
    expect(api.bodies.at(-1)).toContain("whole");
    await expect(mkdir(join(at.work, "a.txt"))).resolves.toBeUndefined();
  });
});
