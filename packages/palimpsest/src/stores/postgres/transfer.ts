import { TranscriptError } from "@palimpsest/core";
import { randomUUID } from "node:crypto";
import { constants, createReadStream, createWriteStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { isOwnBoundary } from "../boundary-texts.js";
import { decodeRawLine } from "../jsonl/raw-line.js";
import { decodeEntry, encodeEntry } from "./entry-bytes.js";
import type { StagedRow, Statements } from "./statements.js";

const AT_ONCE = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

/** The bytes of a conversation as a JSONL file holds them, from the first line on. Of what retention has deleted nothing comes. */
async function* exportLines(id: string, statements: Statements): AsyncGenerator<Buffer, void, undefined> {
  for (let place = 0; ;) {
    const rows = await statements.readAfter(id, place, AT_ONCE);
    for (const row of rows) {
      place = row.seq + row.size;
      yield decodeEntry(row);
    }
    if (rows.length < AT_ONCE) return;
  }
}

export async function exportToFile(id: string, path: string, statements: Statements): Promise<void> {
  if ((await statements.headOf(id)) === undefined) {
    throw new TranscriptError("not_found", `There is no conversation ${id} in this store.`);
  }
  await pipeline(exportLines(id, statements), createWriteStream(path, { flags: "wx", mode: 0o600 }));
}

/** Lines of a stream of bytes, each with its line break; the last one may lack it. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, at + 1)]);
      pieces = [];
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

const refusal = (id: string, status: "exists" | "busy" | "gone"): TranscriptError =>
  new TranscriptError(
    "locked",
    {
      exists: `Conversation ${id} is in this store already; import it under another id.`,
      busy: `Conversation ${id} is being written; import it under another id.`,
      gone: `The import of ${id} was interrupted for too long and nothing of it is stored; import it again.`,
    }[status],
  );

/**
 * Stores every line of a file as it is, also one that no reader understands, in a conversation that is not there yet: it is
 * there when all of it is, and whatever was begun and not ended leaves nothing that anybody sees. Gives how many bytes.
 */
export async function importFromFile(id: string, path: string, statements: Statements): Promise<number> {
  if (!(await stat(path)).isFile()) throw new TranscriptError("io", `${path} is not a file.`);
  await access(path, constants.R_OK);
  if (((await statements.headOf(id)) ?? 0) > 0) throw refusal(id, "exists");
  const name = randomUUID();
  await statements.dropImports(name);
  let head = 0;
  let rows: StagedRow[] = [];
  let bytesWaiting = 0;
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await statements.stageLines(name, rows);
    rows = [];
    bytesWaiting = 0;
  };
  try {
    for await (const bytes of linesOf(createReadStream(path) as AsyncIterable<Buffer>)) {
      rows.push({ seq: head, isBoundary: isBoundaryLine(bytes), ...encodeEntry(bytes) });
      head += bytes.length;
      bytesWaiting += bytes.length;
      if (bytesWaiting > BATCH_BYTES || rows.length >= AT_ONCE) await flush();
    }
    await flush();
    const status = await statements.finishImport(name, id, head);
    if (status !== "stored") throw refusal(id, status);
  } catch (error) {
    await statements.dropImports(name).catch(() => undefined);
    throw error;
  }
  return head;
}

function isBoundaryLine(bytes: Buffer): boolean {
  // Most lines do not hold the word, and need not be parsed.
  if (!bytes.includes("compact_boundary")) return false;
  const content = bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  const decoded = decodeRawLine({ start: 0, end: bytes.length, bytes: content });
  return decoded.kind === "message" && isOwnBoundary(decoded.message);
}
