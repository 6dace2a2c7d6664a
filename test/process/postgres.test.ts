import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conversationBuilder } from "@palimpsest/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crashFleet } from "../../soak/postgres-crash.mjs";
import { noFullDisk } from "../../soak/full-disk.mjs";
import { postgresVersions, startPostgres, type PostgresServer } from "../../soak/postgres-server.mjs";
import { createRandom } from "../../packages/palimpsest/src/bench/random.js";
import {
  createPostgresStore,
  migrate,
  schemaStatus,
  type PostgresWriter,
} from "../../packages/palimpsest/src/stores/postgres/index.js";
import { makeFolders, runCommand, type Folders } from "./agent-command.js";
import { orLess } from "../../packages/palimpsest/src/testing/share.js";

const found = postgresVersions().find(({ programs }) => programs !== undefined);

const reason =
  found === undefined
    ? ` (not run: ${postgresVersions()
        .map(({ missing }) => missing)
        .join("; ")})`
    : "";
const programs = found?.programs ?? "";
const noDisk = noFullDisk();

describe.skipIf(found === undefined)(`PostgreSQL and processes${reason}`, () => {
  let server: PostgresServer;
  let at: Folders;
  beforeAll(async () => {
    server = await startPostgres(programs);
    at = await makeFolders("postgres");
  });
  afterAll(async () => {
    await server.stop();
    await at.remove();
  });
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = { DATABASE_URL: server.url }) =>
    runCommand(at, ["postgres", ...args], env);

  it("the command makes tables, takes a transcript in and gives the same bytes back", async () => {
    const { newest } = await schemaStatus(server.pool());
    expect(await run(["check"])).toMatchObject({ code: 1 });
    expect((await run(["migrate", "--partitions", "3"])).stdout).toBe(
      `The schema palimpsest was brought to version ${newest}.\n`,
    );
    expect((await run(["migrate"])).stdout).toBe("The schema palimpsest was up to date.\n");
    expect(JSON.parse((await run(["check", "--json"])).stdout)).toMatchObject({
      version: newest,
      ready: true,
    });
    const talk = conversationBuilder();
    const lines = [talk.user("hello"), talk.assistant("hi")].map((message) => `${JSON.stringify(message)}\n`);
    const content = Buffer.concat([Buffer.from(lines.join("")), Buffer.from([0, 0xff, 0x0a])]);
    await writeFile(join(at.work, "talk.jsonl"), content);
    expect((await run(["import", "talk.jsonl", "--tenant", "acme"])).stdout).toMatch(/stored as talk/);
    expect(await run(["import", "talk.jsonl", "--tenant", "acme"])).toMatchObject({ code: 1 });
    expect((await run(["list", "--tenant", "acme"])).stdout).toMatch(/^talk /);
    expect((await run(["list"])).stdout).toBe("There are no conversations here yet.\n");
    expect(await run(["export", "talk", "out.jsonl", "--tenant", "acme"])).toMatchObject({ code: 0 });
    expect((await readFile(join(at.work, "out.jsonl"))).equals(content)).toBe(true);
    expect((await run(["export", "talk", "out.jsonl", "--tenant", "acme"])).code).toBe(1);
    expect((await run(["export", "talk", "--tenant", "other"])).stderr).toMatch(/no conversation talk/);
    expect((await run(["purge", "--older-than", "0", "--tenant", "acme"])).stdout).toBe("0 lines deleted.\n");
    expect((await run(["delete", "talk", "--tenant", "acme"])).stderr).toMatch(/say --yes/);
    expect((await run(["delete", "talk", "--yes"])).stderr).toMatch(/no conversation talk/);
    expect((await run(["delete", "talk", "--yes", "--tenant", "acme"])).stdout).toBe("talk was deleted.\n");
    expect((await run(["list", "--tenant", "acme"])).stdout).toBe("There are no conversations here yet.\n");
  });

  it("says in one sentence what is wrong, and never the password", async () => {
    expect((await run(["check"], {})).stderr).toMatch(/no database is named/);
    const secret = "postgres://owner:topsecret@127.0.0.1:1/postgres";
    const { code, stdout, stderr } = await run(["check"], { DATABASE_URL: secret });
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be reached/);
    expect(stdout + stderr).not.toContain("topsecret");
    for (const url of ["nonsense", "http://127.0.0.1:1/x", "/tmp"]) {
      expect((await run(["check", "--url", url])).stderr).toMatch(/must begin with postgres:/);
    }
    expect((await run(["migrate", "--partitions", "many"])).stderr).toMatch(/whole number/);
    expect((await run(["migrate", "--schema", 'x"; drop schema public'])).stderr).toMatch(
      /cannot name a schema/,
    );
    expect((await run(["purge", "--older-than", "soon"])).stderr).toMatch(/whole number/);
  });

  it("a wrong password is told as such, and not shown", async () => {
    const pool = server.pool();
    await pool.query("create role locked login password 'right'");
    const rules = join(server.directory, "data", "pg_hba.conf");
    await writeFile(rules, `host all locked all scram-sha-256\n${await readFile(rules, "utf8")}`);
    await pool.query("select pg_reload_conf()");
    const withPassword = (password: string): string => server.url.replace("owner@", `locked:${password}@`);
    const refused = (): Promise<unknown> => {
      const locked = server.pool({ connectionString: withPassword("wrong") });
      return createPostgresStore({ database: locked, tenant: "t" })
        .list()
        .catch((error: unknown) => error);
    };
    await expect.poll(refused).toMatchObject({
      code: "io",
      message: expect.stringMatching(/password authentication failed for user "locked"/),
    });
    const { code, stdout, stderr } = await run(["list"], { DATABASE_URL: withPassword("topsecret") });
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be reached: password authentication failed/);
    expect(stdout + stderr).not.toContain("topsecret");
  });

  it("deletes what can be deleted and says what cannot; of two imports of one id one is stored; a follower hears of its end", async () => {
    const store = createPostgresStore({ database: server.pool(), tenant: "acme" });
    const talk = conversationBuilder();
    const fill = async (id: string): Promise<PostgresWriter> => {
      const writer = await store.open(id);
      await writer.append([talk.user(`in ${id}`)]);
      return writer;
    };
    for (const id of ["a", "c"]) await (await fill(id)).close();
    const held = await fill("held");
    const seen: string[] = [];
    const following = (async () => {
      for await (const { message } of store.follow("a", { pollMs: 50 })) seen.push(message.uuid);
    })().catch((error: unknown) => error);
    await expect.poll(() => seen).toHaveLength(1);
    const deleting = await run(["delete", "a", "held", "none", "c", "--yes", "--json", "--tenant", "acme"]);
    expect(deleting.code).toBe(1);
    expect(JSON.parse(deleting.stdout)).toEqual({
      deleted: ["a", "c"],
      failed: [
        { conversation: "held", error: "Conversation held is being written and was not deleted." },
        { conversation: "none", error: "There is no conversation none in this store." },
      ],
    });
    expect(deleting.stderr).toMatch(/held is being written.*\n.*no conversation none/);
    expect(await following).toMatchObject({ code: "not_found", message: "Conversation a was deleted." });
    await held.close();
    expect((await store.list()).map(({ id }) => id)).toEqual(["held"]);

    const files = ["one", "two"].map((name) => ({
      name: `${name}.jsonl`,
      content: `${JSON.stringify(talk.user(name))}\n`.repeat(3000),
    }));
    for (const { name, content } of files) await writeFile(join(at.work, name), content);
    const imports = await Promise.all(
      files.map(({ name }) => run(["import", name, "--as", "both", "--tenant", "acme"])),
    );
    const winner = imports.findIndex(({ code }) => code === 0);
    expect(imports.map(({ code }) => code).toSorted((left, right) => (left ?? 0) - (right ?? 0))).toEqual([
      0, 1,
    ]);
    expect(imports[1 - winner]?.stderr).toMatch(/both is in this store already/);
    await store.exportTo("both", join(at.work, "both.out"));
    expect(await readFile(join(at.work, "both.out"), "utf8")).toBe(files[winner]?.content);
  });

  it("a fleet of workers is killed in every way: nothing acknowledged is lost, nothing twice, never two writers", async () => {
    const counts: Record<string, number> = {};
    const blows = orLess(20, 8);
    await crashFleet({
      programs,
      workers: 5,
      conversations: 10,
      blows,
      random: createRandom(17),
      step: async (more) => {
        for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
      },
    });
    const kinds = ["worker", "backend", "pause", "cut", "postmaster"];
    if (noDisk === undefined) kinds.push("disk");
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(kinds));
    expect(counts["blows"]).toBe(blows);
  });

  it.skipIf(noDisk !== undefined)(
    `a full disk is said, loses nothing that was acknowledged, and ends when there is room${noDisk === undefined ? "" : ` (not run: ${noDisk})`}`,
    async () => {
      const small = await startPostgres(programs);
      try {
        await migrate(small.pool({ max: 1 }));
        // More than a file of the log.
        await small.fillDisk(17 * 1024);
        const store = createPostgresStore({ database: small.pool(), tenant: "t" });
        const talk = conversationBuilder();
        const acknowledged: string[] = [];
        const writer = await store.open("c");
        const noise = (): string => Array.from({ length: 40_000 }, () => Math.random().toString(36)).join("");
        const fill = async (): Promise<void> => {
          while (acknowledged.length < 200) {
            const message = talk.user(noise());
            await writer.append([message]);
            acknowledged.push(message.uuid);
          }
        };
        await expect(fill()).rejects.toMatchObject({ code: "io" });
        await writer.close();
        const stored = async (): Promise<readonly string[]> =>
          (await store.readAll("c")).messages.map(({ uuid }) => uuid);
        expect(await stored()).toEqual(acknowledged);
        await small.makeRoom();
        const next = await store.open("c", { whenBusy: "enqueue" });
        const last = talk.user("room again");
        await next.append([last]);
        await next.close();
        expect(await stored()).toEqual([...acknowledged, last.uuid]);
      } finally {
        await small.stop();
      }
    },
  );
});
