import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const run = async (args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;

describe("examples", () => {
  it.each(readdirSync(`${root}examples`).filter((name) => name.endsWith(".mjs")))("%s runs", async (name) => {
    expect(await run([`examples/${name}`])).not.toBe("");
  });

  const typed = readdirSync(`${root}examples`).filter((name) => name.endsWith(".ts"));

  it("in TypeScript compile as strictly as anybody's project may, with nothing talked away", async () => {
    const compile = (...flags: readonly string[]) =>
      run([`node_modules/typescript/bin/tsc`, "-p", "examples", "--skipLibCheck", "false", ...flags]);
    await compile("--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit");
    await compile();
    for (const name of typed) {
      const source = readFileSync(`${root}examples/${name}`, "utf8");
      const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|`[^`]*`|"[^"]*"/gm, "");
      expect(code).not.toMatch(/\bas\b|\bany\b|@ts-|!\.|<any>/);
    }
    for (const name of typed)
      expect(await run([`examples/dist/${name.replace(/\.ts$/, ".js")}`])).not.toBe("");
  });

  it("the README's example is the one that runs", () => {
    const readme = readFileSync(`${root}README.md`, "utf8");
    expect(readme).toContain(readFileSync(`${root}examples/quick-start.mjs`, "utf8"));
  });
});
