import { shownPath } from "../../../messages/shown-path.js";
import type { Attachment } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import type { Settings } from "../../settings/settings.js";
import { attachmentTokens, MOST_CHARACTERS_PER_TOKEN } from "../attachment-tokens.js";
import { cutText } from "../cut-text.js";
import { linesWithin } from "../lines-within.js";
import type { FileAccess, FilePicture, FileReadOutcome, FileText } from "../../ports/file-access.js";
import type { ReadRecord, RememberedRead } from "../../tools/read-state.js";
import type { ChannelResult, RestoredItem, SkippedItem } from "../restored.js";
import type { FileSkipReason } from "../../events/file-skip-reason.js";

export interface FilesChannelOptions {
  readonly files: FileAccess;
  readonly estimator: Estimator;
  readonly settings: Pick<
    Settings,
    "restoreFiles" | "restorePictures" | "restoreFileTokens" | "restoreFilesTokens"
  >;
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

/**
 * Reads the newest of the candidates again: what stands on the disk now, in the part that was read, as the read tool
 * shows it. One that cannot be read takes no other's place; pictures have places of their own. Each is cut to its
 * budget; one that does not fit beside those before it is passed over.
 */
export async function restoreFiles(
  candidates: readonly RememberedRead[],
  options: FilesChannelOptions,
): Promise<FilesChannelResult> {
  const { estimator, settings, now } = options;
  const [texts, pictures] = await Promise.all([
    readNewest(
      candidates.filter(({ isPicture }) => isPicture !== true),
      settings.restoreFiles,
      options,
    ),
    readNewest(
      candidates.filter(({ isPicture }) => isPicture === true),
      settings.restorePictures,
      options,
    ),
  ]);
  const items: RestoredItem[] = [];
  const skipped: SkippedItem[] = [];
  const records = new Map<string, ReadRecord>();
  let total = 0;
  for (const { path, part, outcome } of [...texts, ...pictures]) {
    const skip = (reason: FileSkipReason): void => void skipped.push({ channel: "files", path, reason });
    if (outcome.kind !== "text" && outcome.kind !== "picture") {
      skip(outcome.kind);
      continue;
    }
    const cut =
      outcome.kind === "picture"
        ? attachPicture(path, outcome, estimator)
        : attachFile({ path, part, text: outcome }, { estimator, limit: settings.restoreFileTokens });
    if (cut === undefined || total + cut.tokens > settings.restoreFilesTokens) {
      skip("does-not-fit");
      continue;
    }
    total += cut.tokens;
    items.push({
      channel: "files",
      path,
      attachment: cut.attachment,
      tokens: cut.tokens,
      isTruncated: cut.isCut,
    });
    const times = { mtime: outcome.mtime, timestamp: now };
    records.set(
      path,
      outcome.kind === "picture" ? { ...times, isPicture: true } : recordOf(cut, part, times),
    );
  }
  return { items, skipped, records };
}

/** As many as were asked for, from the newest on; and those before them that could not be read. */
async function readNewest(
  candidates: readonly RememberedRead[],
  count: number,
  options: FilesChannelOptions,
): Promise<readonly ReadAgain[]> {
  const all: ReadAgain[] = [];
  const most = Math.min(candidates.length, count + MOST_TRIED);
  for (let wanted = count; wanted > 0 && all.length < most && options.signal?.aborted !== true;) {
    const next = candidates.slice(all.length, Math.min(most, all.length + wanted));
    const outcomes = await Promise.all(next.map((read) => readAgain(read, options)));
    wanted -= outcomes.filter(({ outcome }) => isShown(outcome)).length;
    all.push(...outcomes);
  }
  return all;
}

const isShown = ({ kind }: FileReadOutcome): boolean => kind === "text" || kind === "picture";

type Part = Pick<ReadRecord, "offset" | "limit">;

interface ReadAgain {
  readonly path: string;
  /** The part that was asked for. */
  readonly part: Part;
  readonly outcome: FileReadOutcome;
}

/** The same part as before; all of it where that part is no more. What was cut to fit is cut anew. */
async function readAgain(
  { path, offset, limit, isCut, isPicture }: RememberedRead,
  { files, settings, signal }: FilesChannelOptions,
): Promise<ReadAgain> {
  const common = {
    maxCharacters: settings.restoreFileTokens * MOST_CHARACTERS_PER_TOKEN,
    ...(signal === undefined ? {} : { signal }),
    ...(isPicture === true ? { takesPictures: true } : {}),
  };
  const part = {
    ...(offset === undefined || (offset === 1 && isCut === true) ? {} : { offset }),
    ...(limit === undefined || isCut === true ? {} : { limit }),
  };
  try {
    const outcome = await files.read(path, { ...common, ...part });
    const isBeyondEnd = outcome.kind === "text" && outcome.lines === 0 && (offset ?? 1) > 1;
    if (!isBeyondEnd) return { path, part, outcome };
    return { path, part: {}, outcome: await files.read(path, common) };
  } catch {
    return { path, part, outcome: { kind: "unreadable" } };
  }
}

interface AttachedFile {
  readonly attachment: Attachment;
  readonly tokens: number;
  /** The text without the marker. */
  readonly head: string;
  readonly lines: number;
  readonly isCut: boolean;
}

const attachPicture = (
  path: string,
  { mediaType, data }: FilePicture,
  estimator: Estimator,
): AttachedFile => {
  const content = { type: "image", file: { base64: data, type: mediaType } };
  const attachment: Attachment = { type: "file", path, content, context: "post-compact" };
  return { attachment, tokens: attachmentTokens(attachment, estimator), head: "", lines: 0, isCut: false };
};

interface FileToAttach {
  readonly path: string;
  readonly part: Part;
  readonly text: FileText;
}

/** Undefined where not even the marker fits. */
function attachFile(
  { path, part, text }: FileToAttach,
  { estimator, limit }: { readonly estimator: Estimator; readonly limit: number },
): AttachedFile | undefined {
  const first = part.offset ?? 1;
  const isPart = part.offset !== undefined || part.limit !== undefined;
  const attach = (content: string): Attachment => ({
    type: "file",
    path,
    content,
    ...(isPart ? { startLine: first, endLine: first + text.lines - 1 } : {}),
    context: "post-compact",
  });
  const sized = (content: string) => {
    const attachment = attach(content);
    return { attachment, tokens: attachmentTokens(attachment, estimator) };
  };
  /** The last that fits is mostly the one that is taken. */
  let fitting = sized("");
  const marker = (lines: number): string =>
    `[cut here to save room: read ${shownPath(path)} from line ${first + lines} on for the rest]`;
  const cut = cutText(text.content, {
    fits: (content) => {
      const next = sized(content);
      const isFitting = next.tokens <= limit;
      if (isFitting) fitting = next;
      return isFitting;
    },
    marker,
    guess: (content, ends) =>
      linesWithin(content, ends, { estimator, limit: limit - sized(marker(ends.length)).tokens }),
    isPart: text.isTruncated,
  });
  if (cut === undefined) return undefined;
  return { ...cut, ...(fitting.attachment["content"] === cut.text ? fitting : sized(cut.text)) };
}

/** What the model now knows: of a file that was cut, the lines that it is shown and no more. */
function recordOf(
  { head, lines, isCut }: AttachedFile,
  part: Part,
  times: Pick<ReadRecord, "mtime" | "timestamp">,
): ReadRecord {
  const known = isCut ? { offset: part.offset ?? 1, limit: lines, isCut } : part;
  return { content: head, ...times, ...known };
}
