import type { FileAccess } from "../engine/ports/file-access.js";
import { check, checkSame } from "./check.js";

/** A place for files that the access under test may see. */
export interface FileHarness {
  readonly files: FileAccess;
  /** The absolute path of a name there. */
  readonly path: (name: string) => string;
  /** Writes a file so that its time of change differs from before. */
  readonly write: (name: string, content: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

export type CreateFileHarness = () => FileHarness | Promise<FileHarness>;

export interface FileAccessCase {
  readonly name: string;
  /** Rejects with an `Error` that says what the access did wrong. */
  run(createHarness: CreateFileHarness): Promise<void>;
}

interface ReadCase {
  readonly name: string;
  readonly content: string;
  readonly options?: Parameters<FileAccess["read"]>[1];
  readonly shows: { readonly content: string; readonly lines: number; readonly isTruncated: boolean };
}

const reads: readonly ReadCase[] = [
  {
    name: "numbers lines from 1, with a tab",
    content: "a\n\n  b\n",
    shows: { content: "1\ta\n2\t\n3\t  b", lines: 3, isTruncated: false },
  },
  {
    name: "needs no line break at the end",
    content: "a\nb",
    shows: { content: "1\ta\n2\tb", lines: 2, isTruncated: false },
  },
  {
    name: "takes Windows line ends off",
    content: "a\r\nb\r\n",
    shows: { content: "1\ta\n2\tb", lines: 2, isTruncated: false },
  },
  {
    name: "shows an empty file as nothing",
    content: "",
    shows: { content: "", lines: 0, isTruncated: false },
  },
  {
    name: "shows the lines that were asked for, with their own numbers",
    content: "a\nb\nc\nd\n",
    options: { offset: 2, limit: 2 },
    shows: { content: "2\tb\n3\tc", lines: 2, isTruncated: false },
  },
  {
    name: "shows nothing after the end",
    content: "a\nb\n",
    options: { offset: 5 },
    shows: { content: "", lines: 0, isTruncated: false },
  },
  {
    name: "leaves the numbers out where they are not wanted",
    content: "a\nb\n",
    options: { isNumbered: false },
    shows: { content: "a\nb", lines: 2, isTruncated: false },
  },
  {
    name: "cuts whole lines off where there are too many characters, and says so",
    content: "aaaa\nbbbb\ncccc\n",
    options: { maxCharacters: 14 },
    shows: { content: "1\taaaa\n2\tbbbb", lines: 2, isTruncated: true },
  },
  {
    name: "of a first line that is too long shows the head",
    content: "abcdefghij\nk\n",
    options: { maxCharacters: 6 },
    shows: { content: "1\tabcd", lines: 1, isTruncated: true },
  },
];

/** What every `FileAccess` must do, as data: hand each case to the test runner you use. */
export const fileAccessContract: readonly FileAccessCase[] = [
  ...reads.map(({ name, content, options, shows }) => ({
    name,
    async run(createHarness: CreateFileHarness) {
      const { files, path, write } = await createHarness();
      await write("file.txt", content);
      const outcome = await files.read(path("file.txt"), options);
      check(outcome.kind === "text", `expected text, got ${outcome.kind}`);
      const { content: text, lines, isTruncated } = outcome;
      checkSame({ content: text, lines, isTruncated }, shows, "the read");
    },
  })),
  {
    name: "says that a file is gone, and has no time for it",
    async run(createHarness) {
      const { files, path, write, remove } = await createHarness();
      checkSame(await files.read(path("never.txt")), { kind: "gone" }, "a file that never was");
      await write("file.txt", "a");
      await remove("file.txt");
      checkSame(await files.read(path("file.txt")), { kind: "gone" }, "a file that is gone");
      check((await files.stat(path("file.txt"))) === undefined, "a file that is gone has a time of change");
    },
  },
  {
    name: "reads what stands there now, and tells the same time of change both ways",
    async run(createHarness) {
      const { files, path, write } = await createHarness();
      await write("file.txt", "old");
      const before = await files.stat(path("file.txt"));
      await write("file.txt", "new");
      const outcome = await files.read(path("file.txt"));
      check(
        outcome.kind === "text" && outcome.content === "1\tnew",
        "it does not show what stands there now",
      );
      const after = await files.stat(path("file.txt"));
      check(after !== undefined && after.mtime === outcome.mtime, "read and stat tell different times");
      check(before !== undefined && before.mtime !== after.mtime, "the time of change did not change");
    },
  },
];
