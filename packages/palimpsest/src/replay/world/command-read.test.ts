import { describe, expect, it } from "vitest";
import { commandOf, commandOutput, commandRead } from "./command-read.js";

describe("files that commands show", () => {
  it.each([
    ["cat src/a.ts", { path: "src/a.ts", isNumbered: false }],
    ["cat 'a file.md'", { path: "a file.md", isNumbered: false }],
    ["sed -n '10,20p' /x/a.ts", { path: "/x/a.ts", first: 10, last: 20, isNumbered: false }],
    ['sed -n "1,5p" "a b"', { path: "a b", first: 1, last: 5, isNumbered: false }],
    ["nl -ba a.ts", { path: "a.ts", isNumbered: true }],
    ["nl -ba a.ts | sed -n '3,4p'", { path: "a.ts", first: 3, last: 4, isNumbered: true }],
  ])("%s", (command, read) => {
    expect(commandRead(command)).toEqual(read);
  });

  it.each([
    "cat a b",
    "cat -A a",
    "cat a | head",
    "cat a; rm -rf /",
    "cat a && cat b",
    "cat $(ls)",
    'cat "$HOME/a"',
    "cat *.ts",
    "cat < a",
    "cat a > b",
    "cat a\ncat b",
    "sed -n '20,10p' a",
    "sed -n '0,10p' a",
    "sed -i 's/a/b/' a",
    `cat ${"a".repeat(3000)}`,
  ])("nothing to be sure of: %s", (command) => {
    expect(commandRead(command)).toBeUndefined();
  });

  it("finds the command in every form of call", () => {
    expect(commandOf({ cmd: "ls", workdir: "/w" })).toEqual({ text: "ls", directory: "/w" });
    expect(commandOf({ command: ["bash", "-lc", "ls"] })).toEqual({ text: "ls", directory: "" });
    expect(commandOf({ command: ["rm", "-c", "ls"] })).toBeUndefined();
    const script = `const r = await tools.exec_command({"cmd":"ls","workdir":"/w"});\ntext(r.output);\n`;
    expect(commandOf({ input: script })).toEqual({ text: "ls", directory: "/w" });
    expect(commandOf({ input: `${script}more()` })).toBeUndefined();
    expect(commandOf({ input: "{" })).toBeUndefined();
  });

  it.each([
    [
      "Chunk ID: f7\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\na\n",
      "a\n",
    ],
    ["Exit code: 0\nWall time: 0 seconds\nOutput:\n", ""],
    ["Script completed\nWall time 0.9 seconds\nOutput:\na\n", "a\n"],
    ['{"output":"a\\n","metadata":{"exit_code":0}}', "a\n"],
    ["Process exited with code 1\nOutput:\na", undefined],
    ["Exit code: 0\nOutput:\na …12 tokens truncated… b", undefined],
    ['{"output":"a","metadata":{"exit_code":1}}', undefined],
    ['{"output":', undefined],
    ["a", undefined],
  ])("output of %j", (result, output) => {
    expect(commandOutput(result)).toBe(output);
  });
});
