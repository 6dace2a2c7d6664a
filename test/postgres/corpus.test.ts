import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TranscriptWriter } from "@palimpsest/core";
import { createPlayableRounds } from "../../packages/palimpsest/src/replay/play/playable-round.js";
import { playingConditions } from "../../packages/palimpsest/src/replay/play/playing-conditions.js";
import { PolicyConversation } from "../../packages/palimpsest/src/replay/play/policy-conversation.js";
import { createPalimpsestPolicy } from "../../packages/palimpsest/src/replay/policies/palimpsest.js";
import type { PolicyEdit } from "../../packages/palimpsest/src/replay/policies/policy.js";
import { openConversation } from "../../packages/palimpsest/src/replay/rounds/open-conversation.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";
import { createPostgresStore, migrate } from "../../packages/palimpsest/src/stores/postgres/index.js";
import { firstVersion, ownDatabase, type OwnDatabase } from "./own-database.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

/** Tokens. */
const WINDOW = 60_000;
const isThere = corpusFolder !== undefined && firstVersion !== undefined;
const reason = isThere
  ? ""
  : " (not run: PALIMPSEST_CORPUS names no folder, or no PostgreSQL can be started)";
const files =
  corpusFolder === undefined ? [] : readdirSync(corpusFolder).filter((name) => name.endsWith(".jsonl"));

describe.skipIf(!isThere)(`recorded conversations in PostgreSQL${reason}`, () => {
  let server: OwnDatabase;
  let directory = "";
  beforeAll(async () => {
    server = await ownDatabase();
    await migrate(server.pool({ max: 1 }));
    directory = await mkdtemp(join(tmpdir(), "palimpsest-pg-corpus-"));
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it.each(someOf(files, 5))("%s comes out as it went in and is read as the file is", async (name) => {
    const path = join(corpusFolder ?? "", name);
    const store = createPostgresStore({ database: server.pool(), tenant: "corpus" });
    const jsonl = createJsonlStore({ directory });
    const id = idOf(name);
    await store.importFrom(id, path);
    await store.exportTo(id, join(directory, `${id}.out`));
    expect((await readFile(join(directory, `${id}.out`))).equals(await readFile(path))).toBe(true);
    await copyFile(path, join(directory, `${id}.jsonl`));
    expect(await store.readLive(id)).toEqual(await jsonl.readLive(id));
  });

  it.each(someOf(files, 2))(
    "%s, played by the engine: its transcript comes out as it went in, and is the same bytes written in PostgreSQL",
    async (name) => {
      const store = createPostgresStore({ database: server.pool(), tenant: "played" });
      const jsonl = createJsonlStore({ directory });
      const id = `played-${idOf(name)}`;
      const writers = [await store.open(id), await jsonl.open(id)];
      const edits = await playInto(join(corpusFolder ?? "", name), {
        append: async (messages) => {
          for (const writer of writers) await writer.append(messages);
        },
        close: async () => {
          for (const writer of writers) await writer.close();
        },
      });
      const file = join(directory, `${id}.jsonl`);
      const written = await readFile(file);
      const boundaries = [...written.toString("utf8").matchAll(/"subtype":"compact_boundary"/g)].length;
      expect(boundaries).toBeGreaterThanOrEqual(edits.filter(({ tier }) => tier === "full").length);
      expect(written.length).toBeGreaterThan(0);

      await store.exportTo(id, `${file}.written`);
      await store.importFrom(`${id}-again`, file);
      await store.exportTo(`${id}-again`, `${file}.again`);
      for (const out of [`${file}.written`, `${file}.again`]) {
        expect((await readFile(out)).equals(written)).toBe(true);
      }
      const live = await jsonl.readLive(id);
      expect(live.messages.length).toBeGreaterThan(0);
      for (const one of [id, `${id}-again`]) expect(await store.readLive(one)).toEqual(live);
    },
  );
});

/** The id that a recording is stored under. */
const idOf = (name: string): string =>
  name
    .replace(/\.jsonl$/, "")
    .slice(-50)
    .replace(/^[^A-Za-z0-9]+/, "");

/** Plays a recording in a window that most outgrow, and stores what the engine makes of it; gives what it did. */
async function playInto(path: string, writer: TranscriptWriter): Promise<readonly PolicyEdit[]> {
  const recorded = await openConversation(path);
  const edits: PolicyEdit[] = [];
  let played: PolicyConversation | undefined;
  const conditions = await playingConditions(recorded, { window: WINDOW });
  const policy = createPalimpsestPolicy();
  const playable = createPlayableRounds();
  for await (const recordedRound of recorded.rounds()) {
    const round = playable.next(recordedRound);
    played ??= new PolicyConversation(
      { ...conditions, policy, ttl: "auto", startTime: round.at, writer },
      { billed: () => undefined, edited: (more) => edits.push(...more) },
    );
    await played.append(round.incoming, round.at, round);
    const answered = await played.ask(() => ({ content: round.response.content }));
    if (answered === undefined) break;
    await played.answered(answered, round.response.at);
  }
  await writer.close();
  return edits;
}
