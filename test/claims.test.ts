import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runHere } from "./process/run-here.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(`${root}docs/claims.md`, "utf8");

/** The cells that say what shows a claim. */
const shown = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:claim|-)/.test(line))
  .map((line) => line.split("|")[2]?.trim() ?? "");

const codes = shown.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
const isFile = (code: string): boolean => /^[\w-]+\/.*\.(?:ts|mjs)$/.test(code);
const pathOf = (code: string): string =>
  code.replace(/^(core|palimpsest)\//, (_, name: string) => `packages/${name}/src/`);

it("every claim names something that shows it", () => {
  expect(shown.length).toBeGreaterThan(40);
  expect(shown.filter((cell) => !cell.includes("`"))).toEqual([]);
});

it("every test that a claim names is there", () => {
  expect(codes.filter(isFile).length).toBeGreaterThan(40);
  expect(codes.filter((code) => isFile(code) && !existsSync(`${root}${pathOf(code)}`))).toEqual([]);
});

it("every long run that a claim names is there", async () => {
  const listed = (await runHere(["soak", "--list"])).stdout + readFileSync(`${root}soak/runs.mjs`, "utf8");
  const runs = shown.flatMap((cell) =>
    [...cell.matchAll(/\bruns? ((?:`[\w-]+`(?:, )?)+)/g)].flatMap(([, names = ""]) =>
      [...names.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name),
    ),
  );
  expect(runs.length).toBeGreaterThan(8);
  expect(runs.filter((name) => !listed.includes(name))).toEqual([]);
});
