import { standInStoreContract, transcriptStoreContract } from "@palimpsest/core/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ownDatabase, versionsHere, type OwnDatabase } from "./own-database.js";
import { createPostgresStore, migrate } from "../../packages/palimpsest/src/stores/postgres/index.js";

describe.each(versionsHere)("transcript store contract: $name", ({ name, programs, missing }) => {
  const reason = programs === undefined ? ` (not run: ${missing})` : "";
  let server: OwnDatabase | undefined;
  let pool: ReturnType<OwnDatabase["pool"]>;
  beforeAll(async () => {
    if (programs === undefined) return;
    server = await ownDatabase(name);
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
