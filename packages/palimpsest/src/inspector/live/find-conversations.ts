import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findRecordings } from "../../replay/find-recordings.js";
import type { ConversationPlace } from "./conversation-places.js";

export interface FoundConversation {
  readonly file: string;
  /** Whose it is; empty where only its content tells. */
  readonly agent: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** The conversations at these places, the newest first. Folders that are not there, or cannot be read, hold none. */
export async function findConversations(
  places: readonly ConversationPlace[],
): Promise<readonly FoundConversation[]> {
  const found = await Promise.all(places.map((place) => filesIn(place.folder, place, place.depth)));
  return newestFirst(found.flat());
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
    found: newestFirst(found.flatMap((one) => one ?? [])),
    failed: [...failed, ...missing.map((file) => ({ file, error: "does not exist or cannot be read" }))],
  };
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

async function factsOf(file: string, agent: string): Promise<FoundConversation | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size === 0) return undefined;
  return { file, agent, bytes: stats.size, modified: stats.mtimeMs };
}

const newestFirst = (found: readonly FoundConversation[]): readonly FoundConversation[] =>
  found.toSorted((a, b) => b.modified - a.modified);
