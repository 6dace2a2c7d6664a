/**
 * Appends to conversations of chance until it is ended, and says on standard output what was acknowledged: one line for each
 * batch, `conversation generation uuid uuid …`. Arguments: address, number of conversations, name, lease in milliseconds.
 */
import pg from "pg";
import { conversationBuilder } from "@palimpsest/core/testing";
import { createPostgresStore } from "palimpsest/postgres";

const [url, conversations, name, leaseMs] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5000 });
pool.on("error", () => undefined);
const store = createPostgresStore({
  database: pool,
  tenant: "crash",
  leaseMs: Number(leaseMs),
  owner: name,
});
let count = 0;

/**
 * How often a worker stands still until after its lease, right before it stores something: the database alone can tell then that
 * the conversation is another's.
 */
const OVERSLEEPS = 0.004;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

async function turn() {
  const id = `c${Math.floor(Math.random() * Number(conversations))}`;
  const writer = await store.open(id);
  try {
    const { messages } = await store.readLive(id);
    const talk = conversationBuilder({ sessionId: `${name}-${(count += 1)}` });
    const last = messages.at(-1);
    if (last !== undefined) talk.rewindTo(last);
    for (let batch = 0; batch < 3; batch += 1) {
      const uuid = (at) => `${name}-${count}-${batch}-${at}`;
      const list = [
        { ...talk.user(`by ${name} under ${writer.generation}`), uuid: uuid(0) },
        { ...talk.assistant("x".repeat(Math.floor(Math.random() * 5000))), uuid: uuid(1) },
      ];
      const [one, two] = list;
      const parent = batch === 0 ? (last?.uuid ?? null) : `${name}-${count}-${batch - 1}-1`;
      const linked = [
        { ...one, parentUuid: parent },
        { ...two, parentUuid: one.uuid },
      ];
      if (Math.random() < OVERSLEEPS) Atomics.wait(NEVER, 0, 0, 1.3 * Number(leaseMs));
      await writer.append(linked);
      process.stdout.write(`${id} ${writer.generation} ${linked.map((message) => message.uuid).join(" ")}\n`);
    }
  } finally {
    await writer.close();
  }
}

for (;;) {
  await turn().catch(async (error) => {
    // Another has it, or the database is away: somebody else's turn.
    if (!["locked", "io", "not_found"].includes(error?.code)) {
      process.stderr.write(`${error?.stack ?? error}\n`);
      process.exit(3);
    }
    await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
  });
}
