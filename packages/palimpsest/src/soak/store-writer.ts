import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { CompactBoundary, Message, TranscriptWriter } from "@palimpsest/core";
import { createJsonlStore } from "../stores/index.js";
import { createRandom } from "../bench/random.js";
import { saidIn } from "./said-in.js";

/**
 * A program to be killed. `append DIRECTORY CONVERSATION SEED`: appends for ever, and prints the uuids of each batch
 * once it was acknowledged. `take DIRECTORY`: opens each conversation that it is told on stdin, says `won` or the
 * error's code, and closes on `close`. Ends with its stdin.
 */
const [mode, directory = "", conversation = "", seed = "0"] = process.argv.slice(2);
const say = (text: string): void => void writeSync(1, `${text}\n`);
const store = createJsonlStore({ directory, durability: "process" });

const message = (size: number): Message => ({
  type: "user",
  uuid: randomUUID(),
  parentUuid: null,
  timestamp: new Date().toISOString(),
  sessionId: "crash",
  message: { role: "user", content: "ä".repeat(size) },
});

const boundary = (humanMessages: readonly unknown[]): CompactBoundary => ({
  type: "system",
  subtype: "compact_boundary",
  uuid: randomUUID(),
  parentUuid: null,
  timestamp: new Date().toISOString(),
  sessionId: "crash",
  compactMetadata: { trigger: "auto", preTokens: 1, humanMessages },
});

async function appendForEver(): Promise<void> {
  process.stdin.resume().once("end", () => process.exit(1));
  const random = createRandom(Number(seed));
  const writer = await store.open(conversation);
  const list = [...saidIn((await store.readAll(conversation)).messages)];
  say("open");
  for (;;) {
    if (random.next() < 0.2) {
      const compacted = boundary([...list]);
      await writer.append([compacted]);
      say(compacted.uuid);
    }
    const size = random.next() < 0.1 ? 500_000 : random.below(5000);
    const batch = Array.from({ length: 1 + random.below(4) }, () => message(size));
    await writer.append(batch);
    list.push(...saidIn(batch));
    say(batch.map(({ uuid }) => uuid).join(" "));
  }
}

async function takeOnDemand(): Promise<void> {
  let writer: TranscriptWriter | undefined;
  say("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "close") {
      await writer?.close();
      writer = undefined;
      say("closed");
      continue;
    }
    try {
      writer = await store.open(line);
      say("won");
    } catch (error) {
      say((error as { readonly code: string }).code);
    }
  }
}

await (mode === "append" ? appendForEver() : takeOnDemand());
