import fc from "fast-check";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { touchedPaths } from "./touched-paths.js";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "palimpsest-touched-"));
  await mkdir(join(cwd, "api/deep"), { recursive: true });
  for (const name of ["a.txt", "api/b.txt", "api/deep/c d.txt"]) await writeFile(join(cwd, name), "x");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const touched = (call: object): readonly string[] =>
  touchedPaths(
    { subject: { kind: "other" }, input: {}, isMcp: false, ...call },
    { workingDirectory: cwd, home: "/nowhere" },
  ).map((path) => path.slice(cwd.length + 1));

const command = (text: string, directory = cwd) => ({
  subject: { kind: "execute", command: text, directory },
});

it.each([
  ["cat api/b.txt /etc/passwd", ["api/b.txt"]],
  ["sed -n 1p 'api/deep/c d.txt' | sort", ["api/deep/c d.txt"]],
  ["cd api && ls deep", ["api/", "api/deep/"]],
  ["echo x > api/b.txt", ["api/b.txt"]],
  ["for f in api/*; do cat $f; done", ["api/b.txt"]],
  ["echo nothing here", []],
])("a command touches what it names and is there: %s", (text, paths) => {
  expect(touched(command(text))).toEqual(expect.arrayContaining(paths));
  expect(touched(command(text)).every((path) => !path.startsWith(".."))).toBe(true);
  if (paths.length === 0) expect(touched(command(text))).toEqual([]);
});

it("a name that no disk takes keeps none before it from being found", () => {
  expect(touched(command(`cat a.txt ${"x".repeat(300)}`))).toEqual(["a.txt"]);
});

it("a command touches the directory that it runs in", () => {
  expect(touched(command("ls", join(cwd, "api")))).toEqual(["api/"]);
});

it("a server's tool touches files that stand anywhere in its input", () => {
  const input = {
    where: "api/b.txt",
    list: [{ uri: `file://${cwd}/a.txt` }],
    text: "a\nb",
    other: "/etc/passwd",
  };
  expect(touched({ isMcp: true, input })).toEqual(["api/b.txt", "a.txt"]);
});

it("whatever the input, it is there and inside, and nothing is thrown", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), fc.string(), (input, text) => {
      for (const call of [
        { isMcp: true, input },
        command(text),
        { subject: { kind: "read", paths: [text] } },
      ])
        for (const path of touched(call)) expect(path).toMatch(/^(?:a\.txt|api\/)/);
    }),
    { numRuns: 100 },
  );
});
