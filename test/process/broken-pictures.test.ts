import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import {
  agentArguments,
  linesOf,
  makeFolders,
  runCommand,
  startSimulate,
  transcriptsIn,
  type Folders,
  type RunningSimulator,
} from "./agent-command.js";

let folders: Folders | undefined;
let simulator: RunningSimulator | undefined;
afterEach(async () => {
  await simulator?.stop();
  await folders?.remove();
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const wide = Buffer.from(PNG);
wide.writeUInt32BE(9000, 16);

/** What each file shows the model. */
const files: Readonly<Record<string, readonly [Buffer, string]>> = {
  "whole.png": [PNG, '"media_type":"image/png"'],
  "broken.png": [Buffer.from([0, 1, 2, 3, 0xff, 0xfe, 0, 9]), "is a binary file"],
  "page.png": [Buffer.from("<html>404</html>\n"), "<html>404</html>"],
  "empty.png": [Buffer.alloc(0), "is empty"],
  "signature.png": [Buffer.concat([PNG.subarray(0, 8), Buffer.alloc(40)]), "damaged or not complete"],
  "cut-off.png": [PNG.subarray(0, 50), "left out: its data ends too early"],
  "wide.png": [wide, "9000 × 1 pixels"],
};

it("a picture that is none, read by the agent, does not end the conversation", async () => {
  folders = await makeFolders("pictures");
  const { work, data, root } = folders;
  for (const [name, [bytes]] of Object.entries(files)) await writeFile(join(work, name), bytes);
  const script = join(root, "script.json");
  const calls = Object.keys(files).map((name) => ({ tool: "Read", input: { file_path: name } }));
  const steps = [...calls.map((call) => ({ calls: [call] })), { calls }, "All of them were looked at."];
  await writeFile(script, JSON.stringify({ steps }));
  simulator = await startSimulate(["--player", `script:${script}`]);
  const { code, stdout } = await runCommand(folders, [
    "-p",
    "Look at the pictures.",
    ...agentArguments({ url: simulator.url }),
  ]);
  expect(code).toBe(0);
  expect(linesOf(stdout).at(-1)).toMatchObject({ type: "result", result: "All of them were looked at." });
  const requests = await simulator.requests();
  expect(requests).toHaveLength(steps.length);
  expect(requests.map(({ status, error }) => `${status} ${error?.message ?? ""}`)).toEqual(
    steps.map(() => "200 "),
  );
  // The person sees it, too.
  for (const [, shown] of Object.values(files)) expect(stdout).toContain(shown);

  const [transcript] = await transcriptsIn(data);
  const checked = await runCommand(folders, ["transcript", "check", "--json", transcript?.path ?? ""]);
  expect(checked.code).toBe(0);
  const report = JSON.parse(checked.stdout) as { readonly files: readonly object[] };
  expect(report.files).toMatchObject([{ valid: true }]);
});
