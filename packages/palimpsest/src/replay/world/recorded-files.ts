import type { Attachment } from "@palimpsest/core";
import {
  createMemoryReadState,
  type FileAccess,
  type ReadRecord,
  type ReadState,
} from "@palimpsest/core/restore";
import { asFieldsList, isFields } from "../readers/recording.js";
import { commandReads, partOfRead } from "../../shell/command-reads.js";
import { commandOutput, printedParts, type RecordedCommand } from "./command-read.js";
import { fileCallOf } from "./file-call.js";
import { absolutePath } from "./file-path.js";
import { createFileShelf } from "./file-shelf.js";
import {
  contradicts,
  editFile,
  learnLines,
  MOST_FILE_CHARACTERS,
  wholeFile,
  wholeText,
  type KnownFile,
  type KnownLines,
  type ShownLines,
  type TextEdit,
} from "./known-file.js";
import { patchChanges, type PatchChange } from "./patch-changes.js";
import type { RecordedCall } from "./recorded-call.js";
import { excerptLines, shownLines, type AskedPart } from "./shown-lines.js";

/** How much of what a recording does with files could be followed. */
export interface RecordedFileCounts {
  /** Results of reads, errors left out, and those of them that showed lines of a file. */
  readonly reads: number;
  readonly notedReads: number;
  /** Of these, reads that showed a file to be other than it was known. */
  readonly contradictions: number;
  /** Edits that succeeded, those of them that could be followed, and those of files that were never shown. */
  readonly edits: number;
  readonly followedEdits: number;
  readonly unknownEdits: number;
}

export interface RecordedFilesOptions {
  /** Where relative paths start. */
  readonly workingDirectory: string;
  readonly maxFiles?: number;
  readonly maxCharacters?: number;
}

/** The files of a recording, as far as its calls and results show them. */
export interface RecordedFiles {
  readonly access: FileAccess;
  readonly readState: ReadState;
  readonly counts: () => RecordedFileCounts;
  /** A call was answered. Gives the paths that it wrote. */
  readonly answered: (call: RecordedCall) => readonly string[];
  /** A file that the program itself showed. */
  readonly attached: (attachment: Attachment, at: number) => void;
  /** The whole text of a file; undefined where it is not known. */
  readonly textOf: (path: string) => string | undefined;
  /** The parts of a file that are known, in their order. */
  readonly linesOf: (path: string) => readonly KnownLines[];
}

export function createRecordedFiles(options: RecordedFilesOptions): RecordedFiles {
  const files = new Files(options);
  return {
    access: files.shelf,
    readState: files.readState,
    counts: () => ({ ...files.counts }),
    answered: (call) => files.answered(call),
    attached: (attachment, at) => files.attached(attachment, at),
    textOf: (path) => {
      const file = files.shelf.get(path);
      return file === undefined ? undefined : wholeText(file);
    },
    linesOf(path) {
      const absolute = absolutePath(path, options.workingDirectory);
      return absolute === undefined ? [] : (files.shelf.get(absolute)?.runs ?? []);
    },
  };
}

/** The answer of a reading tool that only says that nothing changed since the last read. */
const UNCHANGED = /^\s*(?:<[a-z-]+>\s*)?file (?:is )?unchanged\b/i;
const PATCHED = /(?:^|\n)Success\. Updated the following files|^Done!?$/;

class Files {
  readonly readState = createMemoryReadState();
  readonly shelf;
  readonly counts = {
    reads: 0,
    notedReads: 0,
    contradictions: 0,
    edits: 0,
    followedEdits: 0,
    unknownEdits: 0,
  };
  readonly #directory: string;

  constructor({ workingDirectory, ...limits }: RecordedFilesOptions) {
    this.#directory = workingDirectory;
    this.shelf = createFileShelf({ ...limits, onDrop: (path) => this.readState.forget(path) });
  }

  answered(call: RecordedCall): readonly string[] {
    const done = fileCallOf(call.name, call.input);
    if (done === undefined) return [];
    if (done.kind === "command") {
      this.#commandRan(done.command, call);
      return [];
    }
    if (done.kind === "patch") {
      const isDone = !call.isError && call.text !== undefined && PATCHED.test(call.text);
      return isDone ? patchChanges(done.patch).flatMap((change) => this.#patched(change, call.at)) : [];
    }
    const path = this.#path(done.path);
    if (path === undefined) return [];
    if (call.isError) {
      if (done.kind === "read") this.readState.noteFailure(path);
      return [];
    }
    if (done.kind === "read") {
      this.#read(path, done.part, call);
      return [];
    }
    const isWritten =
      done.kind === "write"
        ? this.#written(path, done.text, call.at)
        : this.#edited(path, done.edits, call.at);
    return isWritten ? [path] : [];
  }

  attached(attachment: Attachment, at: number): void {
    const path = this.#path(attachment["path"] ?? attachment["filename"]);
    if (path === undefined) return;
    if (attachment.type === "edited_text_file" && typeof attachment["snippet"] === "string") {
      for (const shown of excerptLines(attachment["snippet"])) this.#shown(path, shown, { at, part: {} });
    }
    if (attachment.type === "file") this.#attachedFile(path, attachment["content"], at);
  }

  #attachedFile(path: string, content: unknown, at: number): void {
    const file = isFields(content) ? content["file"] : undefined;
    if (Array.isArray(content)) {
      for (const { startLine, content: text } of asFieldsList(content)) {
        if (!Number.isInteger(startLine) || typeof text !== "string") continue;
        const shown = { first: Math.max(1, Number(startLine)), text: `${text}\n`, endsFile: false };
        this.#shown(path, shown, { at, part: {} });
      }
    } else if (typeof content === "string") {
      const shown = shownLines(content, { isNumbered: true });
      if (shown !== undefined) this.#shown(path, shown, { at, part: {} });
    } else if (isFields(file) && typeof file["content"] === "string") {
      const { startLine, numLines, totalLines } = file;
      const first = typeof startLine === "number" && startLine >= 1 ? startLine : 1;
      const endsFile = typeof numLines !== "number" || numLines === totalLines;
      this.#shown(path, { first, text: file["content"], endsFile }, { at, part: {} });
    }
  }

  #read(path: string, part: AskedPart, { text, at }: RecordedCall): void {
    this.counts.reads += 1;
    if (text !== undefined && UNCHANGED.test(text.slice(0, 200))) {
      if (this.readState.renew(path)) this.counts.notedReads += 1;
      return;
    }
    const shown = text === undefined ? undefined : shownLines(text, part);
    if (shown === undefined || (shown.text === "" && shown.first > 1)) return;
    this.counts.notedReads += 1;
    this.#shown(path, shown, { at, part });
  }

  #commandRan({ text, directory }: RecordedCommand, call: RecordedCall): void {
    const reads = commandReads(text);
    if (reads.length === 0 || call.isError || call.text === undefined) return;
    const output = commandOutput(call.text);
    if (output === undefined) return;
    const base = absolutePath(directory, this.#directory);
    for (const { read, text } of printedParts(reads, output)) {
      const path = this.#path(read.path, base);
      if (path === undefined) continue;
      this.#read(path, { isNumbered: read.isNumbered, ...partOfRead(read) }, { ...call, text });
    }
  }

  #shown(
    path: string,
    shown: ShownLines,
    read: { at: number; part: Pick<AskedPart, "offset" | "limit"> },
  ): void {
    if (shown.text.length > MOST_FILE_CHARACTERS) return;
    const before = this.shelf.get(path);
    const file = learnLines(before, shown);
    if (before !== undefined && contradicts(before, shown)) this.counts.contradictions += 1;
    const record = { ...partShown(shown, read.part), timestamp: read.at, mtime: read.at };
    this.#keep(path, file, withPartBefore(this.readState.get(path), record));
  }

  #written(path: string, text: string, at: number): boolean {
    if (text.length > MOST_FILE_CHARACTERS) return false;
    this.#keep(path, wholeFile(text), { timestamp: at, mtime: at });
    return true;
  }

  /** What does not fit changes nothing: it lies in a part that is not known, or what is known is old. */
  #edited(path: string, edits: readonly TextEdit[], at: number): boolean {
    this.counts.edits += 1;
    const [first] = edits;
    if (first?.oldText === "" && edits.length === 1) {
      this.counts.followedEdits += 1;
      return this.#written(path, first.newText, at);
    }
    const before = this.shelf.get(path);
    if (before === undefined) {
      this.counts.unknownEdits += 1;
      return false;
    }
    let file = before;
    let run: KnownLines | undefined;
    let fitting = 0;
    for (const edit of edits) {
      const edited = editFile(file, edit);
      if (edited === undefined) continue;
      ({ file, run } = edited);
      fitting += 1;
    }
    if (fitting === edits.length) this.counts.followedEdits += 1;
    if (fitting === 0) {
      this.readState.renew(path);
      return false;
    }
    const part =
      run === undefined || wholeText(file) !== undefined ? {} : { offset: run.first, limit: run.count };
    this.#keep(path, file, { ...part, timestamp: at, mtime: at });
    return true;
  }

  #patched(change: PatchChange, at: number): readonly string[] {
    const path = this.#path(change.path);
    if (path === undefined) return [];
    if (change.kind === "add") return this.#written(path, change.text, at) ? [path] : [];
    if (change.kind === "delete") {
      this.#forget(path);
      return [];
    }
    const isEdited = change.edits.length > 0 && this.#edited(path, change.edits, at);
    const moved = this.#path(change.movedTo);
    const file = this.shelf.get(path);
    if (moved === undefined || file === undefined) return isEdited ? [path] : [];
    const record = this.readState.get(path);
    this.#forget(path);
    this.#keep(moved, file, record ?? { timestamp: at, mtime: at });
    return [moved];
  }

  /** A path as it was spelled first. */
  #path(path: unknown, directory = this.#directory): string | undefined {
    const absolute = absolutePath(path, directory);
    return absolute === undefined ? undefined : this.shelf.nameOf(absolute);
  }

  #forget(path: string): void {
    this.shelf.remove(path);
    this.readState.forget(path);
  }

  /** The text stands on the shelf alone: the read-state only says which part was read, and when. */
  #keep(path: string, file: KnownFile, record: ReadRecord): void {
    this.readState.remember(path, record);
    this.shelf.put(path, file, record.mtime);
  }
}

/** Parts of a file that were shown at the same time are one, from the first of their lines to the last. */
function withPartBefore(before: ReadRecord | undefined, record: ReadRecord): ReadRecord {
  if (before?.timestamp !== record.timestamp) return record;
  const first = Math.min(before.offset ?? 1, record.offset ?? 1);
  const last = Math.max(lastOf(before), lastOf(record));
  const { offset: _offset, limit: _limit, isCut: _isCut, ...rest } = record;
  return {
    ...rest,
    ...(first === 1 ? {} : { offset: first }),
    ...(last === Infinity ? {} : { limit: last - first + 1 }),
  };
}

const lastOf = ({ offset = 1, limit = Infinity }: ReadRecord): number => offset + limit - 1;

/** The part that the read-state remembers. What did not fit is asked for again the next time. */
function partShown(
  shown: ShownLines,
  asked: Pick<AskedPart, "offset" | "limit">,
): Pick<ReadRecord, "offset" | "limit" | "isCut"> {
  const offset = shown.first > 1 ? { offset: shown.first } : {};
  if (shown.endsFile) return offset;
  const limit = shown.text.split("\n").length - (shown.text.endsWith("\n") ? 1 : 0);
  if (asked.limit !== undefined && limit >= asked.limit) return { ...offset, limit: asked.limit };
  return { offset: shown.first, limit, isCut: true };
}
