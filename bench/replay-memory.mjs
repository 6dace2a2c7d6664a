/**
 * What it takes to go through a long recording round by round: 100 MB in the shape of each format that is read
 * in pieces. Each figure comes from a process of its own.
 *
 *   npm run build && node bench/replay-memory.mjs
 */
import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openConversation } from "palimpsest/replay";

const MEGABYTE = 1024 * 1024;
const FILE_SIZE = 100 * MEGABYTE;
/** Every so many rounds the made-up recording was compacted. */
const COMPACTED_EVERY = 400;

/** What it takes to open a recording of 100 MB and to go through it once. */
export const readingBench = {
  name: "reading",
  async *run() {
    const directory = await mkdtemp(join(tmpdir(), "palimpsest-replay-"));
    try {
      const idle = await measureApart("nothing");
      for (const [format, linesOf] of Object.entries(formats)) {
        const path = join(directory, `${format}.jsonl`);
        await write(path, linesOf);
        const { rounds, undone, peak, milliseconds } = await measureApart(path);
        const name = `reading.${format}.100MB`;
        yield { name: `${name}.rounds`, value: rounds, unit: "rounds" };
        yield { name: `${name}.undone`, value: undone, unit: "compactions" };
        yield { name: `${name}.growth`, value: peak - idle.peak, unit: "MB" };
        yield { name: `${name}.time`, value: milliseconds, unit: "ms" };
        await rm(path);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

const timestamp = (round) => new Date(1_800_000_000_000 + round * 30_000).toISOString();
const output = (round) =>
  `Line ${round}: the quick brown "fox" jumps över\n\tthe lazy dog. `.repeat(20 + (round % 60));

/** For each format: the lines of its head, and those of one round. */
const formats = {
  "claude-code"(round) {
    const base = { sessionId: "s", timestamp: timestamp(round), isSidechain: false };
    const model = "claude-opus-4-5";
    const usage = { input_tokens: 10, cache_read_input_tokens: 20_000, output_tokens: 50 };
    const asks = {
      type: "tool_use",
      id: `t${round}`,
      name: "Read",
      input: { file_path: `/src/${round}.ts` },
    };
    const result = { type: "tool_result", tool_use_id: `t${round}`, content: output(round) };
    const lines = [];
    let parentUuid = round === 0 ? null : `r${round - 1}`;
    const add = (line) => {
      lines.push({ parentUuid, ...base, ...line });
      parentUuid = line.uuid;
    };
    if (round === 0) add({ type: "user", uuid: "u", message: { role: "user", content: "begin" } });
    if (round % COMPACTED_EVERY === COMPACTED_EVERY - 1) {
      const logicalParentUuid = parentUuid;
      parentUuid = null;
      add({ type: "system", subtype: "compact_boundary", uuid: `b${round}`, logicalParentUuid });
      const message = { role: "user", content: "What happened so far." };
      add({ type: "user", uuid: `s${round}`, isCompactSummary: true, message });
    }
    for (const [piece, block] of [{ type: "text", text: `Reading ${round}.` }, asks].entries()) {
      const message = { id: `m${round}`, role: "assistant", model, usage, content: [block] };
      add({ type: "assistant", uuid: `a${round}.${piece}`, message });
    }
    const toolUseResult = { file: { content: result.content } };
    add({ type: "user", uuid: `r${round}`, message: { role: "user", content: [result] }, toolUseResult });
    return lines;
  },

  codex(round) {
    const line = (type, payload) => ({ timestamp: timestamp(round), type, payload });
    const input = [{ type: "input_text", text: "begin" }];
    const history = [{ type: "message", role: "user", content: input }];
    return [
      ...(round === 0
        ? [
            line("session_meta", { id: "c" }),
            line("turn_context", { model: "gpt-5.5" }),
            line("response_item", { type: "message", role: "user", content: input }),
            line("event_msg", { type: "user_message", message: "begin" }),
          ]
        : []),
      ...(round % COMPACTED_EVERY === COMPACTED_EVERY - 1
        ? [line("compacted", { message: "What happened so far.", replacement_history: history })]
        : []),
      line("response_item", { type: "function_call", name: "exec", arguments: "{}", call_id: `c${round}` }),
      line("response_item", { type: "function_call_output", call_id: `c${round}`, output: output(round) }),
      line("event_msg", {
        type: "token_count",
        info: { last_token_usage: { input_tokens: 9, output_tokens: 5 } },
      }),
    ];
  },

  pi(round) {
    const entry = (id, parentId, more) => ({ id, parentId, timestamp: timestamp(round), ...more });
    const isCompacted = round > 0 && round % COMPACTED_EVERY === 0;
    const before = round === 0 ? "u" : `r${round - 1}`;
    const call = { type: "toolCall", id: `t${round}`, name: "read", arguments: { path: `${round}` } };
    const answer = {
      role: "assistant",
      api: "anthropic-messages",
      model: "claude-opus-4-5",
      content: [call],
    };
    const content = [{ type: "text", text: output(round) }];
    const compaction = { type: "compaction", summary: "so far", firstKeptEntryId: `a${round - 5}` };
    return [
      ...(round === 0
        ? [
            { type: "session", version: 3, id: "p", cwd: "/work", timestamp: timestamp(0) },
            entry("u", null, { type: "message", message: { role: "user", content: "begin" } }),
          ]
        : []),
      ...(isCompacted ? [entry(`k${round}`, before, compaction)] : []),
      entry(`a${round}`, isCompacted ? `k${round}` : before, { type: "message", message: answer }),
      entry(`r${round}`, `a${round}`, {
        type: "message",
        message: { role: "toolResult", toolCallId: `t${round}`, content },
      }),
    ];
  },
};

async function write(path, linesOf) {
  const stream = createWriteStream(path);
  for (let round = 0, bytes = 0; bytes < FILE_SIZE; round += 1) {
    const text = linesOf(round)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
    bytes += Buffer.byteLength(text);
    if (!stream.write(text)) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "finish");
}

async function measureApart(path) {
  const parameters = [fileURLToPath(import.meta.url), "--measure", path];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout);
}

async function measure(path) {
  const start = performance.now();
  let rounds = 0;
  let undone = 0;
  if (path !== "nothing") {
    const conversation = await openConversation(path);
    for await (const round of conversation.rounds()) if (round.response.content.length > 0) rounds += 1;
    if (rounds !== conversation.overview.rounds) throw new Error("the overview counts other rounds");
    undone = conversation.overview.undoneCompactions;
  }
  const peak = process.resourceUsage().maxRSS / 1024;
  return { rounds, undone, peak, milliseconds: performance.now() - start };
}

if (process.argv[2] === "--measure") {
  process.stdout.write(JSON.stringify(await measure(process.argv[3])));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for await (const figure of readingBench.run()) console.log(figure);
}
