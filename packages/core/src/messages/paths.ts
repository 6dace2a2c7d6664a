/** Paths as text: POSIX, and Windows where they begin like one (`C:\`, `\\server`). Nothing here asks a disk. */

const DRIVE = /^[a-z]:[\\/]/i;

const isWindowsPath = (path: string): boolean => DRIVE.test(path) || path.startsWith("\\\\");

const isAbsolute = (path: string): boolean => path.startsWith("/") || isWindowsPath(path);

/** With `/` between its parts, and without `.`, `..` and doubled separators. */
export function normalisePath(path: string): string {
  const isWindows = isWindowsPath(path);
  const text = isWindows ? path.replaceAll("\\", "/") : path;
  const root = !isWindows ? (text.startsWith("/") ? "/" : "") : DRIVE.test(text) ? text.slice(0, 3) : "//";
  const parts: string[] = [];
  for (const part of text.slice(root.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (root === "") parts.push(part);
  }
  return root + parts.join("/");
}

/** The absolute path that `path` means in a directory. */
export function resolveIn(directory: string, path: string): string {
  if (isAbsolute(path)) return normalisePath(path);
  const relative = isWindowsPath(directory) ? path.replaceAll("\\", "/") : path;
  return normalisePath(`${directory}/${relative}`);
}

/** What two spellings of one path have in common. Windows does not tell cases apart. */
export function pathKey(path: string): string {
  const normal = normalisePath(path);
  return isWindowsPath(path) ? normal.toLowerCase() : normal;
}

const withSlash = (path: string): string => (path.endsWith("/") ? path : `${path}/`);

/** Whether a path is this directory, or lies below it. Nothing lies in a directory without a name. */
export function isWithin(directory: string, path: string): boolean {
  if (directory === "") return false;
  const inner = pathKey(path);
  const outer = pathKey(directory);
  return inner === outer || inner.startsWith(withSlash(outer));
}

/** The last part of a path. */
export const baseName = (path: string): string => normalisePath(path).split("/").at(-1) ?? "";

/**
 * The directories below `directory` that lead to a path, the outermost first: none for a path that stands right
 * in it, or elsewhere. A path that ends with a separator is a directory and counts itself.
 */
export function directoriesTo(directory: string, path: string): readonly string[] {
  const outer = normalisePath(directory);
  const inner = normalisePath(path);
  if (!isWithin(outer, inner) || pathKey(outer) === pathKey(inner)) return [];
  const parts = inner.slice(withSlash(outer).length).split("/");
  const isDirectory = path.endsWith("/") || (isWindowsPath(path) && path.endsWith("\\"));
  if (!isDirectory) parts.pop();
  return parts.map((_, index) => withSlash(outer) + parts.slice(0, index + 1).join("/"));
}

/** A path as it is shown relative to a directory: as it is where it lies elsewhere. */
export function displayPath(directory: string, path: string): string {
  const outer = withSlash(normalisePath(directory));
  const inner = normalisePath(path);
  return isWithin(directory, path) && inner.length > outer.length ? inner.slice(outer.length) : inner;
}
