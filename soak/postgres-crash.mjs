import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { liveMessages } from "@palimpsest/core/engine";
import { createPostgresStore, migrate } from "palimpsest/postgres";
import { noFullDisk } from "./full-disk.mjs";
import { postgresVersions, startPostgres } from "./postgres-server.mjs";

const WORKER = fileURLToPath(new URL("postgres-worker.mjs", import.meta.url));
const LEASE_MS = 1500;

/** What is done to a fleet, each with how often of a hundred. */
const BLOWS = [
  ["worker", 53],
  ["backend", 15],
  ["pause", 12],
  ["cut", 11],
  ["postmaster", 5],
  ["disk", 4],
];

/** Files of the log stay this small, so that tables outgrow them soon. */
const LOG_MB = 1;

const whole = (text) => text.slice(0, text.lastIndexOf("\n") + 1);

/** Workers on one database, killed in every way; afterwards the tables hold what was acknowledged, once and in order. */
export async function crashFleet({
  programs,
  workers,
  conversations,
  blows,
  random,
  step,
  isOver = () => false,
}) {
  const server = await startPostgres(
    programs,
    { fsync: "on", max_connections: "200" },
    { logSegmentMb: LOG_MB },
  );
  const proxy = await startProxy(server.port);
  const url = `postgres://owner@127.0.0.1:${proxy.port}/postgres`;
  const acknowledged = new Map();
  const complaints = [];
  let made = 0;

  const take = (line) => {
    const [id, generation, ...uuids] = line.split(" ");
    const list = acknowledged.get(id) ?? [];
    acknowledged.set(id, list);
    list.push({ generation: Number(generation), uuids });
  };
  const startWorker = () => {
    const child = spawn(
      process.execPath,
      [WORKER, url, String(conversations), `w${(made += 1)}`, String(LEASE_MS)],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const worker = { child, output: "", ended: once(child, "close") };
    child.stdout.setEncoding("utf8").on("data", (text) => (worker.output += text));
    child.stderr.setEncoding("utf8").on("data", (text) => complaints.push(text));
    return worker;
  };
  const end = async (worker) => {
    worker.child.kill("SIGKILL");
    await worker.ended;
    for (const line of whole(worker.output).split("\n")) if (line !== "") take(line);
  };

  // Each once in the beginning, so that a short run has them all.
  const possible = BLOWS.filter(([name]) => name !== "disk" || noFullDisk() === undefined);
  const first = possible.map(([name]) => name);
  const nextBlow = () =>
    first.length > 0
      ? first.splice(random.below(first.length), 1)[0]
      : pick(possible, random.below(possible.reduce((sum, [, share]) => sum + share, 0)));

  let fleet = [];
  try {
    const single = server.pool({ max: 1 });
    await migrate(single);
    fleet = Array.from({ length: workers }, startWorker);
    let done = 0;
    // Nothing is proved before something was acknowledged.
    const hasProof = () => acknowledged.size > 0 || fleet.some(({ output }) => output.includes("\n"));
    while (done < blows && !(done > 0 && hasProof() && isOver())) {
      await sleep(100 + random.below(250));
      const blow = nextBlow();
      const at = random.below(fleet.length);
      switch (blow) {
        case "worker":
          await end(fleet[at]);
          fleet[at] = startWorker();
          break;
        case "backend":
          await server
            .pool({ max: 1 })
            .query(
              "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 3",
            )
            .catch(() => undefined);
          break;
        case "pause": {
          // It wakes after its lease, in the middle of whatever it was at.
          const { child } = fleet[at];
          child.kill("SIGSTOP");
          await sleep(LEASE_MS * 1.2);
          child.kill("SIGCONT");
          break;
        }
        case "cut":
          proxy.cut();
          break;
        case "postmaster":
          await server.kill();
          await server.start();
          break;
        case "disk":
          await fillDisk(server, random.below(2) === 0);
          await sleep(300 + random.below(700));
          await server.makeRoom();
          break;
      }
      done += 1;
      await step({ blows: 1, [blow]: 1 });
    }
  } finally {
    await Promise.all(fleet.map(end));
  }
  try {
    if (complaints.length > 0) throw new Error(`a worker complained: ${complaints.join("")}`);
    await checkFleet(server, acknowledged, step);
  } finally {
    proxy.close();
    await server.stop();
  }
}

/** Neither a table nor, where it is the log that has no room, anything else can be written any more. */
async function fillDisk(server, isLog) {
  const pool = server.pool({ max: 1 });
  const { rows } = await pool.query(
    "select max(pg_relation_size(oid)) / 1024 as kb from pg_class where relkind in ('r', 'i', 't')",
  );
  const limitKb = isLog ? LOG_MB * 32 : Math.max(LOG_MB * 1024, Math.ceil(Number(rows[0].kb)));
  await server.fillDisk(limitKb);
  const wasRefused = await pool
    .query(`create table filler as select repeat('x', 1000) from generate_series(1, ${2 * limitKb})`)
    .then(
      () => false,
      () => true,
    );
  if (!wasRefused) throw new Error("the disk that was to be full was not");
}

async function checkFleet(server, acknowledged, step) {
  const pool = server.pool();
  const store = createPostgresStore({ database: pool, tenant: "crash" });
  let total = 0;
  for (const { id } of await store.list()) {
    const { messages, damaged } = await store.readAll(id);
    if (damaged.length > 0) throw new Error(`${id} has damaged lines`);
    const order = messages.map(({ uuid }) => uuid);
    const places = new Map(order.map((uuid, at) => [uuid, at]));
    if (places.size !== order.length) throw new Error(`${id} holds a message twice`);
    const batches = (acknowledged.get(id) ?? []).toSorted(
      (left, right) => (places.get(left.uuids[0]) ?? -1) - (places.get(right.uuids[0]) ?? -1),
    );
    let generation = 0;
    const owners = new Map();
    for (const batch of batches) {
      const at = batch.uuids.map((uuid) => places.get(uuid));
      if (at.includes(undefined))
        throw new Error(`${id} lost ${batch.uuids.join(", ")}, which was acknowledged`);
      if (at[1] !== at[0] + 1) throw new Error(`${id} holds a batch in parts`);
      if (batch.generation < generation) throw new Error(`${id} was written under an old lease`);
      generation = batch.generation;
      const owner = batch.uuids[0].split("-", 1)[0];
      if ((owners.get(generation) ?? owner) !== owner) throw new Error(`${id} had two writers at once`);
      owners.set(generation, owner);
      total += 1;
    }
    const live = await store.readLive(id);
    if (JSON.stringify(live.messages) !== JSON.stringify(liveMessages(messages))) {
      throw new Error(`${id} is resumed as another conversation`);
    }
  }
  for (const id of acknowledged.keys()) await store.readLive(id);
  if (total === 0) throw new Error("nothing was acknowledged, so nothing was proved");
  await step({ acknowledged: total, conversations: acknowledged.size });
}

function pick(list, chance) {
  let sum = 0;
  for (const [name, share] of list) {
    sum += share;
    if (chance < sum) return name;
  }
  return list[0][0];
}

/** A wire that can be cut. */
async function startProxy(target) {
  const sockets = new Set();
  const server = createServer((incoming) => {
    const outgoing = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: server.address().port,
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The long run; undefined where no server can be started. */
export function postgresCrashRun() {
  const programs = postgresVersions().find((version) => version.programs !== undefined)?.programs;
  if (programs === undefined) return undefined;
  return {
    name: "postgres-crash",
    about:
      "workers, backends, servers and wires killed, disks full: nothing acknowledged is lost, nothing twice, never two writers",
    passes: 5,
    pass: ({ random, step, isOver }) =>
      crashFleet({ programs, workers: 32, conversations: 200, blows: 100, random, step, isOver }),
  };
}
