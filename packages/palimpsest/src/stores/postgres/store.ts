import { TranscriptError, type TranscriptContent, type TranscriptStore } from "@palimpsest/core";
import type { CalibrationStore, GapHistoryStore, NotesStore } from "@palimpsest/core";
import type { StandInStore } from "@palimpsest/core/tree";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { checkConversationId } from "../conversation-id.js";
import type { ByteSource } from "../jsonl/byte-source.js";
import { numberDamage, type PlacedContent } from "../jsonl/read-forward.js";
import { readLive, readWhole } from "../jsonl/read-live.js";
import { checkSchema, checkTenant, databaseError, withDatabaseErrors, type Database } from "./database.js";
import { calibrationDocuments, gapHistoryDocument, notesDocument } from "./documents.js";
import { entrySource } from "./entry-source.js";
import { followEntries, type FollowedMessage, type FollowOptions } from "./follow.js";
import { createHints, createNotifier, markOf, type ListeningClient } from "./hints.js";
import { newerSchema, schemaStatus } from "./migrate.js";
import { pause } from "./on-abort.js";
import { deleteOld, type RetentionOptions } from "./retention.js";
import { standInRows } from "./stand-ins.js";
import { createStatements, type Taken, type WhenBusy } from "./statements.js";
import { exportToFile, importFromFile } from "./transfer.js";
import { createPostgresWriter, type PostgresWriter } from "./writer.js";

export interface PostgresStoreOptions {
  /** A pool of `pg`. It stays the caller's: the store ends none of its connections. */
  readonly database: Database;
  /** Whose conversations these are; tenants see nothing of each other. */
  readonly tenant: string;
  readonly schema?: string;
  /** How long a conversation stays taken by a writer that says nothing any more. */
  readonly leaseMs?: number;
  /** Makes a connection for `LISTEN`, to the server itself; without it followers poll. */
  readonly listen?: () => ListeningClient;
  /** What others are told of who holds a conversation, with a part of chance after it; by default host and process. */
  readonly owner?: string;
}

export interface OpenOptions {
  /** Where somebody else writes: refuse at once, wait in line, or wait and ask the other to stop. */
  readonly whenBusy?: WhenBusy;
  readonly signal?: AbortSignal;
}

export interface PostgresStore extends TranscriptStore {
  open(conversationId: string, options?: OpenOptions): Promise<PostgresWriter>;
  /** Messages as they are stored, by any process. Throws `not_found` when the conversation is deleted; one that is not there yet it waits for. */
  follow(conversationId: string, options?: FollowOptions): AsyncGenerator<FollowedMessage, void, undefined>;
  readonly notes: (conversationId: string) => NotesStore;
  readonly calibration: CalibrationStore;
  readonly gapHistory: GapHistoryStore;
  /** For the adapters' option `store`. */
  readonly standIns: StandInStore;
  /** Into a file that must not be there yet: the bytes that the JSONL store would hold. */
  exportTo(conversationId: string, path: string): Promise<void>;
  /** Every line of a file as it is, into a conversation that is not there yet. Gives its bytes. */
  importFrom(conversationId: string, path: string): Promise<number>;
  /** The conversation with its notes, for good. Refused while somebody writes it. */
  delete(conversationId: string): Promise<void>;
  /** Lines that are old and not live, and stand-ins that nobody has asked for since. Gives how many rows went. */
  deleteOld(options: RetentionOptions): Promise<number>;
  /** Ends the connection that listens. */
  close(): Promise<void>;
}

const BUSY_POLICIES: readonly WhenBusy[] = ["reject", "enqueue", "interrupt"];

/** How often somebody in line asks again. */
const QUEUE_MS = 100;

/** Conversations in PostgreSQL: what the JSONL store would write, line for line, written under a lease by whichever process has it. */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { database, schema = "palimpsest", leaseMs = 30_000, listen } = options;
  const tenant = checkTenant(options.tenant);
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 100 || leaseMs > 86_400_000) {
    throw new TranscriptError(
      "io",
      "leaseMs must be a whole number of milliseconds, at least 100 and at most a day.",
    );
  }
  const statements = createStatements(database, { schema: checkSchema(schema), tenant });
  // With a part of chance also where the host names it: an id that was deleted and made again counts its generations anew.
  const process = `${options.owner ?? `${hostname()} ${globalThis.process.pid}`} ${randomUUID().slice(0, 8)}`;
  const hints = listen === undefined ? undefined : createHints(listen);
  const notifier = createNotifier(database);
  let checked: Promise<void> | undefined;
  let writers = 0;

  const checkVersion = async (): Promise<void> => {
    const { version, newest } = await schemaStatus(database, { schema });
    if (version === newest) return;
    if (version > newest) throw newerSchema(schema, version);
    throw new TranscriptError(
      "io",
      `The schema ${schema} is not up to date (${version} of ${newest}); run \`palimpsest postgres migrate\`.`,
    );
  };
  /** Once, at the first use; a failure is tried again. */
  const ready = async (): Promise<void> => {
    checked ??= checkVersion().catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    await checked;
  };

  async function read(
    id: string,
    readContent: (source: ByteSource, end: number) => Promise<PlacedContent>,
  ): Promise<TranscriptContent> {
    checkConversationId(id);
    return withDatabaseErrors(`Conversation ${id} could not be read`, async () => {
      await ready();
      const tail = await statements.readTail(id);
      if (tail === undefined) {
        throw new TranscriptError(
          "not_found",
          `There is no conversation ${id} in this store; list() tells which there are.`,
        );
      }
      const source = entrySource(tail.rows, (from, to) => statements.readRange(id, from, to));
      const { messages, damaged } = await readContent(source, tail.head);
      return {
        messages: messages.map(({ message }) => message),
        damaged: await numberDamage(source, damaged),
      };
    });
  }

  async function taken(
    id: string,
    owner: string,
    { whenBusy = "reject", signal }: OpenOptions,
  ): Promise<Taken> {
    try {
      for (;;) {
        signal?.throwIfAborted();
        const answer = await statements.take(id, { owner, leaseMs, whenBusy });
        if (answer.status === "taken" || whenBusy === "reject") return answer;
        await pause(QUEUE_MS, signal);
      }
    } catch (error) {
      if (whenBusy !== "reject") await statements.leaveQueue(id, owner).catch(() => undefined);
      throw error;
    }
  }

  return {
    async open(id, openOptions = {}) {
      checkConversationId(id);
      if (!BUSY_POLICIES.includes(openOptions.whenBusy ?? "reject")) {
        throw new TranscriptError("io", `whenBusy must be one of ${BUSY_POLICIES.join(", ")}.`);
      }
      const owner = `${process} ${(writers += 1)}`;
      return withDatabaseErrors(`Conversation ${id} could not be opened for writing`, async () => {
        await ready();
        const answer = await taken(id, owner, openOptions);
        if (answer.status === "busy") {
          const by = answer.holder === undefined ? "somebody who waits for it" : answer.holder;
          throw new TranscriptError(
            "locked",
            `Conversation ${id} is being written by ${by}; wait for it or open it with whenBusy.`,
          );
        }
        const mark = markOf(tenant, id);
        return createPostgresWriter({
          conversationId: id,
          statements,
          lease: answer.lease,
          leaseMs,
          onAppended: () => notifier.grown(mark),
        });
      });
    },
    readLive: (id) => read(id, readLive),
    readAll: (id) => read(id, readWhole),
    list: () =>
      withDatabaseErrors("The conversations could not be listed", async () => {
        await ready();
        return statements.list();
      }),
    async *follow(id, followOptions = {}) {
      checkConversationId(id);
      const subscribe = (heard: () => void): (() => void) =>
        hints?.subscribe(markOf(tenant, id), heard) ?? (() => {});
      try {
        await ready();
        yield* followEntries(id, { statements, subscribe }, followOptions);
      } catch (error) {
        if (followOptions.signal?.aborted === true) return;
        throw databaseError(`Conversation ${id} could not be followed`, error);
      }
    },
    notes: (id) => notesDocument(statements, id),
    calibration: calibrationDocuments(statements),
    gapHistory: gapHistoryDocument(statements),
    standIns: standInRows(statements, ready),
    exportTo: (id, path) => {
      checkConversationId(id);
      return withDatabaseErrors(`Conversation ${id} could not be exported to ${path}`, async () => {
        await ready();
        await exportToFile(id, path, statements);
      });
    },
    importFrom: (id, path) => {
      checkConversationId(id);
      return withDatabaseErrors(`${path} could not be imported as ${id}`, async () => {
        await ready();
        return importFromFile(id, path, statements);
      });
    },
    delete: (id) => {
      checkConversationId(id);
      return withDatabaseErrors(`Conversation ${id} could not be deleted`, async () => {
        await ready();
        const status = await statements.deleteConversation(id);
        if (status === "missing") {
          throw new TranscriptError("not_found", `There is no conversation ${id} in this store.`);
        }
        if (status === "busy") {
          throw new TranscriptError("locked", `Conversation ${id} is being written and was not deleted.`);
        }
        notifier.grown(markOf(tenant, id));
      });
    },
    deleteOld: (retention) =>
      withDatabaseErrors("Old lines could not be deleted", async () => {
        await ready();
        return (await deleteOld(statements, retention)) + (await statements.purgeStandIns(retention.before));
      }),
    close: async () => hints?.close(),
  };
}
