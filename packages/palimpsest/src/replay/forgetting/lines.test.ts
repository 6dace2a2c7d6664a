import { describe, expect, it } from "vitest";
import { keyOf, lineKeys, normalLine, normalLines } from "./lines.js";

describe("normalLine", () => {
  it.each([
    ["  12→\tconst wick = trim(lamp);", "const wick = trim(lamp);"],
    ["   7\tconst wick = trim(lamp);", "const wick = trim(lamp);"],
    ["118:  const wick = trim(lamp);", "const wick = trim(lamp);"],
    ["118| const wick = trim(lamp);", "const wick = trim(lamp);"],
    ["118-  const wick = trim(lamp);", "const wick = trim(lamp);"],
    ["\t\tconst  wick =\ttrim(lamp);  \r", "const wick = trim(lamp);"],
    ["12 34: const wick = trim(lamp);", "12 34: const wick = trim(lamp);"],
    ["src/lamp.ts:12: const wick;", "src/lamp.ts:12: const wick;"],
    ["wände streichen ä", "wände streichen ä"],
    ["exactly16letters", "exactly16letters"],
  ])("%j is compared as %j", (raw, line) => {
    expect(normalLine(raw)).toBe(line);
  });

  it.each([
    ["fifteen letters"],
    ["     const x = 1"],
    ["12: fifteen letters"],
    ["-----------------------"],
    ["10 + 20 + 30 + 40 = 100"],
    ["a1 b2 c3 d4 e5 f6 g7 h8"],
    [""],
  ])("%j is nothing to remember", (raw) => {
    expect(normalLine(raw)).toBeUndefined();
  });
});

describe("lineKeys", () => {
  const key = (line: string): number => keyOf(line);

  it("are those of the normal lines, one for each", () => {
    const text = "1→export const lamp = 1;\nshort\n   export const lamp = 1;";
    expect(normalLines(text)).toEqual(["export const lamp = 1;", "export const lamp = 1;"]);
    expect(lineKeys(text)).toEqual([key("export const lamp = 1;"), key("export const lamp = 1;")]);
  });

  it("are those of the lines inside of what JSON wrote in one line, too", () => {
    const json = JSON.stringify({ old_string: 'const lamp = "bright";\n\treturn lamp + wick;' });
    expect(lineKeys(json)).toContain(key("return lamp + wick;"));
    expect(lineKeys(`${json}\nmore`)).toContain(
      key('{"old_string":"const lamp = \\"bright\\";\\n\\treturn lamp + wick;"}'),
    );
    expect(lineKeys(JSON.stringify('x\nconst lamp = "bright";\ny'))).toContain(key('const lamp = "bright";'));
  });

  it("differ for different lines", () => {
    const keys = new Set(Array.from({ length: 50_000 }, (_, at) => keyOf(`a line with the number ${at}`)));
    expect(keys.size).toBe(50_000);
    expect([...keys].every(Number.isSafeInteger)).toBe(true);
  });
});
