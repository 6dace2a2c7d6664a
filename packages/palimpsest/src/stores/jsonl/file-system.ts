import { link, mkdir, open, readdir, readFile, stat, unlink, writeFile } from "node:fs/promises";

/** The calls that the store makes, so that a test can count them, order them and let them fail. */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  /** Gives the first directory that it had to make. */
  mkdir(
    path: string,
    options: { readonly recursive: true; readonly mode: number },
  ): Promise<string | undefined>;
  readdir(path: string): Promise<readonly string[]>;
  stat(path: string): Promise<FileStatus>;
  readFile(path: string, encoding: "utf8"): Promise<string>;
  writeFile(
    path: string,
    text: string,
    options: { readonly flag: "wx"; readonly mode: number },
  ): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

export interface OpenFile {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  /** At the end of the file: it is opened for appending. */
  write(buffer: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  stat(): Promise<FileStatus>;
  close(): Promise<void>;
}

export interface FileStatus {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  isFile(): boolean;
}

export const nodeFileSystem: FileSystem = { open, mkdir, readdir, stat, readFile, writeFile, link, unlink };

/** The `code` of a system error: ENOENT, EEXIST … */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Removes a file; that it is gone already is fine. */
export async function removeFile(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.unlink(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
