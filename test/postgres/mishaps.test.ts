import { conversationBuilder } from "@palimpsest/core/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type PostgresServer } from "../../soak/postgres-server.mjs";
import {
  createPostgresStore,
  migrate,
  type PostgresStore,
} from "../../packages/palimpsest/src/stores/postgres/index.js";
import { firstVersion, ownDatabase, type OwnDatabase, whyNot } from "./own-database.js";

const talk = conversationBuilder();

describe.skipIf(firstVersion === undefined)(`what goes wrong with a database${whyNot}`, () => {
  let server: OwnDatabase;
  let pool: pg.Pool;
  let tenants = 0;
  const newStore = (options: Partial<Parameters<typeof createPostgresStore>[0]> = {}): PostgresStore =>
    createPostgresStore({ database: pool, tenant: `t${(tenants += 1)}`, ...options });
  const poolWith = (setting: string): pg.Pool =>
    server.pool({ connectionString: `${server.url}?options=${encodeURIComponent(`-c ${setting}`)}` });

  beforeAll(async () => {
    server = await ownDatabase();
    pool = server.pool();
    // Of a pool of many, one connection has to do it all.
    await Promise.all([migrate(pool), migrate(pool, { schema: "beside" })]);
  });
  afterAll(() => server.stop());

  it("tenants and keys that a database would take for others are refused", async () => {
    for (const tenant of ["", "a\0b", "a\ud800", "x".repeat(201), 7 as unknown as string]) {
      expect(() => newStore({ tenant })).toThrow(/tenant must be a string/);
    }
    const writer = await newStore().open("c");
    for (const key of ["", "a\0b", "a\udc00", "x".repeat(501)]) {
      await expect(writer.append([talk.user("x")], { key })).rejects.toMatchObject({ code: "bad_id" });
    }
    await writer.append([talk.user("x")], { key: "漢".repeat(500) });
    await writer.close();
  });

  it("a tenant that is named like a statement is a tenant", async () => {
    const tenant = `'; drop table palimpsest.entry; -- "`;
    const store = newStore({ tenant });
    const message = talk.user("still there");
    const writer = await store.open("c");
    await writer.append([message]);
    await writer.close();
    expect((await store.readAll("c")).messages).toEqual([message]);
    expect(await newStore({ tenant: `${tenant} ` }).list()).toEqual([]);
  });

  it("ids that are too long or could mean something else are refused before anything is asked", async () => {
    const store = newStore();
    for (const id of ["x".repeat(10_240), "a/../b", "a\0", "😀", "", 7 as unknown as string]) {
      await expect(store.open(id)).rejects.toMatchObject({ code: "bad_id" });
      await expect(store.readLive(id)).rejects.toMatchObject({ code: "bad_id" });
    }
  });

  it("options that mean nothing are refused by name", async () => {
    const store = newStore();
    expect(() => newStore({ leaseMs: 3e9 })).toThrow(/leaseMs/);
    await expect(store.open("c", { whenBusy: "sometimes" as "reject" })).rejects.toThrow(
      /reject, enqueue, interrupt/,
    );
    const first = async (options: object): Promise<unknown> => {
      for await (const event of store.follow("c", options)) return event;
      return undefined;
    };
    for (const from of [Number.NaN, -5, 0.5]) await expect(first({ from })).rejects.toThrow(/from must be/);
    for (const pollMs of [-1, Number.NaN]) await expect(first({ pollMs })).rejects.toThrow(/pollMs must be/);
    await expect(store.deleteOld({ before: new Date(Number.NaN) })).rejects.toThrow(/before must be a date/);
    await expect(store.deleteOld({ before: new Date(), batch: 0 })).rejects.toThrow(/batch must be/);
  });

  it("what is not a message is refused, and the writer goes on", async () => {
    const store = newStore();
    const writer = await store.open("c");
    for (const nonsense of ["nonsense", [null], [7], [{}]]) {
      await expect(writer.append(nonsense as never)).rejects.toMatchObject({ code: "bad_message" });
    }
    const message = talk.user("fine");
    await writer.append([message]);
    await writer.close();
    expect((await store.readAll("c")).messages).toEqual([message]);
  });

  it("100,000 messages are one append", async () => {
    const store = newStore();
    const writer = await store.open("c");
    const many = Array.from({ length: 100_000 }, (_, at) => talk.user(`message ${at}`));
    await writer.append(many);
    await writer.close();
    const { rows } = await pool.query(
      "select count(*)::int as count, sum(size)::int as bytes from palimpsest.entry where tenant = $1",
      [`t${tenants}`],
    );
    const bytes = many.reduce((sum, message) => sum + JSON.stringify(message).length + 1, 0);
    expect(rows).toEqual([{ count: 100_000, bytes }]);
    const { messages } = await store.readLive("c");
    expect(messages.at(-1)).toEqual(many.at(-1));
  });

  it("a statement that takes too long is said, stores nothing, and the next writer goes on", async () => {
    const tenant = `t${(tenants += 1)}`;
    const hurried = newStore({ tenant, database: poolWith("statement_timeout=1000") });
    const writer = await hurried.open("c");
    const other = await pool.connect();
    try {
      await other.query("begin");
      await other.query("lock table palimpsest.entry in exclusive mode");
      await expect(writer.append([talk.user("x")])).rejects.toThrow(
        /could not be written: .*statement timeout/,
      );
    } finally {
      await other.query("rollback");
      other.release();
    }
    await writer.close();
    const store = newStore({ tenant });
    const next = await store.open("c", { whenBusy: "enqueue" });
    const message = talk.user("next");
    await next.append([message]);
    await next.close();
    expect((await store.readAll("c")).messages).toEqual([message]);
  });

  it("a replica that only reads is read and followed, and says why it is not written", async () => {
    const tenant = `t${(tenants += 1)}`;
    const message = talk.user("there");
    const writer = await newStore({ tenant }).open("c");
    await writer.append([message]);
    await writer.close();
    const replica = newStore({ tenant, database: poolWith("default_transaction_read_only=on") });
    expect((await replica.readLive("c")).messages).toEqual([message]);
    expect(await replica.list()).toHaveLength(1);
    expect(await replica.notes("c").read()).toBeUndefined();
    for await (const event of replica.follow("c")) {
      expect(event.message).toEqual(message);
      break;
    }
    await expect(replica.open("c")).rejects.toThrow(/could not be opened for writing: .*read-only/);
  });

  it("one connection does for a writer, somebody who interrupts him, and a follower", async () => {
    const store = newStore({ database: server.pool({ max: 1 }) });
    const writer = await store.open("c");
    const seen: string[] = [];
    const following = (async () => {
      for await (const { message } of store.follow("c", { pollMs: 20 })) {
        seen.push(message.uuid);
        if (seen.length === 20) return;
      }
    })();
    const waiting = store.open("c", { whenBusy: "interrupt" });
    const all = Array.from({ length: 20 }, (_, at) => talk.user(`message ${at}`));
    for (const message of all) await writer.append([message]);
    await writer.close();
    await (await waiting).close();
    await following;
    expect(seen).toEqual(all.map(({ uuid }) => uuid));
  });

  it("the clock of a client does not count", async () => {
    const store = newStore({ leaseMs: 60_000 });
    const clock = Date.now;
    try {
      const writer = await store.open("c");
      Date.now = () => clock() + 86_400_000;
      await expect(store.open("c")).rejects.toMatchObject({ code: "locked" });
      await writer.append([talk.user("still mine")]);
      Date.now = () => clock() - 86_400_000;
      await expect(store.open("c")).rejects.toMatchObject({ code: "locked" });
      await writer.close();
      const [listed] = await store.list();
      expect(Math.abs((listed?.updatedAt ?? 0) - clock())).toBeLessThan(3_600_000);
    } finally {
      Date.now = clock;
    }
  });

  it("a schema that is older than the program says what to run, and one that is newer what to update", async () => {
    await pool.query("delete from beside.migration where version > 1");
    await expect(newStore({ schema: "beside" }).open("c")).rejects.toThrow(
      /run `palimpsest postgres migrate`/,
    );
    await pool.query("insert into beside.migration (version) values (999)");
    await expect(newStore({ schema: "beside" }).open("c")).rejects.toThrow(
      /newer version \(999\).*update the program/,
    );
    await expect(migrate(pool, { schema: "beside" })).rejects.toThrow(/newer version \(999\)/);
  });

  it("who may not come in is told so: no such database, no such role, no right to the tables", async () => {
    await pool.query("create role stranger login");
    const as = (url: string): Promise<unknown> =>
      newStore({ database: server.pool({ connectionString: url }) }).list();
    await expect(as(server.url.replace(server.name, "elsewhere"))).rejects.toThrow(
      /"elsewhere" does not exist/,
    );
    await expect(as(server.url.replace("owner@", "nobody@"))).rejects.toThrow(/"nobody" does not exist/);
    await expect(as(server.url.replace("owner@", "stranger@"))).rejects.toThrow(/this role may not do that/);
    const stranger = server.pool({ connectionString: server.url.replace("owner@", "stranger@") });
    await expect(migrate(stranger, { schema: "mine" })).rejects.toThrow(/this role may not do that/);
    await expect(migrate(pool, { schema: "mine", role: "ghost" })).rejects.toThrow(/"ghost" does not exist/);
    // What was begun is not there.
    await expect(newStore({ schema: "mine" }).list()).rejects.toThrow(/not up to date \(0 of/);
  });
});

describe.skipIf(firstVersion === undefined)(`a server that ends and comes back${whyNot}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(firstVersion?.programs ?? "");
    await migrate(server.pool());
  });
  afterAll(() => server.stop());

  it("writer and follower go on where they were", async () => {
    const store = createPostgresStore({ database: server.pool(), tenant: "t" });
    const writer = await store.open("c");
    const [before, after] = [talk.user("before"), talk.user("after")];
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const { message } of store.follow("c", { pollMs: 20 })) {
        seen.push(message);
        if (seen.length === 2) return;
      }
    })();
    await writer.append([before]);
    await expect.poll(() => seen).toHaveLength(1);
    await server.kill();
    const appending = writer.append([after]);
    // Long enough for several looks that nobody answers.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.start();
    await appending;
    await following;
    expect(seen).toEqual([before, after]);
    await writer.close();
    expect((await store.readAll("c")).messages).toEqual([before, after]);
  });

  it("a follower that is called off while the server is away ends, and one without a server says so", async () => {
    const store = createPostgresStore({ database: server.pool(), tenant: "t" });
    await store.list();
    const away = new AbortController();
    const following = (async () => {
      for await (const _ of store.follow("nothing", { pollMs: 20, signal: away.signal }))
        throw new Error("no");
      return "ended";
    })();
    await server.kill();
    await new Promise((resolve) => setTimeout(resolve, 100));
    away.abort();
    expect(await following).toBe("ended");
    const other = createPostgresStore({ database: server.pool(), tenant: "t" });
    await expect(other.follow("nothing").next()).rejects.toMatchObject({ code: "io" });
    await server.start();
  });
});
