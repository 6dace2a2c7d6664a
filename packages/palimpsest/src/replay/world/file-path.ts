import { posix, win32 } from "node:path";

const WINDOWS = /^(?:[a-z]:[\\/]|\\\\)/i;

const LONGEST_PATH = 4096;

/** The absolute path that a call means; undefined for what can be none. Only text: no disk is asked. */
export function absolutePath(path: unknown, directory: string): string | undefined {
  if (typeof path !== "string" || path === "" || path.length > LONGEST_PATH) return undefined;
  if (WINDOWS.test(path)) return win32.normalize(path);
  if (path.startsWith("/")) return posix.normalize(path);
  return WINDOWS.test(directory) ? win32.join(directory, path) : posix.join("/", directory, path);
}

/** What two spellings of one path have in common: Windows does not tell cases apart. */
export const pathKey = (path: string): string =>
  WINDOWS.test(path) ? path.replaceAll("\\", "/").toLowerCase() : path;
