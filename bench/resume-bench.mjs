/**
 * What resuming a long conversation costs: `readLive` against reading and linking everything. Each figure
 * comes from a process of its own, so that peak memory is that of the one way of reading.
 *
 *   npm run build && node bench/resume-bench.mjs
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { liveMessages } from "@palimpsest/core";
import { conversationBuilder } from "@palimpsest/core/testing";
import { createJsonlStore } from "palimpsest/stores";

const MEGABYTE = 1024 * 1024;
const FILE_SIZE = 100 * MEGABYTE;
const LIVE_SIZE = 400 * 1024;
const RUNS = { live: 15, all: 5 };

/** @returns {Promise<readonly { name: string, value: number, unit: string }[]>} */
export async function resumeBench() {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-resume-"));
  try {
    await generate(directory, { id: "plain", hasSegment: false });
    await generate(directory, { id: "segment", hasSegment: true });
    const figures = [];
    for (const id of ["plain", "segment"]) {
      const { size } = await stat(join(directory, `${id}.jsonl`));
      const live = await measureApart(directory, id, "live");
      const all = await measureApart(directory, id, "all");
      if (live.messages !== all.messages) {
        throw new Error(
          `readLive gave ${live.messages} messages of ${id}, all of it linked gives ${all.messages}`,
        );
      }
      const label = id === "plain" ? "resume after a compaction" : "resume with a kept segment mid-file";
      figures.push(
        { name: `${label}: file`, value: round(size / MEGABYTE), unit: "MB" },
        { name: `${label}: live messages`, value: live.messages, unit: "messages" },
        { name: `${label}: readLive, median`, value: round(live.median), unit: "ms" },
        { name: `${label}: readLive, first call`, value: round(live.first), unit: "ms" },
        { name: `${label}: reading all, median`, value: round(all.median), unit: "ms" },
        { name: `${label}: faster by`, value: round(all.median / live.median), unit: "x" },
        { name: `${label}: readLive, peak memory`, value: round(live.peak), unit: "MB" },
        { name: `${label}: reading all, peak memory`, value: round(all.peak), unit: "MB" },
      );
    }
    const idle = await measureApart(directory, "plain", "nothing");
    figures.push({
      name: "resume: peak memory of a process that reads nothing",
      value: round(idle.peak),
      unit: "MB",
    });
    return figures;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const round = (value) => Math.round(value * 100) / 100;

/** Text that is not one letter over and over, so that it parses like text. */
const paragraph = (seed) => `Line ${seed}: the quick brown "fox" jumps över\n\tthe lazy dog. `.repeat(25);

function chatter(talk, size) {
  const messages = [];
  for (let bytes = 0, count = 0; bytes < size; count += 1) {
    const message = count % 2 === 0 ? talk.user(paragraph(count)) : talk.assistant(paragraph(count));
    messages.push(message);
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
  }
  return messages;
}

/** A boundary near the file's end; with a segment, what it keeps lies in the middle. */
async function generate(directory, { id, hasSegment }) {
  const talk = conversationBuilder();
  const writer = await createJsonlStore({ directory }).open(id);
  const fill = async (size) => {
    for (let bytes = 0; bytes < size; bytes += MEGABYTE) await writer.append(chatter(talk, MEGABYTE));
  };
  await fill(FILE_SIZE / 2);
  await writer.append(talk.compaction());
  const kept = chatter(talk, LIVE_SIZE / 2);
  await writer.append(kept);
  await fill(FILE_SIZE / 2);
  const segment = { head: kept[0], tail: kept.at(-1), place: "before-boundary" };
  await writer.append(talk.compaction(hasSegment ? segment : undefined));
  await writer.append(chatter(talk, hasSegment ? LIVE_SIZE / 2 : LIVE_SIZE));
  await writer.close();
}

async function measureApart(directory, id, way) {
  const parameters = [fileURLToPath(import.meta.url), "--measure", directory, id, way];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout);
}

async function measure(directory, id, way) {
  const store = createJsonlStore({ directory });
  const read = {
    live: async () => (await store.readLive(id)).messages.length,
    all: async () => liveMessages((await store.readAll(id)).messages).length,
    nothing: async () => 0,
  }[way];
  const times = [];
  let messages = 0;
  for (let run = 0; run < (RUNS[way] ?? 1); run += 1) {
    const start = performance.now();
    messages = await read();
    times.push(performance.now() - start);
  }
  const median = times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)];
  return { messages, median, first: times[0], peak: process.resourceUsage().maxRSS / 1024 };
}

if (process.argv[2] === "--measure") {
  process.stdout.write(JSON.stringify(await measure(...process.argv.slice(3))));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.table(await resumeBench());
}
