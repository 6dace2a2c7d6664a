import { createSimulator } from "palimpsest/simulator";
import { fileURLToPath } from "node:url";

const TURNS = 1000;
const player = {
  answer: (prompt) => ({ answer: { content: [{ type: "text", text: "done" }] }, memory: prompt.sequence }),
};
const marker = { cache_control: { type: "ephemeral" } };
const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** One conversation as an agent sends it: objects reused, the marker moving along. Microseconds per turn. */
function conversation() {
  const simulator = createSimulator({ player });
  const tools = [
    { name: "Bash", description: "Runs a command. ".repeat(40), input_schema: { type: "object" } },
  ];
  const system = [{ type: "text", text: "You are an agent. ".repeat(1000), ...marker }];
  const messages = [{ role: "user", content: [{ type: "text", text: "begin" }] }];
  const costs = [];
  let promptTokens = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const call = { type: "tool_use", id: `toolu_${turn}`, name: "Bash", input: { command: `step ${turn}` } };
    const output = `line of output ${turn} of some command that was run\n`.repeat(6);
    const result = { type: "tool_result", tool_use_id: call.id, content: output };
    messages.push({ role: "assistant", content: [call] });
    const body = {
      model: "claude-opus-4-6",
      max_tokens: 1000,
      tools,
      system,
      messages: [...messages, { role: "user", content: [{ ...result, ...marker }] }],
    };
    messages.push({ role: "user", content: [result] });
    const started = process.hrtime.bigint();
    const outcome = simulator.call({
      endpoint: "messages",
      body,
      workspace: "k",
      betas: [],
      apiVersion: "2026-10-21",
    });
    costs.push(Number(process.hrtime.bigint() - started) / 1000);
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    if (turn > 2 && outcome.verdict.hit === null) throw new Error(`turn ${turn} missed the cache`);
    promptTokens = outcome.verdict.promptTokens;
    simulator.advance(1000);
  }
  return { costs, promptTokens };
}

/** Named figures with units: what a turn costs early and late in a conversation of 1,000 turns. */
export function simulatorCoreBench() {
  conversation();
  const runs = Array.from({ length: 9 }, conversation);
  const around = (turn) =>
    percentile(
      runs.flatMap(({ costs }) => costs.slice(turn - 6, turn + 4)),
      0.5,
    );
  const [early, late] = [around(10), around(TURNS - 5)];
  return [
    { name: "simulator.core.promptTokens.last", value: runs[0].promptTokens, unit: "tokens" },
    { name: "simulator.core.turn.10", value: early, unit: "µs" },
    { name: "simulator.core.turn.500", value: around(500), unit: "µs" },
    { name: "simulator.core.turn.1000", value: late, unit: "µs" },
    { name: "simulator.core.ratio.1000to10", value: late / early, unit: "×" },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(simulatorCoreBench());
