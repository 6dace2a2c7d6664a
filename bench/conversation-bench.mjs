import {
  createConversation,
  createMemoryNotesStore,
  createUserMessage,
  messagesApiCapabilities,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { keepNotes, notesTemplate } from "@palimpsest/core/notes";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const LINE = "a line of some tool's output, about as long as they are\n";

/** Live messages of a conversation of this length: calls, results, now and then a word of the person. */
function conversationOf(count, bytes) {
  const messages = [];
  const base = (type) => ({
    type,
    uuid: `m${messages.length}`,
    parentUuid: messages.length === 0 ? null : `m${messages.length - 1}`,
    sessionId: "bench",
    timestamp: "2026-11-15T10:00:00.000Z",
  });
  messages.push({ ...base("user"), message: { role: "user", content: "begin" } });
  for (let round = 0; messages.length < count; round += 1) {
    const id = `toolu_${round}`;
    const call = { type: "tool_use", id, name: "Read", input: { file_path: `/src/${round}.ts` } };
    const message = { id: `msg_${round}`, role: "assistant", model: "claude-opus-5", content: [call] };
    messages.push({ ...base("assistant"), message });
    const content = `${round}\n${LINE.repeat(Math.ceil(bytes / LINE.length))}`;
    messages.push({
      ...base("user"),
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    });
  }
  return messages;
}

function start(messages, settings = {}, more = {}) {
  let ids = 0;
  const tools = Array.from({ length: 30 }, (_, index) => ({
    definition: {
      name: `Tool${index}`,
      description: "does something useful. ".repeat(40),
      input_schema: { type: "object" },
    },
  }));
  return createConversation(
    {
      model: "claude-opus-5",
      maxTokens: 8000,
      sessionId: "bench",
      clock: { now: () => Date.UTC(2026, 10, 15, 10, 0, 10) },
      ids: { next: () => `n${(ids += 1)}` },
      compaction,
      capabilities: messagesApiCapabilities,
      settings,
      system: { custom: "rules of the house. ".repeat(500) },
      tools: () => tools,
      ...more,
    },
    messages,
  );
}

/** Milliseconds of one `prepare`, turn by turn, at a given length; the first one behind a resume is left out. */
async function measure(count) {
  const conversation = start(conversationOf(count, 100));
  const costs = [];
  let tokens = 100_000;
  for (let turn = 0; turn < 200; turn += 1) {
    const started = process.hrtime.bigint();
    const prepared = await conversation.prepare();
    const ended = process.hrtime.bigint();
    if (turn > 0) costs.push(Number(ended - started) / 1e6);
    if (prepared.kind !== "request" || prepared.steps.length > 0) throw new Error("not a plain turn");
    const id = `toolu_new_${turn}`;
    tokens += 100;
    const response = {
      id: `msg_new_${turn}`,
      type: "message",
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "tool_use", id, name: "Read", input: { file_path: `/new/${turn}.ts` } }],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 3,
        output_tokens: 30,
        cache_read_input_tokens: tokens - 100,
        cache_creation_input_tokens: 100,
      },
    };
    const observed = await conversation.observe(prepared, { kind: "response", response });
    if (observed.kind !== "accepted") throw new Error("not accepted");
    const result = { type: "tool_result", tool_use_id: id, content: LINE.repeat(36) };
    await conversation.append(createUserMessage(conversation.origin(), { content: [result] }));
  }
  return { median: percentile(costs, 0.5), p99: percentile(costs, 0.99) };
}

/** Bytes that the engine holds beside the live messages, as a share of theirs. */
async function measureMemory() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const heap = () => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const empty = heap();
  const messages = conversationOf(10_000, 250).map((message) => JSON.parse(JSON.stringify(message)));
  const before = heap();
  const conversation = start(messages, { disableCompact: true });
  await conversation.prepare();
  const after = heap();
  if (conversation.live.length !== messages.length) throw new Error("it was compacted");
  return (after - before) / (before - empty);
}

/** Milliseconds of CPU that a compaction from notes takes in a full window of 200K. */
async function measureNotes() {
  const store = createMemoryNotesStore();
  await store.write(
    notesTemplate.replaceAll(/^(_.*_)$/gm, `$1\n${"- something that was noted down\n".repeat(60)}`),
  );
  const messages = conversationOf(100, 12_000);
  const covered = messages.at(-3).uuid;
  const record = {
    ...messages.at(-1),
    uuid: "record",
    parentUuid: messages.at(-1).uuid,
    type: "system",
    subtype: "session_memory",
    notesMetadata: { coveredUuid: covered, tokens: 100_000 },
  };
  delete record.message;
  const settings = { notes: true, window: 200_000, clearSizeBelow: 0.01 };
  const conversation = start([...messages, record], settings, { notes: keepNotes({ store }) });
  const before = process.cpuUsage();
  const prepared = await conversation.prepare();
  const { user, system } = process.cpuUsage(before);
  if (prepared.steps[0]?.tier !== "notes") throw new Error("not from the notes");
  return (user + system) / 1000;
}

/** Named figures: what a turn costs in the whole engine, how that grows, and what the engine holds. */
export async function conversationBench() {
  const memory = await measureMemory();
  const fromNotes = [];
  for (let run = 0; run < 15; run += 1) fromNotes.push(await measureNotes());
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await measure(1000);
  const sizes = [1000, 10_000];
  const runs = [];
  for (let run = 0; run < 7; run += 1) runs.push([await measure(sizes[0]), await measure(sizes[1])]);
  const typical = sizes.map((_, index) => ({
    median: percentile(
      runs.map((run) => run[index].median),
      0.5,
    ),
    p99: percentile(
      runs.map((run) => run[index].p99),
      0.5,
    ),
  }));
  return [
    ...sizes.flatMap((size, index) => [
      { name: `conversation.prepare.${size}.median`, value: typical[index].median, unit: "ms" },
      { name: `conversation.prepare.${size}.p99`, value: typical[index].p99, unit: "ms" },
    ]),
    {
      name: "conversation.prepare.ratio.10000to1000",
      value: typical[1].median / typical[0].median,
      unit: "×",
    },
    { name: "conversation.notes.compaction.median", value: percentile(fromNotes, 0.5), unit: "ms of CPU" },
    { name: "conversation.notes.compaction.worst", value: Math.max(...fromNotes), unit: "ms of CPU" },
    { name: "conversation.memory.10000", value: memory, unit: "× of the live messages" },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await conversationBench());
