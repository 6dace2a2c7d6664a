import { standInStoreContract, transcriptStoreContract } from "@palimpsest/core/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { postgresVersions, startPostgres, type PostgresServer } from "../../soak/postgres-server.mjs";
import { createPostgresStore, migrate } from "../../packages/palimpsest/src/stores/postgres/index.js";

describe.each(postgresVersions())("transcript store contract: $name", ({ name, programs, missing }) => {
  const reason = programs === undefined ? ` (not run: ${missing})` : "";
  let server: PostgresServer | undefined;
  let pool: ReturnType<PostgresServer["pool"]>;
  beforeAll(async () => {
    if (programs === undefined) return;
    server = await startPostgres(programs);
    const single = server.pool({ max: 1 });
    await migrate(single);
    await migrate(single, { schema: "parted", partitions: 4 });
    pool = server.pool();
  });
  afterAll(() => server?.stop());

  let tenants = 0;
  for (const schema of name.includes("18") ? ["palimpsest", "parted"] : ["palimpsest"]) {
    describe.skipIf(programs === undefined)(`${schema}${reason}`, () => {
      for (const requirement of standInStoreContract) {
        it(`stand-ins: ${requirement.name}`, () =>
          requirement.run(
            () => createPostgresStore({ database: pool, schema, tenant: `t${(tenants += 1)}` }).standIns,
          ));
      }
      for (const requirement of transcriptStoreContract) {
        it(requirement.name, () =>
          requirement.run(() =>
            createPostgresStore({ database: pool, schema, tenant: `t${(tenants += 1)}` }),
          ),
        );
      }
    });
  }
});
