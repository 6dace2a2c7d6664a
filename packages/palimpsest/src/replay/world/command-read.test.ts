import { describe, expect, it } from "vitest";
import { commandOf, commandOutput, printedParts } from "./command-read.js";

describe("files that commands show", () => {
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

  const part = (path: string, first?: number, last?: number) => ({
    path,
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
    isNumbered: false,
  });

  it("parts what several reads printed where each printed all that was asked for", () => {
    const reads = [part("a", 3, 4), part("b", 1, 1)];
    const parted = printedParts(reads, "three\nfour\none\n");
    expect(parted).toEqual([
      { read: reads[0], text: "three\nfour\n" },
      { read: reads[1], text: "one\n" },
    ]);
    expect(printedParts(reads, "three\nfour\none")).toEqual(parted);
  });

  it.each([
    ["fewer lines than were asked for", [part("a", 1, 2), part("b", 1, 2)], "1\n2\n1\n"],
    ["more", [part("a", 1, 2), part("b", 1, 2)], "1\n2\n1\n2\n3\n"],
    ["a whole file among them", [part("a", 1, 2), part("b")], "1\n2\nb\n"],
    ["nothing", [], "1\n"],
  ])("parts nothing where nobody can say where one ends: %s", (_, reads, output) => {
    expect(printedParts(reads, output)).toEqual([]);
  });

  it("gives all of it to the only one", () => {
    expect(printedParts([part("a", 1, 9)], "1\n2\n")).toEqual([{ read: part("a", 1, 9), text: "1\n2\n" }]);
  });
});
