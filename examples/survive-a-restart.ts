// A process for each turn, as in a serverless function: what the adapter has made of a conversation is in a folder.
import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsestAiSdk } from "@palimpsest/core/ai-sdk";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel, type ModelMessage } from "ai";
import {
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type Player,
  type RequestRecord,
} from "palimpsest/simulator";
import { createStandInFiles } from "palimpsest/stores";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const window = 30_000;

/** One turn: the list of messages comes from a file and goes back into it, everything, and nothing is shortened there. */
async function turn(folder: string, baseURL: string): Promise<void> {
  const file = join(folder, "messages.json");
  const messages: ModelMessage[] = JSON.parse(await readFile(file, "utf8"));
  messages.push({ role: "user", content: "Read the next ten files." });
  const model = wrapLanguageModel({
    model: createAnthropic({ apiKey: "any", baseURL })("claude-opus-5"),
    middleware: palimpsestAiSdk({
      settings: { window, reserve: 4000, autoCompactBuffer: 2000 },
      store: createStandInFiles({ directory: join(folder, "store") }),
      onStep: ({ text }) => console.log(`  ${text}`),
    }),
  });
  let files = 0;
  const { response } = await generateText({
    model,
    messages,
    maxOutputTokens: 1000,
    stopWhen: stepCountIs(20),
    tools: {
      Read: tool({
        description: "Reads the next file.",
        inputSchema: jsonSchema({ type: "object", properties: {} }),
        execute: () =>
          `// file ${(files += 1)}\n${`export const value${files} = ${messages.length};\n`.repeat(60)}`,
      }),
    },
  });
  await writeFile(file, JSON.stringify([...messages, ...response.messages]));
}

/** A model that reads ten files before it answers, again and again. */
const reader: Player = {
  answer(_prompt, memory) {
    const step = typeof memory === "number" ? memory : 0;
    const isDone = step % 11 === 10;
    return {
      answer: {
        content: [
          isDone ? { type: "text", text: `Ten more.` } : { type: "tool_use", name: "Read", input: {} },
        ],
      },
      memory: step + 1,
    };
  },
};

/** Six turns, each in a process of its own, and what they cost. */
async function turns(): Promise<void> {
  const requests: RequestRecord[] = [];
  const simulator = createSimulator({ player: withSummaries(reader), window });
  const app = createSimulatorApp({ simulator, window, onRequest: (request) => requests.push(request) });
  const server = await startSimulatorServer({ app });
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-restart-"));
  try {
    await writeFile(join(folder, "messages.json"), "[]");
    for (let number = 1; number <= 6; number += 1) {
      const before = requests.length;
      const program = fileURLToPath(import.meta.url);
      const { stdout } = await promisify(execFile)(process.execPath, [program, folder, `${server.url}/v1`]);
      const cached = requests[before]?.verdict?.cacheRead ?? 0;
      console.log(
        `turn ${number}: ${requests.length - before} requests, ${cached} tokens of the first from the cache`,
      );
      // A new process goes on with the very bytes that the last one sent.
      assert.ok(number === 1 || cached > 0);
      if (stdout !== "") console.log(stdout.trimEnd());
    }
    assert.deepEqual(
      requests.filter(({ status }) => status !== 200),
      [],
    );
    const dollars = requests.reduce((sum, { verdict }) => sum + (verdict?.cost ?? 0), 0);
    console.log(`${requests.length} requests, $${dollars.toFixed(2)}`);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const [folder, baseURL] = process.argv.slice(2);
if (folder === undefined || baseURL === undefined) await turns();
else await turn(folder, baseURL);
