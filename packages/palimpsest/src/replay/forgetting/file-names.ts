/** One name for a file, however calls spell its path. Nothing is asked of a disk. */
export interface FileNames {
  /** `directory`: where a relative path starts, if the call says. */
  readonly nameOf: (path: string, directory?: string) => string;
}

const MOST_PATHS = 100_000;

export function createFileNames(): FileNames {
  const named = new Map<string, string>();
  /** Absolute names by their last part: a relative path means the newest that ends with it. */
  const byLast = new Map<string, string[]>();

  const resolve = (path: string, directory: string): string => {
    const plain = plainPath(path);
    if (isAbsolute(plain)) return plain;
    if (directory !== "") return plainPath(`${directory}/${plain}`);
    const known = byLast.get(lastPart(plain))?.findLast((name) => name.endsWith(`/${plain}`));
    return known ?? plain;
  };

  return {
    nameOf(path, directory = "") {
      const spelled = `${directory}\n${path}`;
      const before = named.get(spelled);
      if (before !== undefined) return before;
      const name = resolve(path, directory);
      // A relative path may get its place later, when the file is named in full.
      if (!isAbsolute(name) || named.size >= MOST_PATHS) return name;
      named.set(spelled, name);
      const together = byLast.get(lastPart(name)) ?? [];
      if (!together.includes(name)) byLast.set(lastPart(name), [...together, name]);
      return name;
    },
  };
}

const isAbsolute = (path: string): boolean => path.startsWith("/") || /^[a-z]:\//.test(path);

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** With slashes alone, without steps, the drive of Windows in one spelling (`C:\x`, `/c/x`) and in small letters. */
function plainPath(path: string): string {
  const slashes = path
    .trim()
    .replaceAll("\\", "/")
    .replace(/^\/([a-z])\//i, "$1:/");
  const parts: string[] = [];
  for (const part of slashes.split("/")) {
    if (part === "." || (part === "" && parts.length > 0)) continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "") parts.pop();
    else parts.push(part);
  }
  const plain = parts.join("/");
  return /^[a-z]:\//i.test(plain) ? plain.toLowerCase() : plain;
}
