import { isFields } from "../../messages/fields.js";

/** What is known of one file that the model has read. */
export interface ReadRecord {
  /** What the tool read. Left out where nobody needs it again, or where too much is held already. */
  readonly content?: string;
  /** When it was read: milliseconds since the epoch. */
  readonly timestamp: number;
  /** The first line that was read, counted from 1; left out for a read from the start. */
  readonly offset?: number;
  /** How many lines were read; left out for a read to the end. */
  readonly limit?: number;
  /** When the file was last changed, as the disk said at the time: milliseconds since the epoch. */
  readonly mtime: number;
  /** `limit` is what fitted, not what was asked for: the next read of it goes on to the end again. */
  readonly isCut?: boolean;
  /** A memory file that the program attached: it comes back by itself and is never restored as a file. */
  readonly isMemory?: boolean;
  /** It was shown as a picture: it comes back as one, and takes no place of a file. */
  readonly isPicture?: boolean;
  /** A later read was denied or failed: it is not repeated unasked. Set by `noteFailure`. */
  readonly hasFailed?: boolean;
}

/** A record with its file. */
export interface RememberedRead extends ReadRecord {
  /** Absolute, as the host names it. */
  readonly path: string;
}

/** A read-state as plain JSON. */
export interface ReadStateSnapshot {
  /** The most recently read first. */
  readonly reads: readonly RememberedRead[];
}

/** What is known of the files that the model has read: an absolute path to its record, in order of recency. */
export interface ReadState {
  /** A read, or a write whose text the model knows: it is the newest from now on, and an earlier failure is over. */
  readonly remember: (path: string, record: ReadRecord) => void;
  /** A read that was answered with "unchanged": the newest from now on. False for a file that is not known. */
  readonly renew: (path: string) => boolean;
  /** A read that was denied or failed. Of a file that is not known nothing has to be remembered. */
  readonly noteFailure: (path: string) => void;
  /** The model no longer sees this file: a later read has to show it again. */
  readonly forget: (path: string) => void;
  readonly get: (path: string) => ReadRecord | undefined;
  readonly has: (path: string) => boolean;
  readonly snapshot: () => ReadStateSnapshot;
  readonly clear: () => void;
  /** Becomes what the snapshot says and nothing else. Entries that are none are passed over. */
  readonly restore: (snapshot: ReadStateSnapshot) => void;
  /** A copy for a fork: what happens to it nobody else sees. */
  readonly clone: () => ReadState;
}

export interface ReadStateOptions {
  readonly snapshot?: ReadStateSnapshot;
  /**
   * Characters of content that are held in all. Beyond, the least recently read lose their content, not their
   * record. Default 25 million.
   */
  readonly maxContentCharacters?: number;
}

const MAX_CONTENT_CHARACTERS = 25_000_000;

/** A read-state that lives as long as the process. */
export function createMemoryReadState(options: ReadStateOptions = {}): ReadState {
  const { maxContentCharacters = MAX_CONTENT_CHARACTERS } = options;
  /** The least recently read first. */
  const records = new Map<string, ReadRecord>();
  let characters = 0;

  const remove = (path: string): ReadRecord | undefined => {
    const known = records.get(path);
    if (known === undefined) return undefined;
    characters -= known.content?.length ?? 0;
    records.delete(path);
    return known;
  };
  const put = (path: string, record: ReadRecord): void => {
    records.set(path, record);
    characters += record.content?.length ?? 0;
  };
  const dropContents = (): void => {
    if (characters <= maxContentCharacters) return;
    for (const [path, { content, ...rest }] of records) {
      if (characters <= maxContentCharacters) return;
      if (content === undefined) continue;
      records.set(path, rest);
      characters -= content.length;
    }
  };
  const restore = (snapshot: ReadStateSnapshot): void => {
    records.clear();
    characters = 0;
    for (const { path, ...record } of readsIn(snapshot).toReversed()) {
      remove(path);
      put(path, record);
    }
    dropContents();
  };
  if (options.snapshot !== undefined) restore(options.snapshot);

  const state: ReadState = {
    remember(path, record) {
      remove(path);
      put(path, record);
      dropContents();
    },
    renew(path) {
      const known = remove(path);
      if (known !== undefined) put(path, known);
      return known !== undefined;
    },
    noteFailure(path) {
      const known = records.get(path);
      if (known !== undefined) records.set(path, { ...known, hasFailed: true });
    },
    forget: (path) => void remove(path),
    get: (path) => records.get(path),
    has: (path) => records.has(path),
    snapshot: () => ({ reads: Array.from(records, ([path, record]) => ({ path, ...record })).toReversed() }),
    clear() {
      records.clear();
      characters = 0;
    },
    restore,
    clone: () => createMemoryReadState({ snapshot: state.snapshot(), maxContentCharacters }),
  };
  return state;
}

/** The entries of a snapshot that can be used: it may come from a file. */
function readsIn(snapshot: unknown): readonly RememberedRead[] {
  const reads = isFields(snapshot) ? snapshot["reads"] : undefined;
  return Array.isArray(reads) ? reads.flatMap((entry: unknown) => readOf(entry) ?? []) : [];
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function readOf(entry: unknown): RememberedRead | undefined {
  if (!isFields(entry)) return undefined;
  const { path, content, timestamp, offset, limit, mtime, isCut, isMemory, isPicture, hasFailed } = entry;
  if (typeof path !== "string" || path === "" || !isNumber(timestamp) || !isNumber(mtime)) return undefined;
  return {
    path,
    ...(typeof content === "string" ? { content } : {}),
    timestamp,
    ...(isNumber(offset) ? { offset } : {}),
    ...(isNumber(limit) ? { limit } : {}),
    mtime,
    ...(isCut === true ? { isCut } : {}),
    ...(isMemory === true ? { isMemory } : {}),
    ...(isPicture === true ? { isPicture } : {}),
    ...(hasFailed === true ? { hasFailed } : {}),
  };
}
