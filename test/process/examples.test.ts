import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createSimulator } from "../../packages/palimpsest/src/simulator/core/create-simulator.js";
import { createSimulatorApp } from "../../packages/palimpsest/src/simulator/http/app.js";
import { startSimulatorServer } from "../../packages/palimpsest/src/simulator/http/node-server.js";
import { createEchoPlayer } from "../../packages/palimpsest/src/simulator/players/echo-player.js";
import { withSummaries } from "../../packages/palimpsest/src/simulator/players/summaries-player.js";

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
      run([`node_modules/typescript/bin/tsc`, "-p", "examples", ...flags]);
    const strictly = ["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    // Frameworks have declarations that do not compile so strictly: theirs to mend. Ours have to.
    const { stdout } = (await compile("--skipLibCheck", "false", ...strictly).catch(
      (error: unknown) => error,
    )) as { readonly stdout?: string };
    const errors = (stdout ?? "").split("\n").filter((line) => /^\S+\(\d+,\d+\): error/.test(line));
    expect(errors.filter((line) => !/^node_modules\/(?!@?palimpsest)/.test(line))).toEqual([]);
    for (const name of [...typed, "lab/simulated-audit.ts"]) {
      const source = readFileSync(`${root}examples/${name}`, "utf8");
      const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|`[^`]*`|"[^"]*"/gm, "");
      expect(code).not.toMatch(/\bas\b|\bany\b|@ts-|!\.|<any>/);
    }
    for (const name of typed)
      expect(await run([`examples/dist/${name.replace(/\.ts$/, ".js")}`])).not.toBe("");
  });

  const quickStart = readFileSync(`${root}examples/quick-start.mjs`, "utf8");

  it("the README's example is the one that runs, and it is short", () => {
    expect(readFileSync(`${root}README.md`, "utf8")).toContain(quickStart);
    const lines = quickStart.split("\n").filter((line) => line.trim() !== "");
    expect(lines.length).toBeLessThanOrEqual(12);
    for (const line of lines) expect(line.replace(/\/\/.*$/, "").length).toBeLessThanOrEqual(110);
  });

  it("the quick start throws with a wrong key, and runs with the right one", async () => {
    const simulator = createSimulator({ player: withSummaries(createEchoPlayer()) });
    const server = await startSimulatorServer({
      app: createSimulatorApp({ simulator, apiKeys: ["sk-right"] }),
    });
    try {
      const withKey = (apiKey: string) =>
        run([
          "--input-type=module",
          "--eval",
          quickStart
            .replaceAll("createEmbeddedProvider", "createAnthropicProvider")
            .replace("Provider()", `Provider(${JSON.stringify({ apiKey, baseUrl: server.url })})`)
            .replace("turn <= 60", "turn <= 1"),
        ]);
      const { stderr } = (await withKey("sk-wrong").catch((error: unknown) => error)) as { stderr: string };
      expect(stderr).toContain("The API refused the credentials");
      expect(stderr).toContain("code: 'authentication'");
      expect(stderr).not.toContain("sk-wrong");
      await withKey("sk-right");
    } finally {
      await server.close();
    }
  });
});
