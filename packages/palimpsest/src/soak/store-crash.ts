import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isCompactBoundary } from "@palimpsest/core";
import { createJsonlStore } from "../stores/index.js";
import { ensure, ensureSame } from "./ensure.js";
import type { Random } from "../bench/random.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { saidIn } from "./said-in.js";
import { startWriter } from "./start-writer.js";
import { withFolder } from "./with-folder.js";

const WRITERS = 200;
const AT_A_TIME = 4;
const CONVERSATIONS = 40;

export const storeCrashRun: SoakRun = {
  name: "store-crash",
  about: "writers killed at any instant lose nothing that was acknowledged, and the next one can open",
  passes: 5,
  pass: (context) => withFolder("crash", (directory) => killWriters(directory, context)),
};

async function killWriters(directory: string, { random, step, isOver, signal }: SoakContext): Promise<void> {
  const acknowledged = new Map<string, string[]>();
  const store = createJsonlStore({ directory });
  let next = 0;
  let staleLocks = 0;
  const isDone = (): boolean => next >= WRITERS || (next >= AT_A_TIME && isOver());
  const killOnes = async (): Promise<void> => {
    while (!isDone()) {
      const conversation = `c${next++ % CONVERSATIONS}`;
      const { uuids, complaints } = await killWriter({ directory, conversation, random });
      signal.throwIfAborted();
      ensure(complaints === "", `a writer complained: ${complaints}`);
      const all = [...(acknowledged.get(conversation) ?? []), ...uuids];
      acknowledged.set(conversation, all);
      const names = await readdir(directory);
      const isStale = names.includes(`${conversation}.lock`);
      if (isStale) staleLocks += 1;
      await step({ killed: 1, acknowledged: uuids.length, "stale locks": isStale ? 1 : 0 });
      if (!names.includes(`${conversation}.jsonl`)) continue;
      const bytes = await readFile(join(directory, `${conversation}.jsonl`));
      await step({ "torn last lines": bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0 });
      const { messages, damaged } = await store.readAll(conversation);
      ensureSame(damaged, [], "damaged lines");
      const stored = new Set(messages.map(({ uuid }) => uuid));
      ensureSame(
        all.filter((uuid) => !stored.has(uuid)),
        [],
        "acknowledged and lost",
      );
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, killOnes));

  // Nothing is proved where nothing was under way.
  if (next >= WRITERS) {
    const total = [...acknowledged.values()].reduce((sum, uuids) => sum + uuids.length, 0);
    ensure(total > WRITERS, `only ${total} messages were acknowledged`);
    ensure(staleLocks > WRITERS / 4, `only ${staleLocks} writers were killed while they had a lock`);
  }
  for (const [conversation, uuids] of acknowledged) {
    const writer = await store.open(conversation);
    await writer.close();
    const content = await readFile(join(directory, `${conversation}.jsonl`));
    ensure(content.length === 0 || content.at(-1) === 0x0a, "a torn last line was left by the next writer");
    const { messages } = await store.readAll(conversation);
    const order = messages.map(({ uuid }) => uuid);
    ensureSame(
      order.filter((uuid) => uuids.includes(uuid)),
      uuids,
      "the order of messages",
    );
    const live = await store.readLive(conversation);
    ensureSame(live.damaged, [], "damaged lines");
    const boundaries = messages.filter(isCompactBoundary);
    for (const boundary of boundaries) {
      const said = saidIn(messages.slice(0, messages.indexOf(boundary)));
      ensureSame(boundary.compactMetadata?.["humanMessages"], said, "words that a boundary refers to");
    }
    ensureSame(live.messages.filter(isCompactBoundary), boundaries.slice(-1), "the boundary that is read");
    await step({ reopened: 1, boundaries: boundaries.length });
  }
  const left = (await readdir(directory)).filter((name) => name.endsWith(".lock"));
  ensureSame(left, [], "locks that nobody holds");
}

interface Target {
  readonly directory: string;
  readonly conversation: string;
  readonly random: Random;
}

interface Killed {
  /** What was acknowledged before the end. */
  readonly uuids: readonly string[];
  readonly complaints: string;
}

/** Lets a writer run for a random while, some only until they are about to open, and kills it. */
async function killWriter({ directory, conversation, random }: Target): Promise<Killed> {
  const [seed, chance, wait] = [random.below(2 ** 32), random.next(), random.next()];
  const child = startWriter("append", directory, conversation, String(seed));
  let output = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const closed = once(child, "close");
  if (chance < 0.8) {
    await Promise.race([once(child.stdout, "data"), closed]);
    await sleep(wait * 60);
  } else {
    await sleep(40 + wait * 120);
  }
  child.kill("SIGKILL");
  await closed;
  const whole = output.slice(0, output.lastIndexOf("\n") + 1);
  return { uuids: whole.split(/\s+/).filter((word) => word.includes("-")), complaints };
}
