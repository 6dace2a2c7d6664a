import { createUserMessage, type Message } from "@palimpsest/core";
import { endOf, untilAnswered } from "@palimpsest/core/engine";
import { createMemoryNotesStore, keepNotes, notesTemplate } from "@palimpsest/core/notes";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";
import { madeUpMessages, startConversation } from "./made-up-conversation.js";
import { MODEL, OUTPUT_LINE, readCall, toolResult } from "./made-up-message.js";
import { compareSizes, median, microsecondsSince, spreadOf, type Spread } from "./timing.js";

const TURNS = 200;
const COMPACTIONS = 15;

/** Milliseconds of one `prepare`, turn by turn, at a given length; the first one after a resume is left out. */
async function measureTurns(messages: number): Promise<Spread> {
  // Nothing but the window's own threshold: plain turns are measured.
  const settings = { compactEarly: false };
  const conversation = startConversation(madeUpMessages({ messages, bytes: 100 }), { settings });
  const costs: number[] = [];
  let tokens = 100_000;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const id = `toolu_new_${turn}`;
    const usage = {
      input_tokens: 3,
      output_tokens: 30,
      cache_read_input_tokens: tokens,
      cache_creation_input_tokens: 100,
    };
    tokens += 100;
    const response = {
      id: `msg_new_${turn}`,
      type: "message",
      role: "assistant",
      model: MODEL,
      content: [readCall(id, `/new/${turn}.ts`)],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage,
    } as const;
    const end = await endOf(
      untilAnswered({
        async prepare() {
          const started = process.hrtime.bigint();
          const prepared = await conversation.prepare();
          const cost = microsecondsSince(started) / 1000;
          if (turn > 0) costs.push(cost);
          if (prepared.steps.length > 0) throw new Error("not a plain turn");
          return prepared;
        },
        send: async () => ({ kind: "response", response }) as const,
        observe: (prepared, outcome) => conversation.observe(prepared, outcome),
      }),
    );
    if (end.kind !== "accepted") throw new Error("not accepted");
    const content = [toolResult(id, OUTPUT_LINE.repeat(36))];
    await conversation.append(createUserMessage(conversation.origin(), { content }));
  }
  return spreadOf(costs);
}

/** Bytes that the engine holds beside the live messages, as a share of theirs. */
async function measureMemory(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = (): number => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const empty = heap();
  const messages = madeUpMessages({ messages: 10_000, bytes: 250 }).map(
    (message) => JSON.parse(JSON.stringify(message)) as Message,
  );
  const before = heap();
  const conversation = startConversation(messages, { settings: { disableCompact: true } });
  await conversation.prepare();
  const after = heap();
  if (conversation.live.length !== messages.length) throw new Error("it was compacted");
  return (after - before) / (before - empty);
}

/** Milliseconds of CPU that a compaction from notes takes in a full window of 200K. */
async function measureNotes(): Promise<number> {
  const store = createMemoryNotesStore();
  const noted = "- something that was noted down\n".repeat(60);
  await store.write(notesTemplate.replaceAll(/^(_.*_)$/gm, `$1\n${noted}`));
  const messages = madeUpMessages({ messages: 100, bytes: 12_000 });
  const [covered, , last] = messages.slice(-3);
  if (covered === undefined || last === undefined) throw new Error("unreachable");
  // As the transcript says how far the notes reach.
  const record = {
    uuid: "record",
    parentUuid: last.uuid,
    sessionId: last.sessionId,
    timestamp: last.timestamp,
    type: "system",
    subtype: "session_memory",
    notesMetadata: { coveredUuid: covered.uuid, tokens: 100_000 },
  } as const;
  const conversation = startConversation([...messages, record], {
    settings: { notes: true, window: 200_000, clearSizeBelow: 0.01 },
    notes: keepNotes({ store }),
  });
  const before = process.cpuUsage();
  const prepared = await conversation.prepare();
  const { user, system } = process.cpuUsage(before);
  if (prepared.steps[0]?.tier !== "notes") throw new Error("not from the notes");
  return (user + system) / 1000;
}

/** What a turn costs in the whole engine, how that grows, what a compaction costs, and what the engine holds. */
export const conversationBenchmark: Benchmark = {
  name: "conversation",
  needsRecordings: false,
  async *run(): AsyncGenerator<Figure> {
    yield { name: "conversation.memory.10000", value: await measureMemory(), unit: "ratio" };
    const fromNotes: number[] = [];
    for (let run = 0; run < COMPACTIONS; run += 1) fromNotes.push(await measureNotes());
    yield { name: "conversation.notes.compaction.median", value: median(fromNotes), unit: "ms" };
    yield { name: "conversation.notes.compaction.worst", value: Math.max(...fromNotes), unit: "ms" };
    for (let warmUp = 0; warmUp < 3; warmUp += 1) await measureTurns(1000);
    const at = await compareSizes({ sizes: [1000, 10_000], runs: 7, measure: measureTurns });
    for (const size of [1000, 10_000] as const) {
      yield { name: `conversation.prepare.${size}.median`, value: at[size].median, unit: "ms" };
      yield { name: `conversation.prepare.${size}.p99`, value: at[size].p99, unit: "ms" };
    }
    const ratio = at[10_000].median / at[1000].median;
    yield { name: "conversation.prepare.ratio.10000to1000", value: ratio, unit: "ratio" };
  },
};
