import { lstat, mkdir, open, readlink, realpath, rename, stat, unlink } from "node:fs/promises";

/** The calls that file access makes, so that a test can come between them. */
export interface Disk {
  readonly realpath: (path: string) => Promise<string>;
  readonly stat: (path: string) => Promise<DiskStatus>;
  readonly open: (path: string, flags: number) => Promise<DiskFile>;
  readonly readlink: (path: string) => Promise<string>;
}

export interface DiskStatus {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  isFile(): boolean;
}

export interface DiskFile {
  readonly fd: number;
  stat(): Promise<DiskStatus>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** What writing needs besides. */
export interface WritableDisk extends Disk {
  readonly open: (path: string, flags: number, mode?: number) => Promise<WritableDiskFile>;
  readonly lstat: (path: string) => Promise<DiskEntry>;
  readonly mkdir: (path: string) => Promise<unknown>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
}

export interface DiskEntry extends DiskStatus {
  isDirectory(): boolean;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface WritableDiskFile extends DiskFile {
  writeFile(content: Uint8Array): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  sync(): Promise<void>;
}

export const nodeDisk: WritableDisk = { realpath, stat, open, readlink, lstat, mkdir, rename, unlink };

/** The `code` of a system error: ENOENT, EACCES … */
export function diskCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
