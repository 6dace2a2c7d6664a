import { describe, expect, it } from "vitest";
import {
  baseName,
  directoriesTo,
  displayPath,
  isWithin,
  normalisePath,
  pathKey,
  resolveIn,
} from "./paths.js";

describe("paths", () => {
  it.each([
    ["/a/./b//c/../d", "/a/b/d"],
    ["/../../a", "/a"],
    ["a/../../b", "../b"],
    ["/", "/"],
    ["", ""],
    ["/a\\b", "/a\\b"],
    ["C:\\a\\.\\b", "C:/a/b"],
    ["C:\\..\\a", "C:/a"],
    ["\\\\server\\share\\x", "//server/share/x"],
  ])("normal: %s", (path, expected) => {
    expect(normalisePath(path)).toBe(expected);
  });

  it.each([
    ["/work", "src/a.ts", "/work/src/a.ts"],
    ["/work", "../etc/x", "/etc/x"],
    ["/work", "/abs", "/abs"],
    ["D:\\work", "src\\a.ts", "D:/work/src/a.ts"],
    ["/work", "src\\a.ts", "/work/src\\a.ts"],
  ])("in %s: %s", (directory, path, expected) => {
    expect(resolveIn(directory, path)).toBe(expected);
  });

  it("Windows does not tell cases apart, everything else does", () => {
    expect(pathKey("C:\\Work\\A.ts")).toBe(pathKey("c:/work/a.ts"));
    expect(pathKey("/Work")).not.toBe(pathKey("/work"));
  });

  it.each([
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a", "/ab", false],
    ["/a", "/a/../b", false],
    ["/", "/anything", true],
    ["", "/anything", false],
    ["c:/a", "C:\\A\\b", true],
  ])("%s holds %s: %s", (directory, path, expected) => {
    expect(isWithin(directory, path)).toBe(expected);
  });

  it.each([
    ["/w", "/w/a/b/c.ts", ["/w/a", "/w/a/b"]],
    ["/w", "/w/c.ts", []],
    ["/w", "/w", []],
    ["/w", "/w/a/b/", ["/w/a", "/w/a/b"]],
    ["/w", "/elsewhere/a/c.ts", []],
    ["/w", "/w/../x/c.ts", []],
    ["/", "/a/c.ts", ["/a"]],
    ["D:\\w", "D:\\w\\a\\c.ts", ["D:/w/a"]],
  ])("from %s to %s", (directory, path, expected) => {
    expect(directoriesTo(directory, path)).toEqual(expected);
  });

  it("shows paths from the directory", () => {
    expect([displayPath("/w", "/w/a/b"), displayPath("/w", "/x"), displayPath("/w", "/w")]).toEqual([
      "a/b",
      "/x",
      "/w",
    ]);
    expect([baseName("/a/AGENTS.md"), baseName("C:\\a\\AGENTS.md"), baseName("")]).toEqual([
      "AGENTS.md",
      "AGENTS.md",
      "",
    ]);
  });
});
