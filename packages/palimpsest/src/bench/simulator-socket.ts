import { Agent, request as httpRequest } from "node:http";
import { createSimulator } from "../simulator/core/create-simulator.js";
import { createSimulatorApp } from "../simulator/http/app.js";
import { startSimulatorServer } from "../simulator/http/node-server.js";
import { createEchoPlayer } from "../simulator/players/echo-player.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";

const CONNECTIONS = 8;
const WARM_UP_MS = 500;
const MEASURED_MS = 2000;

const headers = {
  "x-api-key": "any",
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
};

const small = { model: "claude-opus-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] };

const toolRound = (round: number): readonly object[] => {
  const id = `toolu_${round}`;
  const content = `${round}: a line of some tool's output, about as long as they are\n`.repeat(65);
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { round } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
};

/** 100 KB as an agent's request has them: a marked system prompt, and 25 tool rounds of 4 KB. */
const large = {
  ...small,
  system: [{ type: "text", text: "You are careful. ".repeat(100), cache_control: { type: "ephemeral" } }],
  tools: [{ name: "read", input_schema: { type: "object" } }],
  messages: [...small.messages, ...Array.from({ length: 25 }, (_, round) => toolRound(round)).flat()],
};

const requests: Readonly<Record<string, object>> = {
  small,
  "small-streamed": { ...small, stream: true },
  "100KB": large,
};

/** Sends one request over a kept connection and reads the whole answer. */
const send = (
  url: string,
  { agent, body }: { readonly agent: Agent; readonly body: Buffer },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${url}/v1/messages`,
      { method: "POST", agent, headers: { ...headers, "content-length": body.byteLength } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`the simulator answered ${response.statusCode}`));
        response.resume().on("end", resolve).on("error", reject);
      },
    );
    outgoing.on("error", reject).end(body);
  });

/** Requests per second over so many connections, each sending the next request when it has its answer. */
async function measure(url: string, request: object): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const body = Buffer.from(JSON.stringify(request));
  const run = async (milliseconds: number): Promise<number> => {
    const end = performance.now() + milliseconds;
    let answered = 0;
    const connection = async (): Promise<void> => {
      while (performance.now() < end) {
        await send(url, { agent, body });
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    return answered;
  };
  try {
    await run(WARM_UP_MS);
    const started = performance.now();
    const answered = await run(MEASURED_MS);
    return (answered * 1000) / (performance.now() - started);
  } finally {
    agent.destroy();
  }
}

/** What the simulator answers over a socket, client and server sharing one process. */
export const simulatorSocketBenchmark: Benchmark = {
  name: "simulator.socket",
  needsRecordings: false,
  async *run(): AsyncGenerator<Figure> {
    const simulator = createSimulator({ player: createEchoPlayer() });
    const server = await startSimulatorServer({ app: createSimulatorApp({ simulator }) });
    try {
      for (const [name, request] of Object.entries(requests)) {
        const value = await measure(server.url, request);
        yield { name: `simulator.socket.${name}`, value, unit: "requests/s" };
      }
    } finally {
      await server.close();
    }
  },
};
