import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lifeEvents, playLife, type LifeEvent } from "../../packages/palimpsest/src/soak/random-life.js";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";
import {
  createPostgresStore,
  migrate,
  type PostgresStore,
} from "../../packages/palimpsest/src/stores/postgres/index.js";
import { historySteps, playHistory } from "../../packages/palimpsest/src/stores/testing/random-history.js";
import { ownDatabase, versionsHere, type OwnDatabase } from "./own-database.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const rows = versionsHere.map(({ name, programs, missing }) => ({
  name: programs === undefined ? `${name} (not run: ${missing})` : name,
  version: name,
  programs,
}));

/** Both versions keep the contract of a store in every run; of these two one is tried each time. */
const tried = rows.some(({ programs }) => programs !== undefined)
  ? rows.filter(({ programs }) => programs !== undefined)
  : rows;

for (const { name, version, programs } of someOf(tried, 1)) {
  describe.skipIf(programs === undefined)(`resumed from ${name}`, () => {
    let server: OwnDatabase;
    let pool: pg.Pool;
    let directory = "";
    let tenants = 0;
    const newStore = (): PostgresStore =>
      createPostgresStore({ database: pool, tenant: `t${(tenants += 1)}` });
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "palimpsest-pg-resume-"));
      server = await ownDatabase(version);
      await migrate(server.pool({ max: 1 }));
      pool = server.pool();
    });
    afterAll(async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });

    it("holds the bytes that the JSONL store holds, whatever happened, and both give the same back", async () => {
      const files = createJsonlStore({ directory });
      let count = 0;
      await fc.assert(
        fc.asyncProperty(historySteps, async (steps) => {
          count += 1;
          const store = newStore();
          const id = `history-${count}`;
          for (const one of [store, files]) {
            let writer = await one.open(id);
            for (const batch of playHistory(steps)) {
              if (batch !== undefined) await writer.append(batch);
              else {
                await writer.close();
                writer = await one.open(id);
              }
            }
            await writer.close();
          }
          const path = join(directory, `${id}.out`);
          await store.exportTo(id, path);
          expect(await readFile(path, "utf8")).toBe(await readFile(join(directory, `${id}.jsonl`), "utf8"));
          expect(await store.readLive(id)).toEqual(await files.readLive(id));
          expect(await store.readAll(id)).toEqual(await files.readAll(id));
        }),
        { numRuns: 40 },
      );
    });

    it("what is resumed from it sends what the live conversation sends, after every event of a random life", async () => {
      const event = fc.record<LifeEvent>({
        kind: fc.constantFrom(...lifeEvents, "turn", "turn", "turn"),
        choice: fc.nat(9999),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 15 }), fc.boolean(), (events, hasNotes) =>
          playLife({
            store: newStore(),
            events,
            hasHistory: true,
            isThinkingBound: false,
            cacheEdits: false,
            hasNotes,
            isExtractive: false,
          }),
        ),
        { numRuns: 20 },
      );
    });
  });
}
