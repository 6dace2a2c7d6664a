import { createSimulator } from "../simulator/core/create-simulator.js";
import type { Player } from "../simulator/player.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { median, microsecondsSince } from "./timing.js";

const TURNS = 1000;
const RUNS = 9;
const marker = { cache_control: { type: "ephemeral" } };
const player: Player = {
  answer: (prompt) => ({ answer: { content: [{ type: "text", text: "done" }] }, memory: prompt.sequence }),
};

interface Conversation {
  /** Microseconds, turn by turn. */
  readonly costs: readonly number[];
  /** At the end. */
  readonly promptTokens: number;
}

/** One conversation as an agent sends it: objects reused, the marker moving along. */
function conversation(): Conversation {
  const simulator = createSimulator({ player });
  const tools = [
    { name: "Bash", description: "Runs a command. ".repeat(40), input_schema: { type: "object" } },
  ];
  const system = [{ type: "text", text: "You are an agent. ".repeat(1000), ...marker }];
  const messages: object[] = [{ role: "user", content: [{ type: "text", text: "begin" }] }];
  const costs: number[] = [];
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
    costs.push(microsecondsSince(started));
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    if (turn > 2 && outcome.verdict.hit === null) throw new Error(`turn ${turn} missed the cache`);
    ({ promptTokens } = outcome.verdict);
    simulator.advance(1000);
  }
  return { costs, promptTokens };
}

/** What a turn of the simulated API costs early and late in a conversation of 1,000 turns. */
export const simulatorCoreBenchmark: Benchmark = {
  name: "simulator.core",
  needsRecordings: false,
  *run(): Generator<Figure> {
    const { promptTokens } = conversation();
    yield { name: "simulator.core.promptTokens.last", value: promptTokens, unit: "tokens" };
    const runs = Array.from({ length: RUNS }, conversation);
    const around = (turn: number): number =>
      median(runs.flatMap(({ costs }) => costs.slice(turn - 6, turn + 4)));
    const [early, late] = [around(10), around(TURNS - 5)];
    yield { name: "simulator.core.turn.10", value: early, unit: "µs" };
    yield { name: "simulator.core.turn.500", value: around(500), unit: "µs" };
    yield { name: "simulator.core.turn.1000", value: late, unit: "µs" };
    yield { name: "simulator.core.ratio.1000to10", value: late / early, unit: "ratio" };
  },
};
