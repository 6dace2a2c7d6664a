import { longOptionIn } from "./shell-options.js";

/** Options that write a file, or run a program. */
const harmful = ["--output", "--ext-diff", "--textconv", "--filters", "--no-index", "--show-signature"];

/** Whose words are revisions and paths, and which only show. */
const shows: ReadonlySet<string> = new Set(
  "status diff log show blame ls-files ls-tree rev-parse rev-list describe shortlog merge-base cat-file".split(
    " ",
  ),
);

/** Which change something unless they are asked for a list, and how that is asked for. */
const lists: ReadonlyMap<string, RegExp> = new Map([
  ["branch", /^(?:-a|-r|-v|-vv|-av|-avv|--all|--remotes|--verbose|--list|--show-current)$/],
  ["tag", /^(?:-l|-n|--list)$/],
  ["remote", /^(?:-v|--verbose)$/],
  ["stash", /^list$/],
  ["worktree", /^list$/],
]);
const needsWord: ReadonlySet<string> = new Set(["stash", "worktree"]);

/** Whether a call of git with these words only shows something. */
export function isGitReading(words: readonly string[]): boolean {
  const [command, ...rest] = words[0] === "--no-pager" ? words.slice(1) : words;
  if (command === undefined) return false;
  if (command === "--version") return rest.length === 0;
  const list = lists.get(command);
  if (list !== undefined) {
    return (rest.length > 0 || !needsWord.has(command)) && rest.every((word) => list.test(word));
  }
  return shows.has(command) && !longOptionIn(rest, harmful);
}
