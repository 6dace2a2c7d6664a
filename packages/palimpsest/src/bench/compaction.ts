import { messagesApiCapabilities, type Message, type ModelProvider } from "@palimpsest/core";
import { readFileSync } from "node:fs";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { startConversation } from "./made-up-conversation.js";
import { assistantMessage, MODEL, readCall, toolResult, userMessage } from "./made-up-message.js";
import { createRandom } from "./random.js";
import { median } from "./timing.js";

const SIZES = [
  { name: "200K", tokens: 180_000, window: 200_000 },
  { name: "1M", tokens: 900_000, window: 1_000_000 },
] as const;
const RUNS = 7;
/** Of text such as it is made here. */
const CHARACTERS_PER_TOKEN = 3.3;
const WORDS =
  "the quick parser reads a token then walks the tree of src/engine/measure.ts and writes what_it_found into cacheKey before it returns".split(
    " ",
  );

/** A conversation about files: calls, results of some lines, and every few rounds what a person wants. */
function madeUpWork(tokens: number): readonly Message[] {
  const random = createRandom(tokens);
  const line = (): string =>
    `${Array.from({ length: 12 }, () => random.pick(WORDS)).join(" ")} ${random.below(1e9).toString(36)}`;
  const messages: Message[] = [userMessage({ uuid: "m0" }, "Work through everything, and begin at the top.")];
  const place = () => ({ uuid: `m${messages.length}`, parentUuid: `m${messages.length - 1}` });
  let characters = 0;
  for (let round = 0; characters < tokens * CHARACTERS_PER_TOKEN; round += 1) {
    const id = `toolu_${round}`;
    const content = [
      { type: "text", text: `Step ${round} comes next.` } as const,
      readCall(id, `/src/part-${round % 40}/file-${round}.ts`),
    ];
    messages.push(assistantMessage(place(), { id: `msg_${round}`, content }));
    const text = Array.from({ length: 80 }, line).join("\n");
    messages.push(userMessage(place(), [toolResult(id, text)]));
    if (round % 7 === 0) messages.push(userMessage(place(), `And think of this: ${line()}`));
    characters += text.length;
  }
  return messages;
}

/** Milliseconds that this thread has run; elsewhere than on Linux, that have passed. */
function ownMilliseconds(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

interface Measured {
  /** All of it. */
  readonly cpu: number;
  /** The longest time in which nothing else could run. */
  readonly block: number;
  readonly summary: string;
}

async function compactOnce(
  messages: readonly Message[],
  window: number,
  provider?: ModelProvider,
): Promise<Measured> {
  const conversation = startConversation(messages, {
    settings: { window },
    ...(provider === undefined ? {} : { provider }),
  });
  await turnOfTheLoop();
  const turns = { isOver: false, longest: 0 };
  const watching = (async () => {
    for (let last = ownMilliseconds(); !turns.isOver;) {
      await turnOfTheLoop();
      const now = ownMilliseconds();
      turns.longest = Math.max(turns.longest, now - last);
      last = now;
    }
  })();
  const started = ownMilliseconds();
  const outcome = await conversation.compact();
  const cpu = ownMilliseconds() - started;
  await turnOfTheLoop();
  turns.isOver = true;
  await watching;
  if (outcome.kind !== "compacted") throw new Error(`it was not compacted: ${outcome.message}`);
  const written = conversation.live.find((message) => message.type === "user" && message.isCompactSummary);
  const content = written?.type === "user" ? written.message.content : "";
  return {
    cpu,
    block: turns.longest,
    summary: typeof content === "string" ? content : JSON.stringify(content),
  };
}

/** A model that has written this summary. */
const summarising = (text: string): ModelProvider => ({
  name: "made up",
  capabilities: () => messagesApiCapabilities,
  async *stream() {
    await turnOfTheLoop();
    yield {
      kind: "message",
      message: {
        id: "msg_summary",
        type: "message",
        role: "assistant",
        model: MODEL,
        content: [{ type: "text", text: `<summary>\n${text}\n</summary>` }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 2000 },
      },
    };
  },
});

/** What a compaction costs the process, and how long it keeps it from everything else, with a model and without one. */
export const compactionBenchmark: Benchmark = {
  name: "compaction",
  needsRecordings: false,
  async *run(): AsyncGenerator<Figure> {
    for (const { name, tokens, window } of SIZES) {
      const messages = madeUpWork(tokens);
      // Nothing is compiled yet: what a person meets who compacts once.
      const { summary, block } = await compactOnce(messages, window);
      yield { name: `compaction.${name}.first.block`, value: block, unit: "ms" };
      for (const [writer, provider] of [
        ["model", summarising(summary)],
        ["extractive", undefined],
      ] as const) {
        const runs: Measured[] = [];
        for (let run = 0; run < RUNS; run += 1) runs.push(await compactOnce(messages, window, provider));
        const cpus = runs.map(({ cpu }) => cpu);
        const blocks = runs.map(({ block }) => block);
        yield { name: `compaction.${name}.${writer}.cpu.median`, value: median(cpus), unit: "ms" };
        yield { name: `compaction.${name}.${writer}.cpu.worst`, value: Math.max(...cpus), unit: "ms" };
        yield { name: `compaction.${name}.${writer}.block.worst`, value: Math.max(...blocks), unit: "ms" };
      }
    }
  },
};
