import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ReplayReport } from "../../packages/palimpsest/src/replay/results/policy-result.js";
import {
  makeFolders,
  runCommand,
  startSimulate,
  type Folders,
  type RunningSimulator,
} from "./agent-command.js";

/** Long enough for two summaries in a window of 60,000 tokens. */
const recording = Array.from({ length: 40 }, (_, index) => {
  const turn = Math.floor(index / 2);
  const isAnswer = index % 2 === 1;
  const words = Array.from({ length: 700 }, (_unused, at) => `word${turn}x${at}`).join(" ");
  const result = { type: "tool_result", tool_use_id: `t${turn - 1}`, content: words };
  return JSON.stringify({
    type: isAnswer ? "assistant" : "user",
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: "s",
    timestamp: new Date(Date.UTC(2026, 10, 15, 10, index)).toISOString(),
    message: isAnswer
      ? {
          role: "assistant",
          id: `m${index}`,
          model: "claude-opus-4-5",
          content: [
            { type: "thinking", thinking: "what now", signature: "x".repeat(200) },
            { type: "tool_use", id: `t${turn}`, name: "Read", input: { file_path: `/src/file${turn}.ts` } },
          ],
        }
      : { role: "user", content: index === 0 ? "please read the files" : [result] },
  });
}).join("\n");

const KEY = "sk-nobody-must-see-this";
let folders: Folders;
let simulator: RunningSimulator;
let proxy: Server;
let asked: { readonly [field: string]: unknown }[] = [];
let url = "";
let status = 200;

/** Stands before the simulator, which is the provider here, and remembers what it was asked. */
beforeEach(async () => {
  folders = await makeFolders("replay-summaries");
  simulator = await startSimulate([]);
  asked = [];
  status = 200;
  proxy = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      asked.push(JSON.parse(body) as (typeof asked)[number]);
      if (status !== 200) {
        response.writeHead(status, { "content-type": "application/json" });
        const error = { type: "authentication_error", message: "invalid x-api-key" };
        response.end(JSON.stringify({ type: "error", error }));
        return;
      }
      const headers = {
        "content-type": "application/json",
        "x-api-key": "any",
        "anthropic-version": "2023-06-01",
      };
      const answer = await fetch(`${simulator.url}${request.url ?? ""}`, { method: "POST", headers, body });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await writeFile(join(folders.work, "session.jsonl"), `${recording}\n`);
});
afterEach(async () => {
  proxy.close();
  await simulator.stop();
  await folders.remove();
});

const replay = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand(
    folders,
    [
      "replay",
      "session.jsonl",
      "--window",
      "60000",
      "--policy",
      "classic,summarise-all",
      "--summaries",
      "provider",
      "--json",
      ...args,
    ],
    { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url, ...env },
  );

it("refuses without a key, in one sentence, and asks nobody", async () => {
  const { code, stdout, stderr } = await replay(["--yes"], { ANTHROPIC_API_KEY: "" });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe("palimpsest: --summaries provider needs a key: set ANTHROPIC_API_KEY\n");
  expect(asked).toEqual([]);
});

it("says what it would cost, and asks nobody until somebody agrees", async () => {
  const none = await replay([]);
  expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 2, stdout: "" });
  expect(none.stderr).toMatch(
    /^palimpsest: the provider would be asked for about \d+ summar(?:y|ies) for about \$\d+\.\d\d: agree with --yes, or with --max-cost DOLLARS\n$/,
  );
  const little = await replay(["--max-cost", "0.01"]);
  expect(little.code).toBe(2);
  expect(little.stderr).toMatch(/more than the \$0\.01 of --max-cost\n$/);
  const wrong = await replay(["--max-cost", "much"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("An amount of dollars is expected.");
  expect(asked).toEqual([]);
});

it("asks a real model for summaries, once for each, and keeps what it says", async () => {
  const first = await replay(["--max-cost", "50"]);
  expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" });
  const report = JSON.parse(first.stdout) as ReplayReport;
  expect(report.summaries?.asked).toBe(asked.length);
  expect(asked.length).toBeGreaterThan(1);
  expect(report.summaries?.dollars).toBeGreaterThan(0);
  for (const request of asked) {
    const sent = JSON.stringify(request);
    // Nothing that only the simulator knows, or that only fills up the prompt.
    expect(/"thinking"|cache_control|One rule of this house/.test(sent)).toBe(false);
    expect(request).toMatchObject({ model: "claude-opus-4-5" });
  }
  expect(JSON.stringify(asked[0]).includes("please read the files")).toBe(true);
  const folder = join(folders.data, "replay-summaries");
  const kept = await readdir(folder);
  expect(kept).toHaveLength(asked.length);
  for (const name of kept) {
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    expect(await readFile(join(folder, name), "utf8")).not.toContain(KEY);
  }

  // The second time nobody is asked, and nobody has to agree.
  const requests = asked.length;
  const second = await replay([]);
  expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: "" });
  expect(asked).toHaveLength(requests);
  const again = JSON.parse(second.stdout) as ReplayReport;
  expect(again.summaries).toMatchObject({ asked: 0, dollars: 0 });
  for (const [name, { cost, recall }] of Object.entries(report.total.policies)) {
    expect(again.total.policies[name]).toMatchObject({ cost, recall });
  }
});

it("stops with one sentence where the provider does not answer", async () => {
  status = 401;
  const { code, stdout, stderr } = await replay(["--yes", "--answers", "kept"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^palimpsest: the provider did not write a summary: .+\n$/);
  expect(stderr).not.toContain(KEY);
  expect(asked).toHaveLength(1);
});
