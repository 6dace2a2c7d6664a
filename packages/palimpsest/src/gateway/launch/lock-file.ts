import { randomBytes } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";

/** What the lock file of a running gateway says. Only its owner can read it. */
export interface Lock {
  readonly pid: number;
  readonly url: string;
  /** What switches modes: sent as `Authorization: Bearer`. */
  readonly token: string;
  /** Where it records, if it does. */
  readonly recordFolder?: string;
}

export const newToken = (): string => randomBytes(24).toString("base64url");

/** Writes the lock file of a gateway into a private folder; one that a dead gateway left on the same port is replaced. */
export async function writeLock(folder: string, port: number, lock: Lock): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${port}.json`);
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(lock)}\n`);
  } finally {
    await file.close();
  }
  return path;
}

export const removeLock = (path: string): Promise<void> => rm(path, { force: true });
