import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conversationBuilder } from "@palimpsest/core/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstVersion, ownDatabase, type OwnDatabase, whyNot } from "./own-database.js";
import {
  bindRole,
  createPostgresStore,
  migrate,
  schemaStatus,
  type PostgresStore,
} from "../../packages/palimpsest/src/stores/postgres/index.js";

describe.skipIf(firstVersion === undefined)(`conversations in PostgreSQL${whyNot}`, () => {
  let server: OwnDatabase;
  let pool: pg.Pool;
  let directory = "";
  let tenants = 0;
  const newStore = (options: Partial<Parameters<typeof createPostgresStore>[0]> = {}): PostgresStore =>
    createPostgresStore({ database: pool, tenant: `t${(tenants += 1)}`, ...options });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "palimpsest-pg-test-"));
    server = await ownDatabase();
    const single = server.pool({ max: 1 });
    await single.query("create role worker login");
    await single.query("create role tied login");
    await migrate(single, { role: "worker" });
    await migrate(single, { role: "tied" });
    await bindRole(single, { role: "tied", tenant: "mine" });
    pool = server.pool();
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const poolOf = (role: string): pg.Pool =>
    server.pool({ connectionString: server.url.replace("owner@", `${role}@`) });

  it("a file of lines that no reader understands comes out as it went in", async () => {
    const lines = [
      Buffer.from('{"type":"user"}\n'),
      Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x7d, 0x0a]),
      Buffer.from("\n\r\n"),
      Buffer.from('{"a":"\ud800"}\n', "utf16le"),
      Buffer.from("\ufeff漢字\u2028\n"),
      Buffer.alloc(50_000_000, "x"),
      Buffer.from('{"unfinished'),
    ];
    const path = join(directory, "hostile.jsonl");
    await writeFile(path, Buffer.concat(lines));
    const store = newStore();
    await store.importFrom("hostile", path);
    await store.exportTo("hostile", join(directory, "hostile.out"));
    expect((await readFile(join(directory, "hostile.out"))).equals(Buffer.concat(lines))).toBe(true);
    await expect(store.importFrom("hostile", path)).rejects.toMatchObject({ code: "locked" });
    await expect(store.importFrom("nowhere", join(directory, "nowhere"))).rejects.toMatchObject({
      code: "io",
    });
    await expect(store.importFrom("folder", directory)).rejects.toThrow(/is not a file/);
    expect((await store.list()).map(({ id }) => id)).toEqual(["hostile"]);
    await expect(store.exportTo("nobody", join(directory, "nobody"))).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("a writer that sleeps longer than its lease is refused, also where nobody took over", async () => {
    const store = newStore({ leaseMs: 200 });
    const talk = conversationBuilder();
    const [one, two] = [talk.user("one"), talk.user("two")];
    const sleepy = await store.open("c");
    await sleepy.append([one]);
    // As after a pause of the whole process: no timer has renewed it.
    await pool.query("update palimpsest.conversation set expires = clock_timestamp() - interval '1 second'");
    await expect(sleepy.append([two])).rejects.toMatchObject({ code: "locked" });
    expect(sleepy.signal.aborted).toBe(true);
    const next = await store.open("c");
    expect(next.generation).toBe(sleepy.generation + 1);
    await next.append([two]);
    await expect(sleepy.append([two])).rejects.toMatchObject({ code: "locked" });
    await sleepy.close();
    await expect(store.open("c")).rejects.toMatchObject({ code: "locked" });
    await next.close();
    expect((await store.readAll("c")).messages).toEqual([one, two]);
  });

  it("a lease is renewed while its writer lives", async () => {
    const store = newStore({ leaseMs: 300 });
    const writer = await store.open("c");
    const until = async (): Promise<unknown> => {
      const { rows } = await pool.query(
        "select max(expires) as until from palimpsest.conversation where owner is not null",
      );
      return (rows[0] as { until: Date }).until.getTime();
    };
    const first = await until();
    await expect.poll(until).not.toBe(first);
    await writer.append([conversationBuilder().user("still here")]);
    await writer.close();
  });

  it("an acknowledgement that was lost is not paid for with a second copy", async () => {
    const lossy = {
      lose: false,
      async query(text: string, values?: unknown[]) {
        const answer = await pool.query(text, values);
        if (lossy.lose && text.includes(".append_batch(")) {
          lossy.lose = false;
          throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
        }
        return answer as { rows: Record<string, unknown>[] };
      },
    };
    const store = newStore({ database: lossy });
    const talk = conversationBuilder();
    const messages = [talk.user("one"), talk.assistant("two")];
    const writer = await store.open("c");
    lossy.lose = true;
    await writer.append(messages);
    expect(lossy.lose).toBe(false);
    const last = talk.user("three");
    await writer.append([last]);
    await writer.close();
    expect((await store.readAll("c")).messages).toEqual([...messages, last]);
  });

  it("a batch whose key the conversation holds is not stored again, by another process either", async () => {
    const store = newStore();
    const talk = conversationBuilder();
    const [one, again] = [talk.user("one"), talk.user("the same job once more")];
    const first = await store.open("c");
    await first.append([one], { key: "job-7" });
    await first.close();
    const second = await store.open("c");
    await second.append([again], { key: "job-7" });
    const next = talk.user("next");
    await second.append([next], { key: "job-8" });
    await second.close();
    expect((await store.readAll("c")).messages).toEqual([one, next]);
  });

  it("those who wait in line get the conversation one after another, in their order", async () => {
    const store = newStore();
    const talk = conversationBuilder();
    const holder = await store.open("c");
    const order: number[] = [];
    const waiting: Promise<void>[] = [];
    for (const at of [1, 2, 3]) {
      waiting.push(
        store.open("c", { whenBusy: "enqueue" }).then(async (writer) => {
          order.push(at);
          await writer.append([talk.user(`turn ${at}`)]);
          await writer.close();
        }),
      );
      await expect.poll(async () => (await pool.query("select from palimpsest.waiter")).rowCount).toBe(at);
    }
    await expect(store.open("c")).rejects.toMatchObject({ code: "locked" });
    await holder.close();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect((await pool.query("select from palimpsest.waiter")).rowCount).toBe(0);
  });

  it("whoever gives up waiting leaves the line", async () => {
    const store = newStore();
    const holder = await store.open("c");
    const away = new AbortController();
    const waiting = store.open("c", { whenBusy: "enqueue", signal: away.signal });
    await expect.poll(async () => (await pool.query("select from palimpsest.waiter")).rowCount).toBe(1);
    away.abort();
    await expect(waiting).rejects.toThrow();
    expect((await pool.query("select from palimpsest.waiter")).rowCount).toBe(0);
    await holder.close();
    await (await store.open("c")).close();
  });

  it("an interrupt tells the holder to stop, and waits until he has", async () => {
    const store = newStore({ leaseMs: 600 });
    const holder = await store.open("c");
    const taking = store.open("c", { whenBusy: "interrupt" });
    await new Promise((resolve) =>
      holder.signal.addEventListener("abort", () => resolve(undefined), { once: true }),
    );
    await holder.append([conversationBuilder().user("what I was at")]);
    await holder.close();
    const writer = await taking;
    expect(writer.signal.aborted).toBe(false);
    await writer.close();
    expect((await store.readAll("c")).messages).toHaveLength(1);
  });

  it("a follower sees every message once and in order, also of another process and after a lost connection", async () => {
    const clients: pg.Client[] = [];
    const listen = (): pg.Client => {
      const client = new pg.Client({ connectionString: server.url });
      clients.push(client);
      return client;
    };
    const tenant = `t${(tenants += 1)}`;
    const reader = createPostgresStore({ database: pool, tenant, listen });
    const writing = createPostgresStore({ database: server.pool(), tenant });
    const talk = conversationBuilder();
    const messages = Array.from({ length: 30 }, (_, at) => talk.user(`message ${at}`));
    const seen: string[] = [];
    const away = new AbortController();
    let next = 0;
    const following = (async () => {
      for await (const event of reader.follow("c", { signal: away.signal, pollMs: 50 })) {
        seen.push(event.message.uuid);
        next = event.next;
      }
    })();
    const writer = await writing.open("c");
    for (const [at, message] of messages.entries()) {
      await writer.append([message]);
      if (at === 10)
        await pool.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
        );
    }
    await expect.poll(() => seen.length).toBe(30);
    expect(seen).toEqual(messages.map(({ uuid }) => uuid));
    away.abort();
    await following;
    const last = talk.user("later");
    await writer.append([last]);
    for await (const { message } of reader.follow("c", { from: next })) {
      expect(message).toEqual(last);
      break;
    }
    await writer.close();
    await reader.close();
  });

  it("any number of followers and of those who wait in line end with one signal, and Node warns of none", async () => {
    const store = newStore();
    const writer = await store.open("c");
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const away = new AbortController();
    const { signal } = away;
    const drained = Array.from({ length: 20 }, async () => {
      for await (const _ of store.follow("c", { signal })) throw new Error("there is nothing");
    });
    const waiting = Array.from({ length: 20 }, () =>
      expect(store.open("c", { whenBusy: "enqueue", signal })).rejects.toThrow(/could not be opened/),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    away.abort();
    await Promise.all([...drained, ...waiting]);
    process.off("warning", note);
    expect(warnings).toEqual([]);
    await writer.close();
  });

  it("an import that was cut off is not there, is cleared away by a later one, and can be made again", async () => {
    const tenant = `t${(tenants += 1)}`;
    const path = join(directory, "cut.jsonl");
    const line = `${JSON.stringify(conversationBuilder().user("x".repeat(900)))}\n`;
    await writeFile(path, line.repeat(1200));
    let calls = 0;
    const failing = {
      query: (text: string, values?: unknown[]) => {
        if (text.includes(".stage_lines") && (calls += 1) === 2) throw new Error("cut");
        // Nor can what is dead clear up after itself.
        if (calls === 2 && text.includes(".drop_imports")) throw new Error("dead");
        return pool.query(text, values);
      },
    };
    const cut = createPostgresStore({ database: failing, tenant });
    await expect(cut.importFrom("c", path)).rejects.toThrow(/cut/);
    const store = createPostgresStore({ database: pool, tenant });
    expect(await store.list()).toEqual([]);
    await expect(store.readAll("c")).rejects.toMatchObject({ code: "not_found" });
    const staged = async (): Promise<number | null> =>
      (await pool.query("select from palimpsest.import_line where tenant = $1", [tenant])).rowCount;
    expect(await staged()).toBe(500);
    expect(await store.importFrom("c", path)).toBe(line.length * 1200);
    expect(await staged()).toBe(500);
    await pool.query("update palimpsest.import_line set at = now() - interval '2 hours' where tenant = $1", [
      tenant,
    ]);
    await store.importFrom("d", path);
    expect(await staged()).toBe(0);
    await store.exportTo("c", join(directory, "cut.out"));
    expect(await readFile(join(directory, "cut.out"), "utf8")).toBe(line.repeat(1200));
  });

  it("a conversation is deleted with its notes, not while somebody writes it, and its old writer stays refused", async () => {
    const store = newStore({ leaseMs: 150, owner: "same" });
    const talk = conversationBuilder();
    const writer = await store.open("c");
    await writer.append([talk.user("gone")]);
    await store.notes("c").write("gone too");
    await expect(store.delete("c")).rejects.toMatchObject({ code: "locked" });
    await expect(store.delete("nobody")).rejects.toMatchObject({ code: "not_found" });
    await writer.close();
    await store.delete("c");
    await expect(store.readAll("c")).rejects.toMatchObject({ code: "not_found" });
    expect(await store.notes("c").read()).toBeUndefined();
    await expect(writer.append([talk.user("late")])).rejects.toMatchObject({ code: "closed" });
    const again = await store.open("c");
    await again.append([talk.user("new")]);
    await again.close();
    expect((await store.readAll("c")).messages).toHaveLength(1);
  });

  it("retention takes what is old and not live, and what is live stays the same", async () => {
    const store = newStore();
    const talk = conversationBuilder();
    const old = Array.from({ length: 40 }, (_, at) => talk.user(`old ${at}`));
    const kept = [talk.user("kept"), talk.assistant("too")] as const;
    const compaction = talk.compaction({ head: kept[0], tail: kept[1], place: "after-summary" });
    const later = talk.user("later");
    const writer = await store.open("c");
    await writer.append([...old, ...kept]);
    await writer.append([...compaction, later]);
    await writer.close();
    const before = await store.readLive("c");
    expect(await store.deleteOld({ before: new Date(0) })).toBe(0);
    expect(await store.deleteOld({ before: new Date(Date.now() + 60_000), batch: 7 })).toBe(40);
    expect(await store.readLive("c")).toEqual(before);
    expect((await store.readAll("c")).messages.map(({ uuid }) => uuid)).toEqual(
      [...kept, ...compaction, later].map(({ uuid }) => uuid),
    );
    const again = await store.open("c");
    const next = talk.assistant("goes on");
    await again.append([next]);
    await again.close();
    expect((await store.readLive("c")).messages.at(-1)).toEqual(next);
  });

  describe("tenants", () => {
    it("a role that is not the owner sees nothing of another tenant, through every function", async () => {
      const worker = poolOf("worker");
      const [mine, theirs] = [newStore({ database: worker }), newStore({ database: worker })];
      const secret = conversationBuilder().user("secret");
      const writer = await theirs.open("c");
      await writer.append([secret], { key: "k" });
      await theirs.notes("c").write("their notes");
      await theirs.standIns.insert("k", "their summary");
      expect(await mine.list()).toEqual([]);
      await expect(mine.readAll("c")).rejects.toMatchObject({ code: "not_found" });
      await expect(mine.readLive("c")).rejects.toMatchObject({ code: "not_found" });
      await expect(mine.exportTo("c", join(directory, "stolen"))).rejects.toMatchObject({
        code: "not_found",
      });
      expect(await mine.notes("c").read()).toBeUndefined();
      expect(await mine.standIns.find(["k"])).toBeUndefined();
      expect(await mine.standIns.insert("k", "mine")).toBe("mine");
      expect(await mine.deleteOld({ before: new Date(Date.now() + 1e6) })).toBe(1);
      expect(await theirs.standIns.find(["k"])).toEqual({ key: "k", values: ["their summary"] });
      await expect(mine.delete("c")).rejects.toMatchObject({ code: "not_found" });
      for await (const _ of mine.follow("c", { signal: AbortSignal.timeout(50), pollMs: 10 })) {
        throw new Error("followed another tenant's conversation");
      }
      // Taking the same id takes another conversation.
      const own = await mine.open("c");
      await own.append([conversationBuilder().user("mine")], { key: "k" });
      await own.close();
      expect((await mine.readAll("c")).messages).toHaveLength(1);
      // Tables are empty for whoever asks them without a tenant.
      for (const table of ["conversation", "entry", "waiter", "document", "stand_in", "import_line"]) {
        expect((await worker.query(`select * from palimpsest.${table}`)).rows).toEqual([]);
      }
      await expect(worker.query("select * from palimpsest.tenant_role")).rejects.toThrow(/permission denied/);
      await expect(
        worker.query("insert into palimpsest.conversation (tenant, id) values ('other', 'forged')"),
      ).rejects.toThrow(/row-level security/);
      await writer.close();
      expect((await theirs.readAll("c")).messages).toEqual([secret]);
    });

    it("a role that is bound to a tenant cannot name another one, not even in SQL of its own", async () => {
      const tied = poolOf("tied");
      const owner = createPostgresStore({ database: pool, tenant: "theirs" });
      const writer = await owner.open("c");
      await writer.append([conversationBuilder().user("secret")]);
      await writer.close();
      const mine = createPostgresStore({ database: tied, tenant: "mine" });
      await (await mine.open("c")).close();
      const forged = createPostgresStore({ database: tied, tenant: "theirs" });
      expect(await forged.list()).toEqual([]);
      await expect(forged.readAll("c")).rejects.toMatchObject({ code: "not_found" });
      await expect(forged.open("c")).rejects.toMatchObject({ code: "io" });
      await expect(forged.delete("c")).rejects.toMatchObject({ code: "not_found" });
      await writeFile(join(directory, "forged.jsonl"), "x\n");
      await expect(forged.importFrom("d", join(directory, "forged.jsonl"))).rejects.toMatchObject({
        code: "io",
      });
      await expect(forged.notes("c").write("forged")).rejects.toThrow(/row-level security/);
      await expect(forged.standIns.insert("k", "forged")).rejects.toThrow(/row-level security/);
      expect(await forged.deleteOld({ before: new Date(Date.now() + 1e6) })).toBe(0);
      const client = await tied.connect();
      await client.query("set palimpsest.tenant = 'theirs'");
      expect((await client.query("select * from palimpsest.entry")).rows).toEqual([]);
      client.release();
    });

    it("no function of the schema gives a bound role anything of another tenant, or changes it, whatever it is told", async () => {
      const theirs = newStore({ tenant: "hidden" });
      const writer = await theirs.open("c");
      await writer.append([conversationBuilder().user("secret")], { key: "k" });
      await theirs.notes("c").write("secret");
      await theirs.standIns.insert("k", "secret");
      const tables = ["conversation", "entry", "waiter", "document", "stand_in", "import_line"];
      const held = async (): Promise<unknown> =>
        Promise.all(
          tables.map(
            async (table) =>
              (await pool.query(`select * from palimpsest.${table} where tenant = 'hidden' order by 1, 2`))
                .rows,
          ),
        );
      const before = await held();
      const { rows: leases } = await pool.query(
        "select owner, generation, head from palimpsest.conversation where tenant = 'hidden'",
      );
      const { owner, generation, head } = leases[0] as Record<string, unknown>;
      const { rows: keys } = await pool.query("select key from palimpsest.stand_in where tenant = 'hidden'");
      const { key } = keys[0] as { key: Buffer };
      // What somebody would say who knows everything of them.
      const known: Readonly<Record<string, unknown>> = {
        p_tenant: "hidden",
        p_conversation: "c",
        p_owner: owner,
        p_generation: generation,
        p_ttl: 60_000,
        p_head: head,
        p_total: 2,
        p_batch: "1",
        p_key: null,
        p_seqs: [head],
        p_sizes: [2],
        p_forms: [0],
        p_boundaries: null,
        p_lines: null,
        p_mode: "interrupt",
        p_from: 0,
        p_to: 1e9,
        p_most: 100,
        p_kind: "notes",
        p_name: "c",
        p_content: "forged",
        p_first: false,
        p_keys: [key],
        p_value: "forged",
        p_before: new Date(Date.now() + 1e6),
        p_floor: 1e9,
        p_after: "",
        p_import: "forged",
        p_role: "worker",
      };
      const special: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
        append: { p_boundaries: [false], p_lines: ["x"] },
        append_batch: { p_boundaries: [], p_lines: "x" },
        stage_lines: { p_boundaries: [false], p_lines: ["x"] },
        insert_stand_in: { p_key: key, p_from: null },
      };
      const { rows: functions } = await pool.query(
        "select p.proname as name, p.proargnames[1:p.pronargs] as names from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'palimpsest'",
      );
      expect(functions.length).toBeGreaterThan(20);
      const tied = poolOf("tied");
      for (const { name, names } of functions as { name: string; names: readonly string[] }[]) {
        const told = { ...known, ...special[name] };
        expect({ name, unknown: names.filter((argument) => !(argument in told)) }).toEqual({
          name,
          unknown: [],
        });
        const places = names.map((_, at) => `$${at + 1}`).join(", ");
        const answer = await tied
          .query(
            `select * from palimpsest.${name}(${places})`,
            names.map((argument) => told[argument]),
          )
          .then(
            ({ rows }) => rows,
            (error: Error) => {
              // Refused as what it is, and not because the call was not one.
              expect(`${name}: ${error.message}`).toMatch(/row-level security/);
              return [];
            },
          );
        expect(`${name}: ${JSON.stringify(answer)}`).not.toContain("secret");
      }
      expect(await held()).toEqual(before);
      await writer.close();
    });
  });

  it("retention finds what is old among many, whoever else is there, and ends when it is called off", async () => {
    const store = newStore();
    const other = newStore();
    const talk = conversationBuilder();
    const fill = async (where: PostgresStore, id: string, isCompacted: boolean): Promise<void> => {
      const writer = await where.open(id);
      await writer.append([talk.user("old"), talk.assistant("old too")]);
      if (isCompacted) await writer.append(talk.compaction());
      await writer.append([talk.user("live")]);
      await writer.close();
    };
    const ids = Array.from({ length: 130 }, (_, at) => `c${at}`);
    for (const [at, id] of ids.entries()) await fill(store, id, at % 2 === 0);
    await fill(other, "c0", true);
    const young = new Date(Date.now() - 3_600_000);
    expect(await store.deleteOld({ before: young })).toBe(0);
    const before = new Date(Date.now() + 60_000);
    expect(await store.deleteOld({ before, signal: AbortSignal.abort() })).toBe(0);
    expect(await store.deleteOld({ before })).toBe(130);
    expect(await store.deleteOld({ before })).toBe(0);
    for (const id of ids.slice(0, 4)) {
      const { messages } = await store.readLive(id);
      expect(JSON.stringify(messages.at(-1))).toContain("live");
    }
    expect((await store.readAll("c1")).messages).toHaveLength(3);
    expect((await other.readAll("c0")).messages).toHaveLength(5);
  });

  it("notes, calibration and gaps are kept by tenant", async () => {
    const [one, two] = [newStore(), newStore()];
    await one.notes("c").write("a\0b \ud800 漢");
    expect(await one.notes("c").read()).toBe("ab \ufffd 漢");
    expect(await two.notes("c").read()).toBeUndefined();
    expect(await one.calibration.load("m")).toBeUndefined();
    expect(await one.gapHistory.load()).toBeUndefined();
    const calibration = { scale: 1.25, errors: [0.1, -0.2] };
    await one.calibration.save("m", { scale: 1, errors: [] });
    await one.calibration.save("m", calibration);
    await one.gapHistory.save({ version: 1, sources: {} });
    expect(await one.calibration.load("m")).toEqual(calibration);
    expect(await one.calibration.load("another")).toBeUndefined();
    expect(await one.gapHistory.load()).toEqual({ version: 1, sources: {} });
    expect(await two.calibration.load("m")).toBeUndefined();
    expect(await two.gapHistory.load()).toBeUndefined();
  });

  it("says what to do where the tables are missing, newer, or cannot be reached", async () => {
    await expect(newStore({ schema: "elsewhere" }).list()).rejects.toThrow(/palimpsest postgres migrate/);
    expect(await schemaStatus(pool, { schema: "elsewhere" })).toMatchObject({ version: 0 });
    const single = server.pool({ max: 1 });
    await migrate(single, { schema: "newer" });
    expect(await migrate(single, { schema: "newer" })).toEqual([]);
    await single.query("insert into newer.migration (version) values (999)");
    await expect(newStore({ schema: "newer" }).list()).rejects.toThrow(/newer version/);
    const nowhere = new pg.Pool({ connectionString: "postgres://owner@127.0.0.1:1/postgres" });
    await expect(newStore({ database: nowhere }).list()).rejects.toMatchObject({ code: "io" });
    await nowhere.end();
    expect(() => newStore({ tenant: "" })).toThrow(/tenant/);
    expect(() => newStore({ schema: 'x"; drop' })).toThrow(/schema/);
    expect(() => newStore({ leaseMs: -1 })).toThrow(/leaseMs/);
    await expect(migrate(single, { partitions: -1 })).rejects.toThrow(/partitions/);
  });
});
