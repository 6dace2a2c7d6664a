import { TranscriptError, type Message, type TranscriptWriter } from "@palimpsest/core";
import { encodeBatch, type EncodedLine } from "../jsonl/encode-batch.js";
import { checkKey, databaseError, untilAnswered, withDatabaseErrors } from "./database.js";
import { entrySource } from "./entry-source.js";
import type { Lease, Statements } from "./statements.js";

export interface AppendOptions {
  /**
   * Names what is appended, across processes: a batch whose key the conversation holds already is not stored again. For work
   * that a queue may hand out twice.
   */
  readonly key?: string;
}

/** A writer that holds its conversation by a lease. */
export interface PostgresWriter extends TranscriptWriter {
  append(messages: readonly Message[], options?: AppendOptions): Promise<void>;
  /** Grows by one whenever the conversation changes hands; a fencing token for what a host does besides. */
  readonly generation: number;
  /** Aborted when somebody asks for the conversation (`interrupt`) or has it: stop, and close. */
  readonly signal: AbortSignal;
}

export interface PostgresWriterParts {
  readonly conversationId: string;
  readonly statements: Statements;
  readonly lease: Lease;
  readonly leaseMs: number;
  /** Told of every batch that was stored. */
  readonly onAppended: () => void;
}

const lost = (id: string): TranscriptError =>
  new TranscriptError(
    "locked",
    `The lease on conversation ${id} is over and the batch is not stored; read the conversation again before going on.`,
  );

/** Batches go out one after another, each in one statement; the lease is renewed by each and by a timer. */
export function createPostgresWriter(parts: PostgresWriterParts): PostgresWriter {
  const { conversationId, statements, lease, leaseMs, onAppended } = parts;
  const interrupt = new AbortController();
  let head = lease.head;
  let batches = 0;
  /** Why nothing more can be stored by this writer. */
  let broken: TranscriptError | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  const timer = setInterval(() => void renew(), Math.max(10, Math.floor(leaseMs / 3)));
  timer.unref();

  const breakOff = (error: TranscriptError): TranscriptError => {
    broken ??= error;
    clearInterval(timer);
    interrupt.abort(error);
    return error;
  };

  async function renew(): Promise<void> {
    try {
      const { held, interrupted } = await statements.renew(conversationId, lease, leaseMs);
      if (closing !== undefined) return;
      if (!held) breakOff(lost(conversationId));
      else if (interrupted) askToStop();
    } catch {
      // The next try or the next append says it.
    }
  }

  const askToStop = (): void => {
    interrupt.abort(new TranscriptError("locked", `Somebody else asks for conversation ${conversationId}.`));
  };

  async function encode(messages: readonly Message[]): Promise<readonly EncodedLine[]> {
    const source = entrySource([], (from, to) => statements.readRange(conversationId, from, to));
    return encodeBatch(messages, source, head);
  }

  async function store(messages: readonly Message[], key: string | undefined): Promise<void> {
    if (broken !== undefined) throw broken;
    if (messages.length === 0) return;
    const batch = { ...lease, leaseMs, head, batch: (batches += 1), key, lines: await encode(messages) };
    // A connection may be lost after the statement was carried out: the same batch again is then a repetition.
    const {
      status,
      head: stored,
      interrupted,
    } = await untilAnswered(() => statements.append(conversationId, batch));
    if (status === "lost") throw breakOff(lost(conversationId));
    if (status === "moved") {
      throw breakOff(
        new TranscriptError(
          "locked",
          `Conversation ${conversationId} was written under this lease by somebody else and the batch is not stored; open it again.`,
        ),
      );
    }
    head = stored;
    if (interrupted) askToStop();
    onAppended();
  }

  async function storeInTurn(messages: readonly Message[], key: string | undefined): Promise<void> {
    await queue;
    try {
      await store(messages, key);
    } catch (error) {
      const told = databaseError(`Conversation ${conversationId} could not be written`, error);
      // Whether it was stored nobody knows: the next reader does.
      if (told.code === "io") breakOff(told);
      throw told;
    }
  }

  async function finish(): Promise<void> {
    await queue;
    clearInterval(timer);
    // Whoever has lost it releases nothing by this.
    await statements.release(conversationId, lease);
  }

  return {
    generation: lease.generation,
    signal: interrupt.signal,
    async append(messages, { key } = {}) {
      if (closing !== undefined) {
        throw new TranscriptError(
          "closed",
          `Conversation ${conversationId} was closed; open it again to append.`,
        );
      }
      if (key !== undefined) checkKey(key);
      const stored = storeInTurn([...messages], key);
      queue = stored.catch(() => undefined);
      return stored;
    },
    close() {
      closing ??= withDatabaseErrors(`Conversation ${conversationId} could not be closed`, finish).catch(
        (error: unknown) => {
          // The lease ends by itself.
          if (!(error instanceof TranscriptError && error.code === "io")) throw error;
        },
      );
      return closing;
    },
  };
}
