// A workflow engine keeps every input of every step. Hand it two ids, not the conversation: its history stays small, and a step
// that is run again by another process finds everything in the store: here processes are killed at moments of chance.
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createPostgresStore, migrate } from "palimpsest/postgres";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";

const STEPS = 20;
const KILLS = 5;

const address = process.argv[2];
const storeAt = (connectionString) => {
  const database = new pg.Pool({ connectionString });
  database.on("error", () => undefined);
  return createPostgresStore({ database, tenant: "acme", leaseMs: 1000 });
};

/** Takes its time, as models do: so that there is a middle to be killed in. */
function slowProvider() {
  const provider = createEmbeddedProvider();
  return {
    ...provider,
    async *stream(call, options) {
      await sleep(300 * Math.random());
      yield* provider.stream(call, options);
    },
  };
}

/** What an engine calls an activity: its input and output are kept for ever, so they are a claim check. */
async function turn(store, { conversation: id, step, words }) {
  const writer = await store.open(id, { whenBusy: "enqueue" });
  try {
    const { messages } = await store.readLive(id);
    const isSaid = messages.some(({ message }) => JSON.stringify(message ?? "").includes(`step ${step}:`));
    const conversation = createConversation(
      { model: "claude-haiku-4-5", maxTokens: 1000, compaction, provider: slowProvider(), writer },
      messages,
    );
    if (!isSaid) await conversation.ask(`step ${step}: ${words}`);
    else if (messages.at(-1)?.type !== "assistant") await conversation.ask();
    return { conversation: id, head: (await store.list()).find((one) => one.id === id)?.bytes };
  } finally {
    await writer.close();
  }
}

if (address === undefined) await runEngine();
else {
  const store = storeAt(address);
  process.on("message", async (input) => process.send(await turn(store, input)));
  // It goes with whoever started it.
  process.once("disconnect", () => process.exit());
}

async function runEngine() {
  const { postgresVersions, startPostgres } = await import("../soak/postgres-server.mjs");
  const versions = postgresVersions();
  const found = versions.find(({ programs }) => programs !== undefined);
  if (found === undefined) {
    console.log(`not run: ${versions.map(({ missing }) => missing).join("; ")}`);
    return;
  }
  // The server ends with this process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));
  const server = await startPostgres(found.programs);
  await migrate(server.pool({ max: 1 }));

  let worker;
  /** What comes back, or undefined where the worker has died before it could say that it was done. */
  async function attempt(input) {
    worker ??= fork(fileURLToPath(import.meta.url), [server.url]);
    const over = new AbortController();
    const { signal } = over;
    worker.send(input, () => undefined);
    const [output] = await Promise.race([
      once(worker, "message", { signal }),
      once(worker, "exit", { signal }).then(() => []),
    ]);
    over.abort();
    if (output === undefined) worker = undefined;
    return output;
  }

  /** An engine in five lines: it writes down what goes in and what comes out, and runs a step again where it is not sure. */
  const history = [];
  let attempts = 0;
  async function activity(input) {
    let output;
    for (; output === undefined; attempts += 1) output = await attempt(input);
    history.push(JSON.stringify({ input, output }));
  }

  const over = new AbortController();
  const killing = (async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(300 + 1500 * Math.random(), undefined, { signal: over.signal });
      worker?.kill("SIGKILL");
    }
  })().catch(() => undefined);
  for (let step = 1; step <= STEPS; step += 1) {
    await activity({ conversation: "c-1", step, words: "look at it once more. ".repeat(3) });
  }
  over.abort();
  await killing;
  worker?.disconnect();

  const kept = history.join("").length;
  const { messages } = await storeAt(server.url).readAll("c-1");
  const said = messages.filter(({ type }) => type === "user").length;
  console.log(
    `${STEPS} steps in ${attempts} attempts, ${kept} bytes of history; ${said} messages of the person in the store`,
  );
  assert.equal(said, STEPS, "no step is made twice");
  assert.ok(kept < history.length * 300, "the history holds ids, not the conversation");
  await server.stop();
  process.exit(0);
}
