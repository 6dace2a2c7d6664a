/**
 * What the store on PostgreSQL costs, on a real server that this starts: ratios within one run wherever they can be. Part of
 * `npm run bench -- --only postgres`.
 */
import { conversationBuilder } from "@palimpsest/core/testing";
import { createPostgresStore, migrate } from "palimpsest/postgres";
import pg from "pg";
import { postgresVersions, startPostgres } from "../soak/postgres-server.mjs";

/** Of one round of one kind, and how many rounds of each there are. */
const ROUND_MS = 400;
const ROUNDS = 12;
const TEXT = "x".repeat(1500);
const now = () => performance.now();
const quantile = (list, share) =>
  list.toSorted((one, other) => one - other)[Math.min(list.length - 1, Math.floor(list.length * share))];
const median = (list, key) =>
  quantile(
    list.map((one) => one[key]),
    0.5,
  );
const batchOf = (talk) => [talk.user(TEXT), talk.assistant(TEXT)];

export const postgresBench = {
  name: "postgres",
  async *run() {
    const found = postgresVersions().find(({ programs }) => programs !== undefined);
    if (found === undefined) return;
    const settings = { max_connections: "200", shared_buffers: "256MB", fsync: "on" };
    const server = await startPostgres(found.programs, settings);
    try {
      await migrate(server.pool({ max: 1 }));
      const pool = server.pool({ max: 64 });
      const bench = {
        server,
        pool,
        store: createPostgresStore({ database: pool, tenant: "bench" }),
        count: 0,
      };
      yield* appends(bench);
      yield* rowSecurity(bench);
      yield* following(bench);
      yield* resuming(bench);
      yield* bytes(bench);
      yield* crowd(bench);
    } finally {
      await server.stop();
    }
  },
};

/** Writers at once for a while: how many appends a second, and how long the slowest of a hundred takes. */
async function measure(writers, milliseconds, makeWriter) {
  const all = await Promise.all(Array.from({ length: writers }, makeWriter));
  const times = [];
  const start = now();
  const end = start + milliseconds;
  await Promise.all(
    all.map(async ({ append }) => {
      while (now() < end) {
        const began = now();
        await append();
        times.push(now() - began);
      }
    }),
  );
  const seconds = (now() - start) / 1000;
  for (const { close } of all) await close();
  return { perSecond: times.length / seconds, p99: quantile(times, 0.99) };
}

/**
 * Kinds of writers in turns, so that what else the machine does meets all: each round begins with another of them, and the first
 * round, in which plans are made and code is compiled, does not count. By kind, what each round measured.
 */
async function inTurns(writers, kinds, rounds = ROUNDS) {
  const names = Object.keys(kinds);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(round + at) % names.length];
      const one = await measure(writers, ROUND_MS, kinds[name]);
      if (round > 0) measured[name].push(one);
    }
  }
  return measured;
}

/** How often the one is the other's rate, of rounds beside each other. */
const ratio = (ours, others) =>
  quantile(
    ours.map(({ perSecond }, at) => perSecond / others[at].perSecond),
    0.5,
  );

/** With lease, compare-and-set and idempotency. */
const ours = (bench) => async () => {
  const talk = conversationBuilder();
  const id = `b${(bench.count += 1)}`;
  const writer = await bench.store.open(id);
  return { id, append: () => writer.append(batchOf(talk)), close: () => writer.close() };
};

/** The same rows into a table with the same indexes, and nothing else; as lists, or as rows of values, which is as fast as it gets. */
const plain = (bench, insert) => async () => {
  const talk = conversationBuilder();
  const id = `p${(bench.count += 1)}`;
  let seq = 0;
  return {
    async append() {
      const rows = batchOf(talk).map((message) => {
        const line = JSON.stringify(message);
        const row = { seq, size: Buffer.byteLength(line) + 1, line };
        seq += row.size;
        return row;
      });
      await bench.pool.query(...insert(id, rows));
    },
    close: async () => undefined,
  };
};

const COLUMNS = "insert into plain (tenant, conversation, seq, size, form, is_boundary, line)";

const asLists = (id, rows) => [
  `${COLUMNS} select 'bench', $1, s, z, 0, false, l from unnest($2::bigint[], $3::int[], $4::text[]) as b (s, z, l)`,
  [id, ...["seq", "size", "line"].map((name) => rows.map((row) => row[name]))],
];

const asValues = (id, rows) => [
  `${COLUMNS} values ${rows.map((_, at) => `('bench', $1, $${at * 3 + 2}, $${at * 3 + 3}, 0, false, $${at * 3 + 4})`).join(", ")}`,
  [id, ...rows.flatMap(({ seq, size, line }) => [seq, size, line])],
];

async function* appends(bench) {
  await bench.pool.query("create table plain (like palimpsest.entry including all)");
  for (const writers of [1, 16, 64]) {
    const kinds = { ours: ours(bench), lists: plain(bench, asLists), values: plain(bench, asValues) };
    const rounds = await inTurns(writers, kinds);
    const name = `postgres.append.${writers}`;
    yield { name: `${name}.rate`, value: median(rounds.ours, "perSecond"), unit: "1/s" };
    yield { name: `${name}.p99`, value: median(rounds.ours, "p99"), unit: "ms" };
    yield { name: `${name}.of-plain-insert`, value: ratio(rounds.ours, rounds.lists), unit: "ratio" };
    yield {
      name: `${name}.of-plain-insert-of-values`,
      value: ratio(rounds.ours, rounds.values),
      unit: "ratio",
    };
    yield { name: `${name}.p99-of-plain-insert`, value: median(rounds.lists, "p99"), unit: "ms" };
  }
}

/** The same as a role for which row-level security is checked: a superuser's statements pass it by. */
async function* rowSecurity(bench) {
  const single = bench.server.pool({ max: 1 });
  await single.query("create role worker login");
  await migrate(single, { role: "worker" });
  const connectionString = bench.server.url.replace("owner@", "worker@");
  const pool = bench.server.pool({ connectionString, max: 64 });
  const checked = { ...bench, store: createPostgresStore({ database: pool, tenant: "bench-rls" }) };
  const { mine, others } = await inTurns(16, { mine: ours(checked), others: ours(bench) });
  const value = ratio(mine, others);
  yield { name: "postgres.append.16.with-row-security", value, unit: "ratio" };
}

async function* following(bench) {
  const listen = () => new pg.Client({ connectionString: bench.server.url });
  const reader = createPostgresStore({ database: bench.server.pool(), tenant: "bench", listen });
  const talk = conversationBuilder();
  const writer = await bench.store.open("followed");
  const delays = [];
  const sent = new Map();
  const away = new AbortController();
  const following = (async () => {
    for await (const { message } of reader.follow("followed", { signal: away.signal })) {
      delays.push(now() - sent.get(message.uuid));
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (let at = 0; at < 200; at += 1) {
    const message = talk.user("tick");
    sent.set(message.uuid, now());
    await writer.append([message]);
    await new Promise((resolve) => setTimeout(resolve, 10 + 30 * Math.random()));
  }
  while (delays.length < 200) await new Promise((resolve) => setTimeout(resolve, 20));
  away.abort();
  await following;
  await writer.close();
  yield { name: "postgres.follow.p50", value: quantile(delays, 0.5), unit: "ms" };
  yield { name: "postgres.follow.p99", value: quantile(delays, 0.99), unit: "ms" };

  const make = ours(bench);
  const followed = async () => {
    const made = await make();
    const off = new AbortController();
    const reading = drain(reader.follow(made.id, { signal: off.signal }));
    return {
      ...made,
      async close() {
        await made.close();
        off.abort();
        await reading;
      },
    };
  };
  const rounds = await inTurns(16, { followed, alone: make });
  await reader.close();
  const value = ratio(rounds.followed, rounds.alone);
  yield { name: "postgres.append.16.while-followed", value, unit: "ratio" };
}

async function drain(messages) {
  let count = 0;
  for await (const _ of messages) count += 1;
  return count;
}

async function* resuming({ store }) {
  for (const entries of [100, 1000, 10_000, 100_000]) {
    const talk = conversationBuilder();
    const id = `r${entries}`;
    const writer = await store.open(id);
    for (let at = 0; at < entries; at += 500) {
      await writer.append(Array.from({ length: Math.min(500, entries - at) }, () => talk.user(TEXT)));
    }
    await writer.append([...talk.compaction(), ...Array.from({ length: 50 }, () => talk.user(TEXT))]);
    await writer.close();
    const times = [];
    for (let round = 0; round < 30; round += 1) {
      const began = now();
      await store.readLive(id);
      times.push(now() - began);
    }
    yield { name: `postgres.resume.${entries}`, value: quantile(times, 0.5), unit: "ms" };
  }
}

/** Against what keeps the whole state after every step. */
async function* bytes({ store, pool }) {
  const talk = conversationBuilder();
  const writer = await store.open("steps");
  const all = [];
  let states = 0;
  for (let at = 0; at < 500; at += 1) {
    const batch = batchOf(talk);
    await writer.append(batch);
    all.push(...batch);
    states += Buffer.byteLength(JSON.stringify(all));
  }
  await writer.close();
  const { rows } = await pool.query(
    "select sum(size) as size from palimpsest.entry where conversation = 'steps'",
  );
  yield { name: "postgres.bytes.of-state-per-step", value: Number(rows[0].size) / states, unit: "ratio" };
}

async function* crowd({ pool }) {
  const many = 100_000;
  await pool.query(
    "insert into palimpsest.conversation (tenant, id, head) select 'many', 'c' || n, 100 from generate_series(1, $1::int) n",
    [many],
  );
  await pool.query(
    "insert into palimpsest.entry (tenant, conversation, seq, size, form, is_boundary, line) select 'many', 'c' || n, 0, 100, 0, false, repeat('x', 99) from generate_series(1, $1::int) n",
    [many],
  );
  const store = createPostgresStore({ database: pool, tenant: "many" });
  const times = [];
  for (let round = 0; round < 300; round += 1) {
    const began = now();
    const writer = await store.open(`c${1 + Math.floor(Math.random() * many)}`);
    await writer.append([conversationBuilder().user("hello")]);
    await writer.close();
    times.push(now() - began);
  }
  yield { name: "postgres.turn-among-100000.p50", value: quantile(times, 0.5), unit: "ms" };
  yield { name: "postgres.turn-among-100000.p99", value: quantile(times, 0.99), unit: "ms" };
}
