import { expect, it } from "vitest";
import { matchDenied, matchPaths } from "./path-patterns.js";

it.each([
  [".env", "/w/.env", true],
  [".env", "/w/.env.local", false],
  [".env*", "/w/a/.env.local", true],
  ["*.pem", "/w/keys/a.pem", true],
  ["*.pem", "/w/keys/a.pem.txt", false],
  ["secrets", "/w/secrets/deep/file", true],
  ["secrets/**", "/w/secrets/deep/file", true],
  ["secrets/*.txt", "/w/secrets/deep/file.txt", false],
  ["secrets/**/*.txt", "/w/secrets/deep/er/file.txt", true],
  ["secrets/**/*.txt", "/w/secrets/file.txt", true],
  ["/etc/**", "/etc/passwd", true],
  ["/etc", "/w/etc/passwd", false],
  ["file.???", "/w/file.txt", true],
  ["file.???", "/w/file.html", false],
  ["*a*b*c", "/w/xxaxxbxxc", true],
  ["*a*b*c", "/w/xxaxxbxxd", false],
  ["C:\\keys\\**", "C:\\keys\\a", true],
  ["keys", "C:\\w\\keys\\a", true],
  [" ", "/anything", false],
])("%s on %s: %s", (pattern, path, expected) => {
  expect(matchPaths([pattern])(path)).toBe(expected);
});

// Trying every way in which stars can fit would never end.
it("no pattern makes it slow", () => {
  const isMatch = matchPaths([`${"*a".repeat(50)}b`, `${"**/a/".repeat(50)}b`]);
  expect(isMatch(`/${"a".repeat(5000)}`)).toBe(false);
  expect(isMatch("/a".repeat(2000))).toBe(false);
});

it.each([
  [".env", "/w/.ENV", true],
  [".env", "/w/.env. ", true],
  [".env", "/w/.env./below", true],
  ["Caf\u00e9", "/w/cafe\u0301", true],
  ["/W/Keys", "/w/keys/a", true],
  ["/etc", "/w/etc/passwd", false],
  ["*.", "/w/file", false],
  [".env", "/w/...", false],
  ["x", "/proc/self/environ", true],
])("denied: %s on %j: %s", (pattern, path, expected) => {
  expect(matchDenied([pattern])(path)).toBe(expected);
});
