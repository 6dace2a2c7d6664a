import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecording } from "../../packages/palimpsest/src/replay/readers/read-recording.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";
import { createPostgresStore, migrate } from "../../packages/palimpsest/src/stores/postgres/index.js";
import { postgresVersions, startPostgres, type PostgresServer } from "../../soak/postgres-server.mjs";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const found = postgresVersions().find(({ programs }) => programs !== undefined);
const isThere = corpusFolder !== undefined && found !== undefined;
const reason = isThere
  ? ""
  : " (not run: PALIMPSEST_CORPUS names no folder, or no PostgreSQL can be started)";
const files =
  corpusFolder === undefined ? [] : readdirSync(corpusFolder).filter((name) => name.endsWith(".jsonl"));

describe.skipIf(!isThere)(`recorded conversations in PostgreSQL${reason}`, () => {
  let server: PostgresServer;
  let directory = "";
  beforeAll(async () => {
    server = await startPostgres(found?.programs ?? "");
    await migrate(server.pool({ max: 1 }));
    directory = await mkdtemp(join(tmpdir(), "palimpsest-pg-corpus-"));
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it.each(someOf(files, 5))(
    "%s comes out as it went in, is read as the file is, and is written again in the same bytes",
    async (name) => {
      const path = join(corpusFolder ?? "", name);
      const store = createPostgresStore({ database: server.pool(), tenant: "corpus" });
      const jsonl = createJsonlStore({ directory });
      const id = name
        .replace(/\.jsonl$/, "")
        .slice(-60)
        .replace(/^[^A-Za-z0-9]+/, "");
      await store.importFrom(id, path);
      await store.exportTo(id, join(directory, `${id}.out`));
      expect((await readFile(join(directory, `${id}.out`))).equals(await readFile(path))).toBe(true);
      await copyFile(path, join(directory, `${id}.jsonl`));
      expect(await store.readLive(id)).toEqual(await jsonl.readLive(id));

      const { messages } = await readRecording(path);
      for (const one of [store, jsonl]) {
        const writer = await one.open(`own-${id}`);
        for (let at = 0; at < messages.length; at += 7) await writer.append(messages.slice(at, at + 7));
        await writer.close();
      }
      await store.exportTo(`own-${id}`, join(directory, `own-${id}.out`));
      const [ours, theirs] = [`own-${id}.out`, `own-${id}.jsonl`].map((file) =>
        readFile(join(directory, file)),
      );
      expect((await ours)?.equals((await theirs) ?? Buffer.alloc(0))).toBe(true);
    },
  );
});
