import type { Attachment } from "../../../messages/message.js";
import { pathKey } from "../../../messages/paths.js";
import type { Estimator } from "../../ports/estimator.js";
import type { Settings } from "../../settings/settings.js";
import { attachmentTokens } from "../attachment-tokens.js";
import type { FileCandidate } from "../choose-files.js";
import { choosePartsWithin, partsOf, type FilePart, type PartLimits } from "../regions/choose-parts.js";
import type { FileTouches } from "../regions/file-touches.js";
import { readFile, type DiskFile } from "../regions/read-file.js";
import { rangesOf, showParts } from "../regions/show-parts.js";
import type { FileAccess, FilePicture, FileRefusal } from "../../ports/file-access.js";
import type { ReadRecord, RememberedRead } from "../../tools/read-state.js";
import type { ChannelResult, RestoredItem, SkippedItem, SkipReason } from "../restored.js";

export interface FilesChannelOptions {
  readonly files: FileAccess;
  /** What the messages tell of the work on each file, by `pathKey`. */
  readonly touches: ReadonlyMap<string, FileTouches>;
  /** Rounds since a time: milliseconds since the epoch. */
  readonly roundsSince: (time: number) => number;
  readonly estimator: Estimator;
  readonly settings: Pick<
    Settings,
    "restoreFiles" | "restorePictures" | "restoreFileTokens" | "restoreFilesTokens"
  >;
  /** Tokens that the window has beside system prompt and tools. Default: without end. */
  readonly room?: number | undefined;
  /** Milliseconds since the epoch: when the files are read. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FilesChannelResult extends ChannelResult {
  /** What enters the read-state, by the path of the read it renews. */
  readonly records: ReadonlyMap<string, ReadRecord>;
}

/** Of each kind, how many are looked at before no more are looked for: most may be gone. */
const MOST_TRIED = 40;

interface Read<Outcome> {
  readonly candidate: FileCandidate;
  readonly outcome: Outcome;
}

/**
 * Brings back of the files in use what is most likely needed next, as it stands on the disk now: of many files the
 * lines around what was changed and read last, each with its number. One that cannot be read takes no other's place;
 * pictures have places of their own.
 */
export async function restoreFiles(
  candidates: readonly FileCandidate[],
  options: FilesChannelOptions,
): Promise<FilesChannelResult> {
  const { settings } = options;
  const isPicture = ({ read }: FileCandidate): boolean => read.isPicture === true;
  const [texts, pictures] = await Promise.all([
    readNewest(
      candidates.filter((one) => !isPicture(one)),
      { count: settings.restoreFiles, kind: "read", signal: options.signal },
      (candidate) => readText(candidate, options),
    ),
    readNewest(
      candidates.filter(isPicture),
      { count: settings.restorePictures, kind: "picture", signal: options.signal },
      (candidate) => readPicture(candidate, options),
    ),
  ]);
  const items: RestoredItem[] = [];
  const skipped: SkippedItem[] = [];
  const records = new Map<string, ReadRecord>();
  const skip = (path: string, reason: SkipReason): void =>
    void skipped.push({ channel: "files", path, reason });
  for (const { candidate, outcome } of texts) {
    if (outcome.kind !== "read") skip(candidate.read.path, outcome.kind);
  }
  const readable = texts.flatMap(({ candidate, outcome }) =>
    outcome.kind === "read" ? [{ candidate, outcome }] : [],
  );
  let left = settings.restoreFilesTokens;
  for (const { path, item, record, reason = "does-not-fit" } of attachTexts(readable, options)) {
    if (item === undefined || record === undefined) {
      skip(path, reason);
      continue;
    }
    left -= item.tokens;
    items.push(item);
    records.set(path, record);
  }
  for (const { candidate, outcome } of pictures) {
    const { path } = candidate.read;
    if (outcome.kind !== "picture") {
      skip(path, outcome.kind);
      continue;
    }
    const item = pictureItem(path, outcome, options.estimator);
    if (item.tokens > left) {
      skip(path, "does-not-fit");
      continue;
    }
    left -= item.tokens;
    items.push(item);
    records.set(path, { mtime: outcome.mtime, timestamp: options.now, isPicture: true });
  }
  return { items, skipped, records };
}

interface Wanted {
  readonly count: number;
  /** Of an outcome that shows something. */
  readonly kind: string;
  readonly signal: AbortSignal | undefined;
}

/** As many as were asked for, from the newest on; and those before them that could not be read. */
async function readNewest<Outcome extends { readonly kind: string }>(
  candidates: readonly FileCandidate[],
  { count, kind, signal }: Wanted,
  read: (candidate: FileCandidate) => Promise<Outcome>,
): Promise<readonly Read<Outcome>[]> {
  const all: Read<Outcome>[] = [];
  const most = Math.min(candidates.length, count + MOST_TRIED);
  for (let wanted = count; wanted > 0 && all.length < most;) {
    if (signal?.aborted === true) break;
    const next = candidates.slice(all.length, Math.min(most, all.length + wanted));
    const outcomes = await Promise.all(
      next.map(async (candidate) => ({ candidate, outcome: await read(candidate) })),
    );
    wanted -= outcomes.filter(({ outcome }) => outcome.kind === kind).length;
    all.push(...outcomes);
  }
  return all;
}

async function readText(
  { read }: FileCandidate,
  { files, touches, signal }: FilesChannelOptions,
): Promise<DiskFile | { readonly kind: FileRefusal }> {
  const ranges = touches.get(pathKey(read.path))?.restored?.ranges ?? [];
  const places = [...(read.offset === undefined ? [] : [read.offset]), ...ranges.map(({ first }) => first)];
  return readFile(files, read.path, { places, signal });
}

async function readPicture(
  { read }: FileCandidate,
  { files, signal }: FilesChannelOptions,
): Promise<FilePicture | { readonly kind: FileRefusal }> {
  try {
    const outcome = await files.read(read.path, {
      takesPictures: true,
      ...(signal === undefined ? {} : { signal }),
    });
    return outcome.kind === "text" ? { kind: "unreadable" } : outcome;
  } catch {
    return { kind: "unreadable" };
  }
}

function pictureItem(path: string, { mediaType, data }: FilePicture, estimator: Estimator): RestoredItem {
  const content = { type: "image", file: { base64: data, type: mediaType } };
  const attachment: Attachment = { type: "file", path, content, context: "post-compact" };
  return { channel: "files", path, attachment, tokens: attachmentTokens(attachment, estimator) };
}

interface RestoredText {
  readonly path: string;
  /** Left out, like `record`, where nothing of it fits. */
  readonly item?: RestoredItem;
  readonly record?: ReadRecord;
  /** Why nothing of it comes back. Default: it does not fit. */
  readonly reason?: SkipReason;
}

/** The parts most likely needed, from all files together; the files in the order in which they were given. */
function attachTexts(
  texts: readonly Read<DiskFile>[],
  options: FilesChannelOptions,
): readonly RestoredText[] {
  const { estimator, settings, room = Infinity } = options;
  const known = texts.map(({ candidate }) => touchesOf(candidate.read, options));
  const parts = texts.flatMap(({ candidate, outcome }, file) =>
    partsOf(outcome, {
      file,
      touches: known[file] ?? untouched,
      readLast: readLastOf(candidate.read),
      isShown: (line) => candidate.parts.some(({ first, last }) => line >= first && line <= last),
    }),
  );
  const limits: PartLimits = {
    total: Math.min(settings.restoreFilesTokens * editShare(options.touches), room / FILES_IN_ROOM),
    perFile: settings.restoreFileTokens,
    fileOverhead: FILE_OVERHEAD,
    tokens: (text) => estimator.block(text) + PART_TOKENS,
  };
  const chosen = choosePartsWithin(parts, limits);
  let left = settings.restoreFilesTokens;
  return texts.flatMap(({ candidate, outcome }, file): readonly RestoredText[] => {
    const { read } = candidate;
    const isEmpty = outcome.isWhole && outcome.lines.size === 0;
    // Where there is nothing to choose from, all of it stands in the context.
    if (!isEmpty && outcome.isWhole && !parts.some((part) => part.file === file)) return [];
    const touches = known[file] ?? untouched;
    const limit = Math.min(left, settings.restoreFileTokens);
    let own = chosen.get(file) ?? [];
    if (own.length === 0 && !isEmpty) {
      const fits = parts.some((part) => part.file === file && choosePartsWithin([part], limits).size > 0);
      return [{ path: read.path, ...(fits && { reason: "not-chosen" }) }];
    }
    let text = attachParts(own, { read, outcome, touches, options });
    while (text.item.tokens > limit && own.length > 1) {
      own = withoutLeast(own);
      text = attachParts(own, { read, outcome, touches, options });
    }
    if (text.item.tokens > limit) return [{ path: read.path }];
    left -= text.item.tokens;
    return [text];
  });
}

/** What was chosen is estimated part by part; where it comes to more together, the least likely go. */
function withoutLeast(parts: readonly FilePart[]): readonly FilePart[] {
  const least = parts.reduce((a, b) => (b.score <= a.score ? b : a));
  return parts.filter((part) => part !== least);
}

/** So many times what files take fits into the room: where all of them together do not fit, none would come back. */
const FILES_IN_ROOM = 3;

/** Rounds that tell how much is edited. */
const EDIT_ROUNDS = 40;
const EDITS_FOR_ALL = 3;
const LEAST_SHARE = 0.25;

/** Where little is edited, little of files is needed again: so much of what may come back does. */
function editShare(touches: ReadonlyMap<string, FileTouches>): number {
  let edits = 0;
  for (const { edits: own } of touches.values()) edits += own.filter(({ age }) => age <= EDIT_ROUNDS).length;
  return Math.min(1, LEAST_SHARE + ((1 - LEAST_SHARE) * edits) / EDITS_FOR_ALL);
}

/** Heading and fence of a part, that mostly stands with another; heading and tag of each file. */
const PART_TOKENS = 8;
const FILE_OVERHEAD = 60;

const untouched: FileTouches = { age: 0, edits: [] };

/** What the messages tell; of a file that no call of theirs names, what the read-state does. */
function touchesOf(
  { path, timestamp }: RememberedRead,
  { touches, roundsSince }: FilesChannelOptions,
): FileTouches {
  const told = touches.get(pathKey(path)) ?? untouched;
  const age = touches.has(pathKey(path)) ? told.age : roundsSince(timestamp);
  return { ...told, age };
}

function readLastOf({ offset, limit, isCut }: RememberedRead): { first: number; last: number } | undefined {
  const first = offset ?? 1;
  if (isCut === true || (offset === undefined && limit === undefined)) return undefined;
  return { first, last: limit === undefined ? Infinity : first + limit - 1 };
}

interface PartsToAttach {
  readonly read: RememberedRead;
  readonly outcome: DiskFile;
  readonly touches: FileTouches;
  readonly options: FilesChannelOptions;
}

function attachParts(
  parts: readonly FilePart[],
  { read: { path }, outcome, touches, options }: PartsToAttach,
): Required<Omit<RestoredText, "reason">> {
  const { estimator, now } = options;
  const ranges = rangesOf(parts, outcome);
  const [{ first, last } = { first: 1, last: 0 }] = ranges;
  const content = showParts(outcome, ranges);
  const reuse = {
    age: touches.age,
    ranges: parts.map(({ file: _file, text: _text, score: _score, ...range }) => range),
  };
  const attachment: Attachment = { type: "file", path, content, context: "post-compact", reuse };
  const times = { mtime: outcome.mtime, timestamp: now };
  const isWhole = typeof content === "string";
  const record: ReadRecord = isWhole
    ? { ...times, content }
    : { ...times, offset: first, limit: last - first + 1, isCut: true };
  return {
    path,
    item: {
      channel: "files",
      path,
      attachment,
      tokens: attachmentTokens(attachment, estimator),
      isTruncated: !isWhole,
    },
    record,
  };
}
