import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
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

let folders: Folders | undefined;
let simulator: RunningSimulator | undefined;
let proxy: Server | undefined;
afterEach(async () => {
  proxy?.close();
  await simulator?.stop();
  await folders?.remove();
});

const WINDOW = 40_000;

/** Stands before the simulator and refuses the first two requests for a summary. */
async function refusing(url: string, summaries: unknown[]): Promise<string> {
  proxy = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const isSummary = body.slice(-20_000).includes("<analysis> element followed by one");
      if (isSummary) summaries.push(JSON.parse(body));
      if (isSummary && summaries.length <= 2) {
        response.writeHead(429, { "content-type": "application/json", "retry-after-ms": "5" });
        response.end(JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "slow" } }));
        return;
      }
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === "string" && !["host", "connection", "content-length"].includes(name)
          ? [[name, value] as [string, string]]
          : [],
      );
      const answer = await fetch(`${url}${request.url ?? ""}`, { method: "POST", headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

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
  const summaries: { readonly max_tokens: number }[] = [];
  const url = await refusing(simulator.url, summaries);
  const { code, stdout, stderr } = await runCommand(
    folders,
    ["-p", "Do all of the work.", ...agentArguments({ url, window: WINDOW })],
    {
      PALIMPSEST_RESERVE: "8000",
      PALIMPSEST_AUTOCOMPACT_BUFFER: "6000",
      PALIMPSEST_COMPACT_EARLY: "false",
      PALIMPSEST_DISABLE_MICROCOMPACT: "true",
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
