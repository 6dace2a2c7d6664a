/**
 * The long audit through each adapter, in the framework's own loop, on the fake of the Messages API that nobody here wrote
 * (`PALIMPSEST_OUTSIDE_JUDGE`). With `PALIMPSEST_AI_SDK_7`, a folder with version 7 of the AI SDK and a Node for it, that too.
 * Ends with 1 where one costs more than `--most` million input-equivalents, or does not come to its end.
 *
 *   npm run build && node bench/adapters-audit.mjs [--steps 100] [--most 1.05] [--only ai-sdk-6,langchain] [--json]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  equivalentsOf,
  MODEL,
  outsideJudge,
  PROMPT,
  startJudge,
  WINDOW,
  writeData,
} from "./outside-judge.mjs";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "100" },
    most: { type: "string", default: "1.05" },
    only: { type: "string", default: "" },
    json: { type: "boolean" },
  },
});
const steps = Number(values.steps);
const folder = process.env.PALIMPSEST_AI_SDK_7;
const newest =
  folder !== undefined && existsSync(join(folder, "node_modules/.bin/node")) ? folder : undefined;

/** Each with the program that is its loop. */
const all = [
  { key: "ai-sdk-6", name: "AI SDK 6, generateText", loop: "ai-sdk.mjs", env: {} },
  ...(newest === undefined
    ? []
    : [
        {
          key: "ai-sdk-7",
          name: "AI SDK 7, generateText",
          loop: "ai-sdk.mjs",
          env: { PALIMPSEST_AI_SDK_7: newest },
          node: join(newest, "node_modules/.bin/node"),
        },
      ]),
  { key: "langchain", name: "LangChain, createAgent", loop: "langchain.mjs", env: {} },
  { key: "anthropic-sdk", name: "official SDK, toolRunner", loop: "anthropic-sdk.mjs", env: {} },
];
const only = values.only === "" ? all.map(({ key }) => key) : values.only.split(",");
const unknown = only.find((key) => !all.some((adapter) => adapter.key === key));
if (unknown !== undefined) {
  console.error(`there is no adapter ${unknown}: there are ${all.map(({ key }) => key).join(", ")}`);
  process.exit(2);
}
const adapters = all.filter(({ key }) => only.includes(key));

async function audit(judge, { loop, env, node = process.execPath }) {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-adapters-"));
  const data = join(folder, "data");
  await writeData(data, steps);
  const server = await startJudge(judge, { steps, limit: WINDOW, data });
  try {
    const program = fileURLToPath(new URL(`audit-loops/${loop}`, import.meta.url));
    const child = spawn(node, [program, server.url, MODEL, PROMPT, data, String(WINDOW)], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env.PATH, HOME: folder, ...env },
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${loop} ended with ${code}: ${stderr}`);
    return await (await fetch(`${server.url}/__stats`)).json();
  } finally {
    server.process.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

const judge = outsideJudge();
if (judge !== undefined && newest === undefined)
  console.error("AI SDK 7: not run, PALIMPSEST_AI_SDK_7 names no folder with it and a Node for it");
const figures = [];
for (const adapter of judge === undefined ? [] : adapters) {
  const stats = await audit(judge, adapter);
  const equivalents = equivalentsOf(stats) / 1e6;
  const { requests, rejected, summary: summaries, largestTokens: largest, toolCalls, finished } = stats;
  const done = finished ? toolCalls : 0;
  figures.push({ name: adapter.name, equivalents, requests, rejected, summaries, largest, steps: done });
  if (done !== steps || equivalents > Number(values.most)) process.exitCode = 1;
  if (values.json !== true)
    console.log(
      `${adapter.name.padEnd(28)} ${equivalents.toFixed(3)}M input-equivalents, ${requests} requests, ` +
        `${rejected} refused, ${summaries} summaries, largest ${largest} tokens, ${done} of ${steps} steps`,
    );
}
if (values.json === true) console.log(JSON.stringify({ steps, figures }));
