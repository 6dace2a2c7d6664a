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
  // Side by side: some of them kill their own processes and wait until others go on with the work.
  it.concurrent.each(readdirSync(`${root}examples`).filter((name) => name.endsWith(".mjs")))(
    "%s runs",
    async (name) => {
      expect(await run([`examples/${name}`])).not.toBe("");
    },
  );

  const typed = readdirSync(`${root}examples`).filter((name) => name.endsWith(".ts"));

  // That they compile as strictly as anybody's project may is checked without running them: scripts/examples-strict.mjs.
  it("in TypeScript run", async () => {
    await run(["node_modules/typescript/bin/tsc", "-p", "examples", "--noCheck"]);
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
