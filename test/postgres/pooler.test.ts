import { spawn, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conversationBuilder, transcriptStoreContract } from "@palimpsest/core/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresStore, migrate } from "../../packages/palimpsest/src/stores/postgres/index.js";
import { freePort } from "../../soak/postgres-server.mjs";
import { firstVersion, ownDatabase, type OwnDatabase } from "./own-database.js";

const PGBOUNCER = "/usr/sbin/pgbouncer";
const NOBODY = 65_534;
const isThere = existsSync(PGBOUNCER) && firstVersion !== undefined;
const reason = isThere ? "" : " (not run: Debian's package pgbouncer, or a PostgreSQL, is not installed)";

describe.skipIf(!isThere)(`through PgBouncer in transaction mode${reason}`, () => {
  let server: OwnDatabase;
  let pooler: ChildProcess;
  let directory = "";
  let pool: pg.Pool;

  beforeAll(async () => {
    server = await ownDatabase();
    await migrate(server.pool({ max: 1 }));
    directory = mkdtempSync(join(tmpdir(), "palimpsest-pooler-"));
    const port = await freePort();
    const isRoot = process.getuid?.() === 0;
    const settings = [
      "[databases]",
      `${server.name} = host=127.0.0.1 port=${server.port} user=owner`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any`,
      // Fewer connections than clients, and every statement may come to another one.
      "pool_mode = transaction\ndefault_pool_size = 3\nmax_client_conn = 100\nserver_reset_query =",
    ];
    writeFileSync(join(directory, "pgbouncer.ini"), `${settings.join("\n")}\n`);
    if (isRoot)
      for (const path of [directory, join(directory, "pgbouncer.ini")]) chownSync(path, NOBODY, NOBODY);
    // It ends with whoever holds the other end of its shell's input, however that ends.
    const script = '"$0" "$1" & cat > /dev/null; kill -s KILL $!';
    pooler = spawn("sh", ["-c", script, PGBOUNCER, join(directory, "pgbouncer.ini")], {
      stdio: ["pipe", "ignore", "ignore"],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    pool = new pg.Pool({ connectionString: `postgres://owner@127.0.0.1:${port}/${server.name}`, max: 12 });
    pool.on("error", () => undefined);
    const answers = (): Promise<boolean> =>
      pool.query("select 1").then(
        () => true,
        () => false,
      );
    while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  afterAll(async () => {
    await pool.end();
    pooler.stdin?.end();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  let tenants = 0;
  for (const requirement of transcriptStoreContract) {
    it(requirement.name, () =>
      requirement.run(() => createPostgresStore({ database: pool, tenant: `t${(tenants += 1)}` })),
    );
  }

  it("tenants do not leak from one statement to the next on a shared connection", async () => {
    const stores = Array.from({ length: 6 }, (_, at) =>
      createPostgresStore({ database: pool, tenant: `own-${at}` }),
    );
    await Promise.all(
      stores.map(async (store, at) => {
        const writer = await store.open("same-id");
        const talk = conversationBuilder();
        for (let turn = 0; turn < 10; turn += 1) await writer.append([talk.user(`of ${at}`)]);
        await writer.close();
      }),
    );
    for (const [at, store] of stores.entries()) {
      const { messages } = await store.readAll("same-id");
      expect(messages).toHaveLength(10);
      expect(JSON.stringify(messages).match(/of \d/g)).toEqual(Array.from({ length: 10 }, () => `of ${at}`));
    }
    const { rows } = await pool.query("select current_setting('palimpsest.tenant', true) as tenant");
    expect([null, ""]).toContain(rows[0]?.tenant);
  });
});
