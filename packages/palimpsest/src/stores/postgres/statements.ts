import type { EncodedLine } from "../jsonl/encode-batch.js";
import type { Database } from "./database.js";
import { quoteName } from "./database.js";
import { readRow, type EntryRow } from "./entry-bytes.js";

export interface Lease {
  readonly owner: string;
  readonly generation: number;
  readonly head: number;
}

interface Batch {
  readonly owner: string;
  readonly generation: number;
  readonly leaseMs: number;
  readonly head: number;
  /** Tells this batch and its repetitions from others under the same lease. */
  readonly batch: number;
  readonly key: string | undefined;
  readonly lines: readonly EncodedLine[];
}

/** Lines of a file that are not yet a conversation's. */
export type StagedRow = EntryRow & { readonly isBoundary: boolean };

interface Appended {
  /** `repeated`: it was stored before. `lost`: the lease is another's, or over. `moved`: somebody has written under this lease. */
  readonly status: "stored" | "repeated" | "lost" | "moved";
  readonly head: number;
  readonly interrupted: boolean;
}

export type Taken =
  | { readonly status: "taken"; readonly lease: Lease }
  | { readonly status: "busy"; readonly holder: string | undefined; readonly expiresInMs: number };

/** How a conversation is taken that somebody else is writing. */
export type WhenBusy = "reject" | "enqueue" | "interrupt";

/** What is asked of the database, each in one statement: so any pooler will do. The tenant goes with every one of them. */
export interface Statements {
  take(id: string, options: { owner: string; leaseMs: number; whenBusy: WhenBusy }): Promise<Taken>;
  leaveQueue(id: string, owner: string): Promise<void>;
  renew(
    id: string,
    lease: Pick<Lease, "owner" | "generation">,
    leaseMs: number,
  ): Promise<{ readonly held: boolean; readonly interrupted: boolean }>;
  release(id: string, lease: Pick<Lease, "owner" | "generation">): Promise<void>;
  append(id: string, batch: Batch): Promise<Appended>;
  /** From the last boundary on; undefined where there is no such conversation. */
  readTail(id: string): Promise<{ readonly head: number; readonly rows: readonly EntryRow[] } | undefined>;
  readRange(id: string, from: number, to: number): Promise<readonly EntryRow[]>;
  readAfter(id: string, from: number, most: number): Promise<readonly EntryRow[]>;
  headOf(id: string): Promise<number | undefined>;
  list(): Promise<readonly { readonly id: string; readonly bytes: number; readonly updatedAt: number }[]>;
  readDocument(kind: string, name: string): Promise<string | undefined>;
  /** With `isFirst` what stands there already stays; gives what stands there afterwards. */
  writeDocument(kind: string, name: string, content: string, isFirst?: boolean): Promise<string>;
  /** Of the first of the keys that something whole is kept under: its place in the list, and its values, oldest first. */
  findStandIn(
    keys: readonly Buffer[],
  ): Promise<{ readonly place: number; readonly values: readonly string[] } | undefined>;
  insertStandIn(key: Buffer, value: string, from: Buffer | undefined): Promise<string>;
  purgeStandIns(before: Date): Promise<number>;
  /** Keeps lines aside under the name of an import; nobody sees them until it is finished. */
  stageLines(name: string, rows: readonly StagedRow[]): Promise<void>;
  /** Makes them a conversation that was not there, all at once. */
  finishImport(name: string, id: string, total: number): Promise<"stored" | "exists" | "busy" | "gone">;
  /** Lets go of this one, and of all that nobody has gone on with for an hour. */
  dropImports(name: string): Promise<void>;
  deleteConversation(id: string): Promise<"deleted" | "missing" | "busy">;
  /** Those after an id that hold lines from before a date and a boundary after them, each with its newest boundary. */
  withOldLines(
    after: string,
    limits: { before: Date; most: number },
  ): Promise<readonly { readonly id: string; readonly boundary: EntryRow }[]>;
  purge(id: string, limits: { floor: number; before: Date; most: number }): Promise<number>;
}

/** A list as the database reads it; made by the client it costs several times as much. */
const numberList = (numbers: readonly number[]): string => `{${numbers.join(",")}}`;

export function createStatements(
  database: Database,
  { schema, tenant }: { readonly schema: string; readonly tenant: string },
): Statements {
  const prefix = quoteName(schema);
  /** What is asked, by name: the same text at every call. */
  const texts = new Map<string, string>();
  const callOf = (name: string, count: number): string => {
    const known = texts.get(name);
    if (known !== undefined) return known;
    const places = Array.from({ length: count }, (_, at) => `$${at + 1}`).join(", ");
    const text = `${prefix}.${name}(${places})`;
    texts.set(name, text);
    return text;
  };
  const rowsOf = async (
    name: string,
    values: readonly unknown[],
  ): Promise<readonly Record<string, unknown>[]> => {
    const given = [tenant, ...values];
    const { rows } = await database.query(`select * from ${callOf(name, given.length)}`, given);
    return rows;
  };
  const valueOf = async (name: string, values: readonly unknown[]): Promise<unknown> => {
    const given = [tenant, ...values];
    const { rows } = await database.query(`select ${callOf(name, given.length)} as value`, given);
    return rows[0]?.["value"];
  };

  return {
    async take(id, { owner, leaseMs, whenBusy }) {
      const [row = {}] = await rowsOf("take", [id, owner, leaseMs, whenBusy]);
      if (row["status"] === "taken") {
        const lease = { owner, generation: Number(row["generation"]), head: Number(row["head"]) };
        return { status: "taken", lease };
      }
      const holder = row["holder"];
      return {
        status: "busy",
        holder: typeof holder === "string" ? holder : undefined,
        expiresInMs: Number(row["expires_in"] ?? 0),
      };
    },
    async leaveQueue(id, owner) {
      await rowsOf("leave_queue", [id, owner]);
    },
    async renew(id, { owner, generation }, leaseMs) {
      const [row = {}] = await rowsOf("renew", [id, owner, generation, leaseMs]);
      return { held: row["held"] === true, interrupted: row["interrupted"] === true };
    },
    async release(id, { owner, generation }) {
      await rowsOf("release", [id, owner, generation]);
    },
    async append(id, { owner, generation, leaseMs, head, batch, key, lines }) {
      let end = head;
      const sizes: number[] = [];
      const seqs: number[] = [];
      const boundaries: number[] = [];
      for (const { text, isBoundary } of lines) {
        const size = Buffer.byteLength(text) + 1;
        seqs.push(end);
        sizes.push(size);
        if (isBoundary) boundaries.push(end);
        end += size;
      }
      const answer = await valueOf("append_batch", [
        id,
        owner,
        generation,
        leaseMs,
        head,
        end - head,
        String(batch),
        key ?? null,
        numberList(seqs),
        numberList(sizes),
        numberList(boundaries),
        // One text: a list of texts would be quoted letter by letter here and read so there.
        lines.map(({ text }) => text).join("\n"),
      ]);
      const [status, newHead, interrupted] = String(answer).split(" ");
      return {
        status: status as Appended["status"],
        head: Number(newHead),
        interrupted: interrupted === "true",
      };
    },
    async readTail(id) {
      const rows = await rowsOf("read_tail", [id]);
      const [first] = rows;
      if (first === undefined) return undefined;
      return { head: Number(first["head"]), rows: rows.filter((row) => row["seq"] !== null).map(readRow) };
    },
    readRange: async (id, from, to) => (await rowsOf("read_range", [id, from, to])).map(readRow),
    readAfter: async (id, from, most) => (await rowsOf("read_after", [id, from, most])).map(readRow),
    async headOf(id) {
      const head = await valueOf("head_of", [id]);
      return head === null || head === undefined ? undefined : Number(head);
    },
    async list() {
      const rows = await rowsOf("list", []);
      return rows.map((row) => ({
        id: String(row["id"]),
        bytes: Number(row["bytes"]),
        updatedAt: Number(row["updated_at"]),
      }));
    },
    async readDocument(kind, name) {
      const content = await valueOf("read_document", [kind, name]);
      return typeof content === "string" ? content : undefined;
    },
    writeDocument: async (kind, name, content, isFirst = false) =>
      String(await valueOf("write_document", [kind, name, content, isFirst])),
    async findStandIn(keys) {
      const rows = await rowsOf("find_stand_in", [keys]);
      for (let from = 0; from < rows.length;) {
        const place = Number(rows[from]?.["place"]);
        const chain = rows.slice(from).filter((row) => Number(row["place"]) === place);
        // The oldest comes first: where it goes on from something that is gone, the chain is worth nothing.
        if (chain[0]?.["is_whole"] === true) {
          return { place: place - 1, values: chain.map((row) => String(row["value"])) };
        }
        from += chain.length;
      }
      return undefined;
    },
    insertStandIn: async (key, value, from) =>
      String(await valueOf("insert_stand_in", [key, value, from ?? null])),
    purgeStandIns: async (before) => Number(await valueOf("purge_stand_ins", [before])),
    async stageLines(name, rows) {
      await rowsOf("stage_lines", [
        name,
        rows.map(({ seq }) => seq),
        rows.map(({ size }) => size),
        rows.map(({ form }) => form),
        rows.map(({ isBoundary }) => isBoundary),
        rows.map(({ line }) => line),
      ]);
    },
    finishImport: async (name, id, total) =>
      (await valueOf("finish_import", [name, id, total])) as "stored" | "exists" | "busy" | "gone",
    async dropImports(name) {
      await rowsOf("drop_imports", [name]);
    },
    deleteConversation: async (id) =>
      (await valueOf("delete_conversation", [id])) as "deleted" | "missing" | "busy",
    withOldLines: async (after, { before, most }) =>
      (await rowsOf("with_old_lines", [after, before, most])).map((row) => ({
        id: String(row["id"]),
        boundary: readRow(row),
      })),
    purge: async (id, { floor, before, most }) => Number(await valueOf("purge", [id, floor, before, most])),
  };
}
