// A worker pool on pg-boss: each job is one turn of one conversation, on whichever worker is free. Workers are killed at
// moments of chance; no turn is lost and none is made twice. What travels through the queue is two ids and the words.
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createPostgresStore, migrate } from "palimpsest/postgres";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import PgBoss from "pg-boss";

const KILLS = 6;
const TURNS = 6;
const [role, address] = process.argv.slice(2);
const storeAt = (url) => {
  const database = new pg.Pool({ connectionString: url });
  database.on("error", () => undefined);
  return createPostgresStore({ database, tenant: "acme", leaseMs: 1000 });
};

/** Takes its time, as models do: so that there is a middle to be killed in. */
function slowProvider() {
  const provider = createEmbeddedProvider();
  return {
    ...provider,
    async *stream(call, options) {
      await sleep(800 * Math.random());
      yield* provider.stream(call, options);
    },
  };
}

/** When a job is handed to another: later than whoever has it gives up waiting for the conversation. */
const EXPIRE_SECONDS = 4;

/** One turn: the job may come a second time, so what is stored says where to go on. */
async function turn(store, { conversation: id, words }) {
  const writer = await store.open(id, { whenBusy: "enqueue", signal: AbortSignal.timeout(2000) });
  try {
    const { messages } = await store.readLive(id);
    const provider = slowProvider();
    const settings = { window: 30_000, reserve: 4000, autoCompactBuffer: 2000 };
    const conversation = createConversation(
      { model: "claude-haiku-4-5", maxTokens: 1000, compaction, provider, settings, writer },
      messages,
    );
    // Whoever said the last words was killed before the answer came: theirs is the first turn.
    const last = messages.findLast(({ type }) => type === "user" || type === "assistant");
    if (last?.type === "user") await conversation.ask();
    if (!JSON.stringify(messages).includes(words.slice(0, 40))) await conversation.ask(words);
  } finally {
    await writer.close();
  }
}

if (role === "worker") {
  // It goes with whoever started it.
  process.stdin.resume().once("end", () => process.exit());
  const boss = new PgBoss(address);
  boss.on("error", () => undefined);
  await boss.start();
  const store = storeAt(address);
  await boss.work("turns", { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    await turn(store, job.data);
    console.log(`${job.data.conversation}: ${job.data.words.slice(0, 30)}`);
  });
} else {
  const { postgresVersions, startPostgres } = await import("../soak/postgres-server.mjs");
  const found = postgresVersions().find(({ programs }) => programs !== undefined);
  if (found === undefined) {
    console.log(
      `not run: ${postgresVersions()
        .map(({ missing }) => missing)
        .join("; ")}`,
    );
    process.exit(0);
  }
  // The server and the workers end with this process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));
  const server = await startPostgres(found.programs);
  await migrate(server.pool({ max: 1 }));
  // How soon the job of a killed worker is given to another: by default that is looked after once a minute.
  const boss = new PgBoss({ connectionString: server.url, maintenanceIntervalSeconds: 1 });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.createQueue("turns");

  const startWorker = () =>
    spawn(process.execPath, [fileURLToPath(import.meta.url), "worker", server.url], {
      stdio: ["pipe", "inherit", "inherit"],
    });
  const workers = [startWorker(), startWorker()];
  const conversations = ["one", "two", "three"];
  for (let number = 1; number <= TURNS; number += 1) {
    for (const conversation of conversations) {
      const words = `Turn ${number} of ${conversation}: ${"think of it. ".repeat(900)}`;
      await boss.send("turns", { conversation, words }, { retryLimit: 50, expireInSeconds: EXPIRE_SECONDS });
    }
  }
  const store = storeAt(server.url);
  const turnsOf = async (id) => {
    const { messages } = await store.readAll(id).catch(() => ({ messages: [] }));
    return messages
      .filter(({ type, isCompactSummary }) => type === "user" && isCompactSummary !== true)
      .flatMap((message) => JSON.stringify(message).match(/Turn \d+ of \w+/)?.[0] ?? [])
      .toSorted();
  };
  const answersOf = async (id) =>
    (await store.readAll(id).catch(() => ({ messages: [] }))).messages.filter(
      ({ type }) => type === "assistant",
    ).length;
  const isDone = async () => {
    for (const id of conversations) if ((await answersOf(id)) < TURNS) return false;
    return true;
  };
  for (let kill = 1; kill <= KILLS && !(await isDone()); kill += 1) {
    await sleep(500 + 1500 * Math.random());
    const at = Math.floor(Math.random() * workers.length);
    workers[at].kill("SIGKILL");
    workers[at] = startWorker();
    console.log(`killed a worker (${kill} of ${KILLS})`);
  }
  while (!(await isDone())) await sleep(200);
  for (const worker of workers) worker.kill("SIGKILL");
  for (const id of conversations) {
    assert.deepEqual(
      await turnsOf(id),
      Array.from({ length: TURNS }, (_, at) => `Turn ${at + 1} of ${id}`),
    );
    console.log(`${id}: ${TURNS} turns, each once`);
  }
  await boss.stop({ graceful: false });
  await server.stop();
  process.exit(0);
}
