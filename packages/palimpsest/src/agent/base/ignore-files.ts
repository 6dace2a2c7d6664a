import { dirname, join, relative, sep } from "node:path";
import type { FileAccess } from "@palimpsest/core/restore";
import type { Ignore } from "ignore";

/** The rules of one `.gitignore`. */
interface Rules {
  readonly directory: string;
  readonly matcher: Ignore;
}

export interface IgnoreFiles {
  /** For the names of one directory: which are ignored. `hasOwn`: whether it holds a `.gitignore`. */
  readonly in: (
    directory: string,
    hasOwn: boolean,
  ) => Promise<(name: string, isDirectory: boolean) => boolean>;
}

const MAX_CHARACTERS = 100_000;
const MAX_LINES = 2000;
const MAX_LINE = 1000;
const MAX_STARS = 3;

/** A rule with many stars can take for ever on a long name. */
const isHarmless = (line: string): boolean =>
  line.length <= MAX_LINE && line.split("/").every((part) => part.split("*").length - 1 <= MAX_STARS);

export interface IgnoreFilesOptions {
  readonly files: FileAccess;
  /** Above this directory no rules are looked for. */
  readonly top: string;
  /** Where the search begins: rules above that ignore it as a whole do not count, since it was asked for. */
  readonly start: string;
}

/** What the `.gitignore` files of a tree ignore; deeper ones win, as with git. */
export async function createIgnoreFiles({ files, top, start }: IgnoreFilesOptions): Promise<IgnoreFiles> {
  const { default: ignore } = await import("ignore");
  const chains = new Map<string, Promise<readonly Rules[]>>();

  const rulesIn = async (directory: string): Promise<readonly Rules[]> => {
    const path = join(directory, ".gitignore");
    const text = await files.read(path, { isNumbered: false, maxCharacters: MAX_CHARACTERS });
    if (text.kind !== "text") return [];
    const lines = text.content.split("\n").slice(0, MAX_LINES).filter(isHarmless);
    return [{ directory, matcher: ignore().add(lines) }];
  };
  const chainAbove = async (directory: string): Promise<readonly Rules[]> => {
    if (directory === top || dirname(directory) === directory) return [];
    const above = await chainOf(dirname(directory), true);
    return directory === start && isIgnored(above, directory, true) ? [] : above;
  };
  /** The rules that hold in a directory, the deepest first. */
  const chainOf = (directory: string, hasOwn: boolean): Promise<readonly Rules[]> => {
    const known = chains.get(directory);
    if (known !== undefined) return known;
    const made = (async () => [
      ...(hasOwn ? await rulesIn(directory) : []),
      ...(await chainAbove(directory)),
    ])();
    chains.set(directory, made);
    return made;
  };
  return {
    async in(directory, hasOwn) {
      const rules = await chainOf(directory, hasOwn);
      return (name, isDirectory) => isIgnored(rules, join(directory, name), isDirectory);
    },
  };
}

function isIgnored(rules: readonly Rules[], path: string, isDirectory: boolean): boolean {
  for (const { directory, matcher } of rules) {
    const way = relative(directory, path).split(sep).join("/");
    const { ignored, unignored } = matcher.test(isDirectory ? `${way}/` : way);
    if (ignored || unignored) return ignored;
  }
  return false;
}
