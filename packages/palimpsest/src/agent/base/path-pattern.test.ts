import { describe, expect, it } from "vitest";
import { compilePathPattern } from "./path-pattern.js";

const places = { home: "/home/me", workingDirectory: "/work/app", base: "/work" };
const matches = (pattern: string, path: string): boolean | undefined =>
  compilePathPattern(pattern, { places })?.(path);

describe("patterns of paths", () => {
  it.each([
    ["//etc/**", "/etc/passwd", true],
    ["//etc/**", "/work/app/etc/passwd", false],
    ["~/docs/**", "/home/me/docs/a/b", true],
    ["~/docs/**", "/home/you/docs/a", false],
    ["/src/**", "/work/src/a.ts", true],
    ["/src/**", "/work/app/src/a.ts", false],
    ["src/**", "/work/app/src/a.ts", true],
    ["src/**", "/work/app/lib/src/a.ts", false],
    ["./src", "/work/app/src/deep/a.ts", true],
    [".env", "/work/app/.env", true],
    [".env", "/work/app/deep/.env", true],
    [".env", "/work/.env", false],
    ["*.pem", "/work/app/keys/a.pem", true],
    ["build/", "/work/app/x/build/out.js", true],
    ["**/*.{ts,tsx}", "/work/app/a/b.tsx", true],
    ["**/*.{ts,tsx}", "/work/app/a/b.js", false],
    ["file[0-2].txt", "/work/app/file1.txt", true],
    ["file[0-2].txt", "/work/app/file3.txt", false],
    [".", "/work/app/a", true],
    ["src/../../../etc/**", "/etc/passwd", false],
  ])("%s and %s: %s", (pattern, path, expected) => expect(matches(pattern, path)).toBe(expected));

  it("minds the case unless told", () => {
    expect(matches(".env", "/work/app/.ENV")).toBe(false);
    expect(compilePathPattern(".env", { places, ignoresCase: true })?.("/WORK/app/.Env")).toBe(true);
  });

  it("does not read exclusions, and no pattern that explodes", () => {
    expect(matches("!src", "/work/app/src")).toBeUndefined();
    expect(matches("[!a]", "/work/app/b")).toBeUndefined();
    expect(matches("{a,b}".repeat(20), "/work/app/b")).toBeUndefined();
  });
});
