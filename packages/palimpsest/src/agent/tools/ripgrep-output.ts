import { SINGLE_FILE, type GrepQuery, type TakeFinding } from "./grep-query.js";

/**
 * Reads what ripgrep prints with `--null` for a search in `./`, in pieces as they come. File names may hold anything
 * but a NUL. False as soon as `take` has enough.
 */
export function createRipgrepParser(mode: GrepQuery["mode"], take: TakeFinding): (chunk: string) => boolean {
  let pending = "";
  const takeRecord = (head: string, rest: string): boolean => {
    const { name, isApart } = nameIn(head);
    if (name === undefined) return true;
    if (mode === "files_with_matches") return take({ kind: "file", name });
    if (mode === "count") return take({ kind: "count", name, count: Number(rest) });
    const [, line, mark, text] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? [];
    if (line === undefined) return true;
    return take({ kind: "line", name, line: Number(line), text: text ?? "", isMatch: mark === ":", isApart });
  };
  return (chunk) => {
    pending += chunk;
    let done = 0;
    let isWanted = true;
    while (isWanted) {
      const nul = pending.indexOf("\0", done);
      const end = mode === "files_with_matches" || nul < 0 ? nul : pending.indexOf("\n", nul + 1);
      if (nul < 0 || end < 0) break;
      isWanted = takeRecord(pending.slice(done, nul), pending.slice(nul + 1, end));
      done = end + 1;
    }
    pending = pending.slice(done);
    return isWanted;
  };
}

/** The file's name, after lines that say that something was left out or that a file was binary. */
function nameIn(head: string): { readonly name: string | undefined; readonly isApart: boolean } {
  const isApart = head.startsWith("--\n");
  const isName = head.startsWith("./") || head === SINGLE_FILE;
  const at = isName ? 0 : head.search(/\n(?:\.\/|<stdin>$)/) + 1;
  if (!isName && at === 0) return { name: undefined, isApart };
  const name = head.slice(at);
  return { name: name.startsWith("./") ? name.slice(2) : name, isApart };
}
