import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isFields } from "../../replay/readers/recording.js";
import type { ConversationFigures } from "../contract.js";
import { indexConversation, type ConversationIndex } from "./conversation-index.js";
import type { IndexedBlock, IndexedMessage } from "./indexed-message.js";
import type { RecordedHeads } from "./recorded-heads.js";
import { scanRecording, type ScannedRecording, type ScanOptions } from "./scan-recording.js";

/** Another number where the index of an older version says too little, or something else. */
const VERSION = 2;
/** Of the file's beginning, and of what stands before the end that was indexed: whether it only grew is told by both. */
const PRINT_BYTES = 4096;

/** What is known of a recording without reading its index. */
export interface IndexSummary {
  readonly size: number;
  readonly modified: number;
  readonly title: string;
  readonly figures: ConversationFigures;
}

interface Header extends IndexSummary {
  readonly version: number;
  readonly path: string;
  readonly messages: number;
  readonly scanned: Omit<ScannedRecording, "messages" | "heads">;
}

type StoredMessage = readonly [
  offset: number,
  bytes: number,
  sub: number,
  message: IndexedMessage["message"],
  blocks: readonly IndexedBlock[],
];

export interface IndexOptions extends Omit<ScanOptions, "earlier"> {
  /** Where indexes are kept. */
  readonly folder: string;
  /** The index that is at hand: the kept one is not read then. */
  readonly known?: ConversationIndex | undefined;
}

const indexPath = (folder: string, path: string): string =>
  join(folder, `${createHash("sha256").update(path).digest("hex").slice(0, 32)}.jsonl`);

/** The summary of an index that is still true of its file; undefined where there is none. Never throws. */
export async function readSummary(folder: string, path: string): Promise<IndexSummary | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    const header = await readHeader(indexPath(folder, path));
    return header?.size === size && header.modified === mtimeMs ? header : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The index of a recording: as it was kept where the file is as it was, extended where it has only grown, else made anew. What was
 * made is kept, of a file that grows from time to time; a folder that cannot be written to is no failure. Throws `RecordingError`.
 */
export async function openIndex(path: string, options: IndexOptions): Promise<ConversationIndex> {
  const { folder, known, ...scan } = options;
  const file = await stat(path).catch(() => undefined);
  const kept = known === undefined ? await readIndex(folder, path).catch(() => undefined) : undefined;
  if (kept !== undefined && file?.size === kept.size && file.mtimeMs === kept.modified) {
    return indexConversation(kept.scanned);
  }
  const before = known?.scanned ?? kept?.scanned;
  const isGrown =
    before?.next !== undefined &&
    file !== undefined &&
    file.size >= before.size &&
    (await printOf(path, before.size)) === before.print;
  const earlier = isGrown ? before : undefined;
  const scanned = await scanRecording(path, { ...scan, earlier });
  const print = await printOf(path, scanned.size).catch(() => "");
  const keptSize = earlier?.keptSize ?? 0;
  if (scanned.size - keptSize < Math.max(LEAST_GROWTH, keptSize * LEAST_SHARE) && keptSize > 0) {
    return indexConversation({ ...scanned, print, keptSize });
  }
  const index = indexConversation({ ...scanned, print, keptSize: scanned.size });
  await writeIndex(folder, { path, modified: file?.mtimeMs ?? 0, index }).catch(() => undefined);
  return index;
}

/** Bytes by which a file has to have grown before its index is written again, and of a large one its share. */
const LEAST_GROWTH = 64 * 1024;
const LEAST_SHARE = 0.05;

async function readHeader(path: string): Promise<Header | undefined> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(10);
    return end < 0 ? undefined : asHeader(JSON.parse(buffer.toString("utf8", 0, end)));
  } finally {
    await file.close();
  }
}

const HEADER_BYTES = 64 * 1024;

const asHeader = (value: unknown): Header | undefined =>
  isFields(value) && value["version"] === VERSION ? (value as unknown as Header) : undefined;

interface KeptIndex extends Header {
  readonly scanned: ScannedRecording;
}

async function readIndex(folder: string, path: string): Promise<KeptIndex | undefined> {
  let header: Header | undefined;
  let heads: RecordedHeads | undefined;
  const messages: IndexedMessage[] = [];
  for await (const line of linesOf(indexPath(folder, path))) {
    if (header === undefined) {
      header = asHeader(JSON.parse(line));
      if (header === undefined || header.path !== path) return undefined;
    } else if (heads === undefined) heads = JSON.parse(line) as RecordedHeads;
    else {
      const [offset, bytes, sub, message, blocks] = JSON.parse(line) as StoredMessage;
      messages.push({ place: { offset, bytes, sub }, message, blocks });
    }
  }
  if (header === undefined || heads === undefined || header.messages !== messages.length) return undefined;
  return { ...header, scanned: { ...header.scanned, messages, heads } };
}

/** The whole lines of a file, some megabytes of it in memory at a time. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const part of createReadStream(path, { highWaterMark: READ_BYTES })) {
    const chunk = Buffer.concat([rest, part as Buffer]);
    let from = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, from)) {
      yield chunk.toString("utf8", from, end);
      from = end + 1;
    }
    rest = chunk.subarray(from);
  }
}

const READ_BYTES = 1024 * 1024;
const LINE_BREAK = 10;

/** Swapped in whole: whoever reads meanwhile has the old one. Only this user can read it. */
async function writeIndex(
  folder: string,
  {
    path,
    modified,
    index,
  }: { readonly path: string; readonly modified: number; readonly index: ConversationIndex },
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { messages, heads, ...scanned } = index.scanned;
  const { title, figures } = index;
  const header: Header = {
    version: VERSION,
    path,
    messages: messages.length,
    size: scanned.size,
    modified,
    title,
    figures,
    scanned,
  };
  const temporary = `${indexPath(folder, path)}.${process.pid}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    let text = `${JSON.stringify(header)}\n${JSON.stringify(heads)}\n`;
    for (const { place, message, blocks } of messages) {
      const stored: StoredMessage = [place.offset, place.bytes, place.sub, message, blocks];
      text += `${JSON.stringify(stored)}\n`;
      if (text.length < WRITE_CHARACTERS) continue;
      await file.write(text);
      text = "";
    }
    await file.write(text);
  } finally {
    await file.close();
  }
  await rename(temporary, indexPath(folder, path));
}

const WRITE_CHARACTERS = 1024 * 1024;

/** A hash of the beginning of a file, and of what stands before a place of it. */
async function printOf(path: string, size: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const hash = createHash("sha256").update(String(size));
    for (const from of [0, Math.max(0, size - PRINT_BYTES)]) {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(PRINT_BYTES),
        0,
        Math.min(PRINT_BYTES, size - from),
        from,
      );
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** Removes the indexes that nobody has made anew for three months. Never throws. */
export async function removeOldIndexes(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!/^[\da-f]{32}\.jsonl(?:\.\d+\.tmp)?$/.test(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < now - KEPT_MS) await rm(path, { force: true });
  }
}
