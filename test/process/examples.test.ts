import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("examples", () => {
  it.each(readdirSync(`${root}examples`).filter((name) => name.endsWith(".mjs")))("%s runs", async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, [`examples/${name}`], { cwd: root });
    expect(stdout).not.toBe("");
  });

  it("the README's example is the one that runs", () => {
    const readme = readFileSync(`${root}README.md`, "utf8");
    expect(readme).toContain(readFileSync(`${root}examples/quick-start.mjs`, "utf8"));
  });
});
