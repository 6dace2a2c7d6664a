import {
  createOptionParser,
  type OptionParser,
  type ParsedWords,
  type ProgramOptions,
} from "./program-options.js";

/** A command of git that only shows something, as long as it is given none but these options. */
export interface GitCommand {
  readonly parse: OptionParser;
  /** Whether the text of files is among what it shows. */
  readonly showsText: (parsed: ParsedWords) => boolean;
  /** What else has to hold. */
  readonly allows?: (parsed: ParsedWords) => boolean;
}

const list: ProgramOptions = {
  short: "z",
  long: `abbrev[= no-abbrev color[= no-color stat[= shortstat numstat name-only name-status summary dirstat[=
    compact-summary no-patch quiet exit-code raw full-index find-renames[= find-copies[= no-renames diff-filter=
    relative[= no-relative ignore-submodules[= no-ext-diff no-textconv`,
};
const differences: ProgramOptions = {
  short: "sRM?C?puU:WwbacmS:G:",
  long: `patch unified= function-context word-diff[= word-diff-regex= color-words[= color-moved[= minimal patience
    histogram diff-algorithm= ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines
    inter-hunk-context= patch-with-stat patch-with-raw cc combined-all-paths full-diff text binary no-prefix
    src-prefix= dst-prefix= check pickaxe-regex pickaxe-all cached staged merge-base`,
};
const history: ProgramOptions = {
  short: "n:iEFPg",
  hasCounts: true,
  long: `max-count= skip= since= after= until= before= author= committer= grep= all-match invert-grep
    regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp merges no-merges min-parents=
    max-parents= first-parent not all branches[= tags[= remotes[= glob= exclude= ignore-missing cherry cherry-mark
    cherry-pick left-only right-only left-right boundary simplify-by-decoration simplify-merges full-history dense
    sparse ancestry-path[= date-order author-date-order topo-order reverse no-walk[= graph no-graph oneline pretty[=
    format= abbrev-commit no-abbrev-commit encoding= date= relative-date parents children decorate[= no-decorate
    decorate-refs= decorate-refs-exclude= clear-decorations source follow notes[= no-notes walk-reflogs reflog
    mailmap no-mailmap use-mailmap log-size no-show-signature`,
};

const joined = (...parts: readonly ProgramOptions[]): OptionParser =>
  createOptionParser({
    short: parts.map(({ short = "" }) => short).join(""),
    long: parts.map(({ long = "" }) => long).join(" "),
    hasCounts: parts.some(({ hasCounts }) => hasCounts === true),
  });

const has = ({ options }: ParsedWords, names: string): boolean =>
  names.split(" ").some((name) => options.has(name));

const patches =
  "p u patch U unified W function-context word-diff color-words patch-with-stat patch-with-raw binary cc c L";
/** They show no text, but tell whether it is there. */
const searches = "S G check";
const summaries =
  "stat shortstat numstat name-only name-status summary dirstat compact-summary s no-patch quiet raw";

const never = (): boolean => false;
const always = (): boolean => true;
const asPatch = (parsed: ParsedWords): boolean => has(parsed, `${patches} ${searches}`);
const unlessSummary = (parsed: ParsedWords): boolean => asPatch(parsed) || !has(parsed, summaries);

const names = (options: ProgramOptions, allows?: GitCommand["allows"]): GitCommand => ({
  parse: createOptionParser(options),
  showsText: never,
  ...(allows === undefined ? {} : { allows }),
});

/** Words are only patterns where a list is asked for: elsewhere they are names of what is made. */
const onlyInLists =
  (lists: string) =>
  (parsed: ParsedWords): boolean =>
    parsed.operands.length === 0 || has(parsed, lists);

const choosing =
  "contains[= no-contains[= merged[= no-merged[= points-at= format= sort= ignore-case column[= no-column";

/** Lists of what there is; other words of these commands change something. */
const sub = (word: string, { parse, showsText }: GitCommand): GitCommand => ({
  parse: (words) => (words[0] === word ? parse(words.slice(1)) : undefined),
  showsText,
});

const entries: readonly (readonly [string, GitCommand])[] = [
  [
    "status",
    names({
      short: "sbzu?",
      long: `short branch show-stash porcelain[= long untracked-files[= ignored[= column[= no-column ahead-behind
        no-ahead-behind renames no-renames find-renames[= ignore-submodules[=`,
    }),
  ],
  ["diff", { parse: joined(list, differences), showsText: unlessSummary }],
  [
    "diff-tree",
    { parse: joined(list, differences, { short: "rt", long: "root no-commit-id" }), showsText: asPatch },
  ],
  ["log", { parse: joined(list, differences, history, { short: "L:" }), showsText: asPatch }],
  // What is named may be a file's text itself, which no summary takes the place of.
  ["show", { parse: joined(list, differences, history), showsText: always }],
  [
    "blame",
    {
      parse: createOptionParser({
        short: "L:ltpcsewM?C?fn",
        long: `porcelain line-porcelain show-email show-name show-number date= abbrev[= root since= first-parent
          encoding= no-textconv`,
      }),
      showsText: always,
      allows: ({ operands }) => operands.length > 0,
    },
  ],
  [
    "ls-files",
    names({
      short: "cdmoiukstvfzx:",
      long: `cached deleted modified others ignored stage unmerged killed directory no-empty-directory full-name
        exclude-standard exclude= error-unmatch abbrev[= eol deduplicate format=`,
    }),
  ],
  [
    "ls-tree",
    names({
      short: "drtlz",
      long: "long name-only name-status object-only full-name full-tree abbrev[= format=",
    }),
  ],
  [
    "rev-parse",
    names({
      short: "q",
      long: `abbrev-ref[= short[= verify quiet symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir
        absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository
        is-shallow-repository all branches[= tags[= remotes[= revs-only no-revs flags no-flags`,
    }),
  ],
  [
    "rev-list",
    { parse: joined(history, { long: "count objects no-object-names header timestamp" }), showsText: never },
  ],
  [
    "describe",
    names({
      long: "all tags contains always long abbrev[= exact-match candidates= match= exclude= first-parent debug",
    }),
  ],
  [
    "shortlog",
    {
      parse: joined(history, { short: "scew?", long: "numbered summary email committer group=" }),
      showsText: never,
    },
  ],
  ["merge-base", names({ short: "a", long: "all octopus independent is-ancestor fork-point" })],
  [
    "cat-file",
    { parse: createOptionParser({ short: "ptse" }), showsText: (parsed) => !has(parsed, "t s e") },
  ],
  [
    "for-each-ref",
    names({
      long: "format= sort= count= contains[= no-contains[= merged[= no-merged[= points-at= ignore-case",
    }),
  ],
  [
    "branch",
    names(
      {
        short: "arvi",
        long: `all remotes verbose list show-current abbrev[= no-abbrev color[= no-color ${choosing}`,
      },
      onlyInLists("list contains no-contains merged no-merged points-at"),
    ),
  ],
  [
    "tag",
    names(
      { short: "ln?i", long: `list ${choosing}` },
      onlyInLists("l list contains no-contains merged points-at"),
    ),
  ],
  [
    "remote",
    names({ short: "v", long: "verbose" }, ({ operands }) =>
      operands.length === 0 ? true : operands[0] === "get-url" && operands.length === 2,
    ),
  ],
  ["stash", sub("list", { parse: joined(list, history), showsText: never })],
  ["worktree", sub("list", names({ short: "vz", long: "porcelain verbose" }))],
  [
    "reflog",
    {
      parse: joined(list, history),
      showsText: never,
      allows: ({ operands }) => operands.length === 0 || operands[0] === "show",
    },
  ],
];

/** The commands of git that only show something, with the options that leave it at that. */
export const gitCommands: ReadonlyMap<string, GitCommand> = new Map(entries);
