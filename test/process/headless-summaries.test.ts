import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import {
  agentArguments,
  linesOf,
  makeFolders,
  runCommand,
  startSimulate,
  type Folders,
  type RunningSimulator,
} from "./agent-command.js";
import { refuseWith, startSummaryProxy, type SummaryProxy } from "./summary-proxy.js";

let folders: Folders | undefined;
let simulator: RunningSimulator | undefined;
let proxy: SummaryProxy | undefined;
afterEach(async () => {
  proxy?.close();
  await simulator?.stop();
  await folders?.remove();
});

const WINDOW = 40_000;

it("says that it waits to ask for a summary again, and gets it from the cache", async () => {
  folders = await makeFolders("summaries");
  const shell = (step: number) => ({
    text: `Step ${step}.`,
    calls: [{ tool: "Bash", input: { command: `seq -f 'step ${step} output line %g' 1 260` } }],
  });
  const file = join(folders.root, "script.json");
  const steps = Array.from({ length: 16 }, (_, step) => shell(step));
  await writeFile(file, JSON.stringify({ steps, closing: "All done." }));
  simulator = await startSimulate(["--player", `script:${file}`, "--window", String(WINDOW)]);
  proxy = await startSummaryProxy(
    simulator.url,
    (response, count) =>
      count <= 2 &&
      refuseWith(response, { status: 429, type: "rate_limit_error", headers: { "retry-after-ms": "5" } }),
  );
  const { url, summaries } = proxy;
  const { code, stdout, stderr } = await runCommand(
    folders,
    ["-p", "Do all of the work.", ...agentArguments({ url, window: WINDOW })],
    {
      PALIMPSEST_RESERVE: "8000",
      PALIMPSEST_AUTOCOMPACT_BUFFER: "6000",
      PALIMPSEST_COMPACT_EARLY: "false",
      PALIMPSEST_DISABLE_CLEARING: "true",
    },
  );
  const lines = linesOf(stdout);
  expect({ code, stderr, last: lines.at(-1) }).toMatchObject({
    code: 0,
    stderr: "",
    last: { type: "result", subtype: "success", result: "All done." },
  });
  expect(lines.filter(({ subtype }) => subtype === "retry")).toMatchObject([
    { attempt: 1, wait_ms: 5, error: "rate-limit" },
    { attempt: 2, wait_ms: 5, error: "rate-limit" },
  ]);
  expect(summaries.length).toBeGreaterThanOrEqual(3);
  const boundary = lines.find(({ subtype }) => subtype === "compact_boundary");
  expect(JSON.stringify(boundary)).toMatch(/"cache_read_input_tokens":\d{5}/);
});
