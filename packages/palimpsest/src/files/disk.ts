import { open, readlink, realpath, stat } from "node:fs/promises";

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

export const nodeDisk: Disk = { realpath, stat, open, readlink };

/** The `code` of a system error: ENOENT, EACCES … */
export function diskCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
