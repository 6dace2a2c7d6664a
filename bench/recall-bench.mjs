/**
 * What it costs to find one fact again in a transcript of 50 MB: a needle near its start, in its middle, and
 * one that is not there. Each figure comes from a process of its own; the file is in the system's cache.
 *
 *   npm run build && node bench/recall-bench.mjs
 */
import { execFile } from "node:child_process";
import { open, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createRecallTool } from "../packages/palimpsest/dist/agent/tools/recall.js";

const MEGABYTE = 1024 * 1024;
const FILE_SIZE = 50 * MEGABYTE;
const RUNS = 9;

const QUERIES = {
  "needle at the start": { input: { query: "zirkonium port" }, finds: "4711" },
  "needle in the middle": { input: { query: '"Molybdän-Ofen"' }, finds: "4712" },
  "two common words and a needle": { input: { query: "the error zirkonium" }, finds: "4711" },
  "needle absent": { input: { query: "praseodymium" } },
  "needle absent, three letters": { input: { query: "xqz" } },
  "needle absent, Cyrillic": { input: { query: "протактиний" } },
  "a word of every message": { input: { query: "function" }, finds: "function" },
  "a whole result by its id": { input: { tool_use_id: "toolu_needle_start" }, finds: "4711" },
};

/** @returns {Promise<readonly { name: string, value: number, unit: string }[]>} */
export async function recallBench() {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-recall-"));
  try {
    const path = join(directory, "session.jsonl");
    await generate(path);
    await readFile(path);
    const figures = [{ name: "recall: transcript", value: (await stat(path)).size / MEGABYTE, unit: "MB" }];
    for (const name of Object.keys(QUERIES)) {
      const parameters = [fileURLToPath(import.meta.url), "--measure", path, name];
      const { stdout } = await promisify(execFile)(process.execPath, parameters);
      const { first, median, fastest, cpu, growth } = JSON.parse(stdout);
      figures.push(
        { name: `recall, ${name}: first call`, value: round(first), unit: "ms" },
        { name: `recall, ${name}: median`, value: round(median), unit: "ms" },
        { name: `recall, ${name}: fastest`, value: round(fastest), unit: "ms" },
        { name: `recall, ${name}: CPU`, value: round(cpu), unit: "ms" },
        { name: `recall, ${name}: RSS growth`, value: round(growth), unit: "MB" },
      );
    }
    return figures;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const round = (value) => Math.round(value * 10) / 10;

/** Source text, a coloured log and prose by turns; some pictures. */
function resultText(seed) {
  if (seed % 3 === 0)
    return `  ${seed}\texport function part${seed}(name: string): string {\n\t\treturn "the \\"quoted\\" ${seed}";\n}\n`.repeat(
      50,
    );
  if (seed % 3 === 1)
    return `\u001b[32m✓\u001b[0m test ${seed} passed (${seed % 97} ms)\r\n\u001b[31merror\u001b[0m: function gave ${seed}\n`.repeat(
      60,
    );
  return `Абзац ${seed}: the quick brown fox jumps över a function; naïve “quotes” – und so weiter.\n`.repeat(
    60,
  );
}

async function generate(path) {
  const file = await open(path, "w");
  let count = 0;
  let last = null;
  const line = (type, content, more = {}) => {
    count += 1;
    const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
    const base = { uuid, parentUuid: last, timestamp: new Date(1.79e12 + count * 1000).toISOString() };
    last = uuid;
    const message = { id: `msg_${count}`, role: type, model: "m", content };
    return `${JSON.stringify({ ...base, sessionId: "bench", type, message, ...more })}\n`;
  };
  const round = (id, text) =>
    line("assistant", [
      { type: "thinking", thinking: `thinking of ${id}`.repeat(20), signature: "c2ln".repeat(60) },
      { type: "tool_use", id, name: "Bash", input: { command: `run --id ${id}` } },
    ]) + line("user", [{ type: "tool_result", tool_use_id: id, content: text }]);
  const picture = (seed) => {
    const data = Buffer.alloc(200_000, Math.imul(seed, 2654435761).toString(36)).toString("base64");
    return line("user", [{ type: "image", source: { type: "base64", media_type: "image/png", data } }]);
  };
  const needle = `the error: ZIRKONIUM listens on port 4711\n`;
  await file.write(round("toolu_needle_start", `${resultText(1)}${needle}${resultText(2)}`));
  for (const end of [FILE_SIZE / 2, FILE_SIZE]) {
    for (let size = (await file.stat()).size; size < end;) {
      const text = `${round(`toolu_${count}`, resultText(count))}${count % 400 < 2 ? picture(count) : ""}`;
      size += (await file.write(text)).bytesWritten;
    }
    if (end === FILE_SIZE) break;
    await file.write(round("toolu_needle_middle", `${resultText(4)}MOLYBDÄN-Ofen: 4712\n`));
    await file.write(line("system", undefined, { subtype: "compact_boundary", content: "Compacted" }));
    await file.write(line("user", "A summary of what was done.", { isCompactSummary: true }));
  }
  await file.close();
}

async function measure(transcriptPath, name) {
  const { input, finds } = QUERIES[name];
  const tool = createRecallTool({ transcriptPath });
  const { signal } = new AbortController();
  // Loads the code, as a session has done; nothing is read.
  await tool.run({}, { signal });
  const before = process.memoryUsage().rss;
  const times = [];
  const cpuTimes = [];
  for (let run = 0; run < RUNS; run += 1) {
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    const { content } = await tool.run(input, { signal });
    times.push(performance.now() - start);
    const { user, system } = process.cpuUsage(cpuStart);
    cpuTimes.push((user + system) / 1000);
    if (!content.includes(finds ?? "Nothing in the transcript"))
      throw new Error(`${name}: ${JSON.stringify(content)}`);
  }
  const ordered = times.toSorted((left, right) => left - right);
  const growth = (process.resourceUsage().maxRSS * 1024 - before) / MEGABYTE;
  const cpu = cpuTimes.toSorted((left, right) => left - right)[Math.floor(RUNS / 2)];
  return { first: times[0], median: ordered[Math.floor(RUNS / 2)], fastest: ordered[0], cpu, growth };
}

if (process.argv[2] === "--measure") {
  process.stdout.write(JSON.stringify(await measure(...process.argv.slice(3))));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.table(await recallBench());
}
