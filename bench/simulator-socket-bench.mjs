import { request as httpRequest, Agent } from "node:http";
import { fileURLToPath } from "node:url";
import { createSimulator } from "../packages/palimpsest/dist/simulator/core/create-simulator.js";
import { createSimulatorApp } from "../packages/palimpsest/dist/simulator/http/app.js";
import { startSimulatorServer } from "../packages/palimpsest/dist/simulator/http/node-server.js";
import { createEchoPlayer } from "../packages/palimpsest/dist/simulator/players/echo-player.js";

const CONNECTIONS = 8;
const WARM_UP_MS = 500;
const MEASURED_MS = 2000;

const headers = {
  "x-api-key": "sk-bench",
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
};

const small = { model: "claude-opus-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] };

/** 100 KB as an agent's request has them: a marked system prompt, and 25 tool rounds of 4 KB. */
const large = {
  ...small,
  system: [{ type: "text", text: "You are careful. ".repeat(100), cache_control: { type: "ephemeral" } }],
  tools: [{ name: "read", input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: "begin" },
    ...Array.from({ length: 25 }, (_, round) => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${round}`, name: "read", input: { round } }],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `toolu_${round}`,
            content: `${round}: a line of some tool's output, about as long as they are\n`.repeat(65),
          },
        ],
      },
    ]).flat(),
  ],
};

/** Sends one request over a kept connection and reads the whole answer. */
const send = (agent, { url, body }) =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${url}/v1/messages`,
      { method: "POST", agent, headers: { ...headers, "content-length": body.byteLength } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on("end", resolve).on("error", reject);
      },
    );
    outgoing.on("error", reject).end(body);
  });

/** Requests per second over so many connections, each sending the next request when it has its answer. */
async function measure(url, request) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const body = Buffer.from(JSON.stringify(request));
  const run = async (milliseconds) => {
    const end = performance.now() + milliseconds;
    let answered = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() < end) {
          await send(agent, { url, body });
          answered += 1;
        }
      }),
    );
    return answered;
  };
  await run(WARM_UP_MS);
  const started = performance.now();
  const answered = await run(MEASURED_MS);
  agent.destroy();
  return (answered * 1000) / (performance.now() - started);
}

/** Named figures: what the simulator answers over a socket, client and server sharing one process. */
export async function simulatorSocketBench() {
  const simulator = createSimulator({ player: createEchoPlayer() });
  const server = await startSimulatorServer({ app: createSimulatorApp({ simulator }) });
  try {
    const cases = [
      { name: "small request", request: small },
      { name: "small request, streamed", request: { ...small, stream: true } },
      { name: "100 KB request", request: large },
    ];
    const figures = [];
    for (const { name, request } of cases) {
      const value = await measure(server.url, request);
      figures.push({ name: `simulator over a socket: ${name}`, value, unit: "requests/s" });
    }
    return figures;
  } finally {
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await simulatorSocketBench());
