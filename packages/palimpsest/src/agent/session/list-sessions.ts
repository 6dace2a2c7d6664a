import { isHumanMessage } from "@palimpsest/core";
import { decodeEntry } from "@palimpsest/core/engine";
import { open, readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { createJsonlStore } from "../../stores/jsonl/store.js";
import { projectFolder } from "./session-folder.js";

export interface SessionInfo {
  readonly id: string;
  /** The beginning of what the person said first. */
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** Lines of the transcript. */
  readonly messages: number;
  readonly bytes: number;
}

const TITLE_CHARACTERS = 80;
/** Lines that are looked at for a title, and the bytes they may have together. */
const TITLE_LINES = 50;
const TITLE_BYTES = 1 << 20;
/** Beyond these the newest are enough. */
const MOST_SESSIONS = 200;
const CHUNK_BYTES = 1 << 18;
const NEWLINE = 10;

/** Stored conversations of a directory, or of all, the newest first; those in which nothing was said are left out. */
export async function listSessions(options: {
  readonly dataDirectory: string;
  readonly cwd?: string;
}): Promise<readonly SessionInfo[]> {
  const { dataDirectory, cwd } = options;
  const folders =
    cwd === undefined
      ? await foldersIn(join(dataDirectory, "projects"))
      : [projectFolder(dataDirectory, cwd)];
  const found = (
    await Promise.all(
      folders.map(async (folder) =>
        (await createJsonlStore({ directory: folder }).list()).map((info) => ({ folder, ...info })),
      ),
    )
  ).flat();
  const newest = found
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, MOST_SESSIONS);
  const sessions: SessionInfo[] = [];
  for (const { folder, id, updatedAt, bytes } of newest) {
    sessions.push({
      id,
      updatedAt: Math.round(updatedAt),
      bytes,
      ...(await lookInto(join(folder, `${id}.jsonl`))),
    });
  }
  return sessions;
}

/** The conversation of a directory that was last said something in. */
export async function newestSession(folder: string): Promise<string | undefined> {
  const list = await createJsonlStore({ directory: folder }).list();
  return list.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.updatedAt - a.updatedAt)[0]?.id;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

/** Lines are counted without being read; only the first ones are, for the title. */
async function lookInto(path: string): Promise<Pick<SessionInfo, "title" | "messages">> {
  let messages = 0;
  let head = Buffer.alloc(0);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    const chunk = Buffer.alloc(CHUNK_BYTES);
    while (true) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      const read = chunk.subarray(0, bytesRead);
      if (head.length < TITLE_BYTES && messages < TITLE_LINES) head = Buffer.concat([head, read]);
      for (let at = read.indexOf(NEWLINE); at >= 0; at = read.indexOf(NEWLINE, at + 1)) messages += 1;
    }
  } catch {
    // What cannot be read any more is listed as far as it was.
  } finally {
    await file?.close();
  }
  return { title: titleIn(head.toString("utf8")), messages };
}

function titleIn(head: string): string {
  let start = 0;
  for (let line = 0; line < TITLE_LINES; line += 1) {
    const end = head.indexOf("\n", start);
    if (end < 0) return "";
    const title = titleOf(head.slice(start, end));
    if (title !== "") return title;
    start = end + 1;
  }
  return "";
}

function titleOf(line: string): string {
  try {
    const decoded = decodeEntry(JSON.parse(line));
    if (decoded.kind !== "message" || decoded.message.type !== "user" || !isHumanMessage(decoded.message))
      return "";
    const { content } = decoded.message.message;
    const text =
      typeof content === "string"
        ? content
        : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
    return text.replaceAll(/\s+/g, " ").trim().slice(0, TITLE_CHARACTERS);
  } catch {
    return "";
  }
}
