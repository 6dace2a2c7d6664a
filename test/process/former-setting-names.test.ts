import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { agentArguments, makeFolders, runCommand, startSimulate, type Folders } from "./agent-command.js";

let folders: Folders | undefined;
afterEach(async () => folders?.remove());

it("the command reads settings by the names they had before, from files and variables", async () => {
  folders = await makeFolders("former");
  const simulator = await startSimulate([]);
  const { root } = folders;
  await mkdir(join(root, ".claude"));
  const run = async (content: object, env: NodeJS.ProcessEnv = {}) => {
    await writeFile(join(root, ".claude", "settings.json"), JSON.stringify(content));
    const { code, stderr } = await runCommand(
      folders as Folders,
      ["-p", "Hello.", ...agentArguments({ url: simulator.url })],
      env,
    );
    return { code, stderr };
  };
  try {
    expect(await run({ disableMicrocompact: true, notesTurns: 5 })).toEqual({ code: 0, stderr: "" });
    const bad = await run({ disableMicrocompact: "maybe" });
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/settings\.json: disableMicrocompact: .*true or false/);
    const warned = await run({}, { PALIMPSEST_NOTES_TURNS: "0" });
    expect(warned.code).toBe(0);
    expect(warned.stderr).toMatch(/PALIMPSEST_NOTES_TURNS: .*a whole number, 1 or more/);
  } finally {
    await simulator.stop();
  }
});
