/**
 * A writer to be killed. `append <directory> <conversation> <durability>`: appends for ever, and prints the
 * uuids of each batch once it was acknowledged. `take <directory>`: opens each conversation that it is told
 * on stdin, says `won` or the error's code, and closes on `close`.
 */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { createJsonlStore } from "palimpsest/stores";

const [mode, directory, conversation, durability = "process"] = process.argv.slice(2);
const say = (text) => writeSync(1, `${text}\n`);
const store = createJsonlStore({ directory, durability });

function message(size) {
  return {
    type: "user",
    uuid: randomUUID(),
    parentUuid: null,
    timestamp: new Date().toISOString(),
    sessionId: "crash",
    message: { role: "user", content: "ä".repeat(size) },
  };
}

/** What people said, as a compaction lists it: short messages alone, so that many lists fit into a file. */
const said = (messages) =>
  messages
    .filter(({ type, message }) => type === "user" && message.content.length < 3000)
    .map(({ uuid, message }) => ({ uuid, text: message.content }));

const boundary = (humanMessages) => ({
  type: "system",
  subtype: "compact_boundary",
  uuid: randomUUID(),
  parentUuid: null,
  timestamp: new Date().toISOString(),
  sessionId: "crash",
  compactMetadata: { trigger: "auto", preTokens: 1, humanMessages },
});

async function appendForEver(limit) {
  const writer = await store.open(conversation);
  const list = said((await store.readAll(conversation)).messages);
  say("open");
  for (let count = 0; count < limit; count += 1) {
    if (Math.random() < 0.2) {
      const compacted = boundary([...list]);
      await writer.append([compacted]);
      say(compacted.uuid);
    }
    const size = Math.random() < 0.1 ? 500_000 : Math.floor(Math.random() * 5000);
    const batch = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => message(size));
    await writer.append(batch);
    list.push(...said(batch));
    say(batch.map(({ uuid }) => uuid).join(" "));
  }
  await writer.close();
}

async function takeOnDemand() {
  let writer;
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
      say(error.code);
    }
  }
}

if (mode === "append") await appendForEver(Infinity);
else if (mode === "append-few") await appendForEver(5);
else await takeOnDemand();
