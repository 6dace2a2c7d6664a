import { shownPath } from "../../../messages/shown-path.js";
import type { Attachment } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import type { Settings } from "../../settings/settings.js";
import { attachmentTokens, MOST_CHARACTERS_PER_TOKEN } from "../attachment-tokens.js";
import { cutText } from "../cut-text.js";
import { linesWithin } from "../lines-within.js";
import type { FileAccess, FileReadOutcome, FileText } from "../../ports/file-access.js";
import type { ReadRecord, RememberedRead } from "../../tools/read-state.js";
import type { ChannelResult, RestoredItem, SkippedItem } from "../restored.js";
import type { FileSkipReason } from "../../events/file-skip-reason.js";

export interface FilesChannelOptions {
  readonly files: FileAccess;
  readonly estimator: Estimator;
  readonly settings: Pick<Settings, "restoreFileTokens" | "restoreFilesTokens">;
  /** Milliseconds since the epoch: when the files are read. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FilesChannelResult extends ChannelResult {
  /** What enters the read-state, by the path of the read it renews. */
  readonly records: ReadonlyMap<string, ReadRecord>;
}

/**
 * Reads the chosen files again, all at once: what stands on the disk now, in the part that was read, as the read
 * tool shows it. Each is cut to its budget; one that does not fit beside those before it is passed over.
 */
export async function restoreFiles(
  chosen: readonly RememberedRead[],
  options: FilesChannelOptions,
): Promise<FilesChannelResult> {
  const { estimator, settings, now } = options;
  const outcomes = await Promise.all(chosen.map((read) => readAgain(read, options)));
  const items: RestoredItem[] = [];
  const skipped: SkippedItem[] = [];
  const records = new Map<string, ReadRecord>();
  let total = 0;
  for (const { path, part, outcome } of outcomes) {
    const skip = (reason: FileSkipReason): void => void skipped.push({ channel: "files", path, reason });
    if (outcome.kind !== "text") {
      skip(outcome.kind);
      continue;
    }
    const cut = attachFile({ path, part, text: outcome }, { estimator, limit: settings.restoreFileTokens });
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
    records.set(path, recordOf(cut, part, { mtime: outcome.mtime, timestamp: now }));
  }
  return { items, skipped, records };
}

type Part = Pick<ReadRecord, "offset" | "limit">;

interface ReadAgain {
  readonly path: string;
  /** The part that was asked for. */
  readonly part: Part;
  readonly outcome: FileReadOutcome;
}

/** The same part as before; all of it where that part is no more. What was cut to fit is cut anew. */
async function readAgain(
  { path, offset, limit, isCut }: RememberedRead,
  { files, settings, signal }: FilesChannelOptions,
): Promise<ReadAgain> {
  const common = {
    maxCharacters: settings.restoreFileTokens * MOST_CHARACTERS_PER_TOKEN,
    ...(signal === undefined ? {} : { signal }),
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
