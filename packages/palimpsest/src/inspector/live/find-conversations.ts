import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findRecordings } from "../../replay/find-recordings.js";
import { recordingErrorOf } from "../../replay/readers/recording-error.js";
import { openRecordingFile } from "../../replay/rounds/recording-file.js";
import type { ConversationPlace } from "./conversation-places.js";
import { subagentFiles, type SubagentFile } from "./subagent-files.js";

export interface FoundConversation {
  readonly file: string;
  /** Whose it is; empty where only its content tells. */
  readonly agent: string;
  /** With those of its subagents. */
  readonly bytes: number;
  /** Milliseconds since 1970: when something was last written to one of its files. */
  readonly modified: number;
  /** Those that its subagents have of their own. */
  readonly subagents: readonly SubagentFile[];
}

/** The conversations at these places, the newest first. Folders that are not there, or cannot be read, hold none. */
export async function findConversations(
  places: readonly ConversationPlace[],
): Promise<readonly FoundConversation[]> {
  const found = await Promise.all(places.map((place) => filesIn(place.folder, place, place.depth)));
  return newestFirst(withoutSubagents(found.flat()));
}

/** The conversations in named files and folders, in the same order, and what of those could not be read. */
export async function findNamed(paths: readonly string[]): Promise<{
  readonly found: readonly FoundConversation[];
  readonly failed: readonly { readonly file: string; readonly error: string }[];
}> {
  const { files, failed } = await findRecordings(paths);
  const found = await Promise.all(files.map((file) => factsOf(file, "")));
  const missing = files.filter((_, at) => found[at] === undefined);
  return {
    found: newestFirst(withoutSubagents(found.flatMap((one) => one ?? []))),
    failed: [
      ...failed,
      ...(await Promise.all(
        missing.map(async (file) => ({ file, error: (await whyUnread(file)) ?? "cannot be read" })),
      )),
    ],
  };
}

/** Why a file is no recording, to go after its name; undefined where its beginning is that of one. */
export async function whyUnread(file: string): Promise<string | undefined> {
  try {
    await openRecordingFile(file);
    return undefined;
  } catch (error) {
    return recordingErrorOf(error).message;
  }
}

async function filesIn(
  folder: string,
  place: ConversationPlace,
  depth: number,
): Promise<readonly FoundConversation[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? filesIn(path, place, depth - 1) : [];
      if (!entry.isFile() || !place.files.test(entry.name)) return [];
      return (await factsOf(path, place.agent)) ?? [];
    }),
  );
  return found.flat();
}

/** What the file of a conversation and those of its subagents are now; undefined where it holds nothing. */
export async function factsOf(file: string, agent: string): Promise<FoundConversation | undefined> {
  const stats = await statsOf(file);
  if (stats === undefined) return undefined;
  const subagents: SubagentFile[] = [];
  let { size: bytes, mtimeMs: modified } = stats;
  for (const subagent of await subagentFiles(file)) {
    const own = await statsOf(subagent.file);
    if (own === undefined) continue;
    subagents.push(subagent);
    bytes += own.size;
    modified = Math.max(modified, own.mtimeMs);
  }
  return { file, agent, bytes, modified, subagents };
}

/** Undefined for what is not there, not a file, or empty. */
async function statsOf(file: string): Promise<Stats | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats === undefined || !stats.isFile() || stats.size === 0 ? undefined : stats;
}

/** What is a part of another one is shown with it. */
function withoutSubagents(found: readonly FoundConversation[]): readonly FoundConversation[] {
  const parts = new Set(found.flatMap(({ subagents }) => subagents.map(({ file }) => file)));
  return found.filter(({ file }) => !parts.has(file));
}

const newestFirst = (found: readonly FoundConversation[]): readonly FoundConversation[] =>
  found.toSorted((a, b) => b.modified - a.modified);
