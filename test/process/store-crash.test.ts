import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isCompactBoundary, type Message } from "@palimpsest/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";

const WRITERS = 200;
const AT_A_TIME = 4;
const CONVERSATIONS = 40;
const ROUNDS = 30;

const script = fileURLToPath(new URL("store-writer.mjs", import.meta.url));

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-crash-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const start = (...parameters: readonly string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [script, ...parameters]);

interface Killed {
  /** What was acknowledged before the end. */
  readonly uuids: readonly string[];
  readonly complaints: string;
}

/** Lets a writer run for a random while, some only until they are about to open, and kills it. */
async function killWriter(conversation: string): Promise<Killed> {
  const child = start("append", directory, conversation);
  let output = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const closed = once(child, "close");
  if (Math.random() < 0.8) {
    await Promise.race([once(child.stdout, "data"), closed]);
    await sleep(Math.random() * 60);
  } else {
    await sleep(40 + Math.random() * 120);
  }
  child.kill("SIGKILL");
  await closed;
  const whole = output.slice(0, output.lastIndexOf("\n") + 1);
  return { uuids: whole.split(/\s+/).filter((word) => word.includes("-")), complaints };
}

/** What a writer lists of its messages. */
const saidIn = (messages: readonly Message[]): readonly unknown[] =>
  messages.flatMap((message) => {
    const content = message.type === "user" ? message.message.content : undefined;
    return typeof content === "string" && content.length < 3000
      ? [{ uuid: message.uuid, text: content }]
      : [];
  });

describe("writers that are killed", () => {
  it(`${WRITERS} at random instants lose nothing that was acknowledged, and the next can open`, async () => {
    const acknowledged = new Map<string, string[]>();
    const complaints: string[] = [];
    let tornFiles = 0;
    let staleLocks = 0;
    let next = 0;
    let boundaries = 0;
    const store = createJsonlStore({ directory });
    const killAll = async (): Promise<void> => {
      for (let turn = next++; turn < WRITERS; turn = next++) {
        const conversation = `c${turn % CONVERSATIONS}`;
        const killed = await killWriter(conversation);
        complaints.push(killed.complaints);
        acknowledged.set(conversation, [...(acknowledged.get(conversation) ?? []), ...killed.uuids]);
        const names = await readdir(directory);
        if (names.includes(`${conversation}.lock`)) staleLocks += 1;
        if (!names.includes(`${conversation}.jsonl`)) continue;
        const bytes = await readFile(join(directory, `${conversation}.jsonl`));
        if (bytes.length > 0 && bytes.at(-1) !== 0x0a) tornFiles += 1;
        const { messages, damaged } = await store.readAll(conversation);
        expect(damaged).toEqual([]);
        const stored = new Set(messages.map(({ uuid }) => uuid));
        expect(acknowledged.get(conversation)?.filter((uuid) => !stored.has(uuid))).toEqual([]);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, killAll));

    expect(complaints.join("")).toBe("");
    const total = [...acknowledged.values()].reduce((sum, uuids) => sum + uuids.length, 0);
    expect(total).toBeGreaterThan(WRITERS);
    expect(staleLocks).toBeGreaterThan(WRITERS / 4);
    console.log(`${total} messages acknowledged, ${staleLocks} stale locks, ${tornFiles} torn last lines`);

    for (const [conversation, uuids] of acknowledged) {
      const writer = await store.open(conversation);
      await writer.close();
      const content = await readFile(join(directory, `${conversation}.jsonl`));
      expect(content.length === 0 || content.at(-1) === 0x0a).toBe(true);
      const { messages } = await store.readAll(conversation);
      const order = messages.map(({ uuid }) => uuid);
      expect(order.filter((uuid) => uuids.includes(uuid))).toEqual(uuids);
      const live = await store.readLive(conversation);
      expect(live.damaged).toEqual([]);
      for (const [at, boundary] of messages.entries()) {
        if (!isCompactBoundary(boundary)) continue;
        expect(boundary.compactMetadata?.["humanMessages"]).toEqual(saidIn(messages.slice(0, at)));
        boundaries += 1;
      }
      const last = messages.findLast(isCompactBoundary);
      expect(live.messages.filter(isCompactBoundary)).toEqual(last === undefined ? [] : [last]);
    }
    expect(boundaries).toBeGreaterThan(CONVERSATIONS);
    const left = (await readdir(directory)).filter((name) => name.endsWith(".lock"));
    expect(left).toEqual([]);
  });
});

describe("processes that race for a stale lock", () => {
  it(`one of two wins, ${ROUNDS} times`, async () => {
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    const racers = [start("take", directory), start("take", directory)].map((child) => {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        tell: (line: string) => child.stdin.write(`${line}\n`),
        hear: async (): Promise<unknown> => (await lines.next()).value,
        end: async () => {
          child.stdin.end();
          await once(child, "close");
        },
      };
    });
    const hearAll = (): Promise<unknown[]> => Promise.all(racers.map(({ hear }) => hear()));
    expect(await hearAll()).toEqual(["ready", "ready"]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const nonce = `00000000-0000-0000-0000-${String(round).padStart(12, "0")}`;
      const stale = { pid: dead, host: hostname(), time: new Date().toISOString(), nonce };
      await writeFile(join(directory, `race-${round}.lock`), JSON.stringify(stale));
      for (const { tell } of racers) tell(`race-${round}`);
      expect((await hearAll()).map(String).toSorted()).toEqual(["locked", "won"]);
      for (const { tell } of racers) tell("close");
      expect(await hearAll()).toEqual(["closed", "closed"]);
    }
    await Promise.all(racers.map(({ end }) => end()));
    expect(
      (await readdir(directory)).filter((name) => name.startsWith("race-") && name.includes(".lock")),
    ).toEqual([]);
  });
});

const canTrace = spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;

describe("durability disk, as the system sees it", () => {
  it.skipIf(!canTrace)(
    "fdatasync returns before the acknowledgement (skipped where strace cannot run)",
    async () => {
      const log = join(directory, "trace.log");
      const traced = spawnSync(
        "strace",
        ["-f", "-y", "-e", "trace=fdatasync,write", "-o", log].concat([
          process.execPath,
          script,
          "append-few",
          directory,
          "traced",
          "disk",
        ]),
        { encoding: "utf8", env: { ...process.env, UV_USE_IO_URING: "0" } },
      );
      expect(traced.stderr).toBe("");
      const acknowledgements = traced.stdout.split("\n").filter((line) => line.includes("-"));
      expect(acknowledgements).toHaveLength(5);
      expect(eventsIn(await readFile(log, "utf8"))).toEqual(
        Array.from({ length: 5 }, () => ["write", "fdatasync", "acknowledge"]).flat(),
      );
    },
  );
});

/** Writes to the transcript, syncs of it when they return, and uuids on stdout, in the trace's order. */
function eventsIn(trace: string): readonly string[] {
  const syncing = new Set<string>();
  return trace.split("\n").flatMap((line) => {
    const thread = line.split(" ")[0] ?? "";
    if (/ write\(\d+<[^>]*traced\.jsonl>/.test(line)) return ["write"];
    if (/ write\(1<.*"[0-9a-f]{8}-/.test(line)) return ["acknowledge"];
    if (/ fdatasync\(\d+<[^>]*traced\.jsonl>\)? <unfinished/.test(line)) {
      syncing.add(thread);
      return [];
    }
    if (/ fdatasync\(\d+<[^>]*traced\.jsonl>\) += 0/.test(line)) return ["fdatasync"];
    if (syncing.has(thread) && /fdatasync resumed.*= 0/.test(line)) {
      syncing.delete(thread);
      return ["fdatasync"];
    }
    return [];
  });
}
