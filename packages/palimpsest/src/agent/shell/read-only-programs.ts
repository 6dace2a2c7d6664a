import { filesOfExpression } from "./find-expression.js";
import { createOptionParser, type ParsedWords, type ProgramOptions } from "./program-options.js";

/** What a call of a program looks at, in the words of the call. */
export interface Reading {
  /** Files that it shows, or directories that it lists. */
  readonly files: readonly string[];
  /** Directories of which it shows the text of every file, and how it gets there. */
  readonly trees?: readonly string[];
  /** It follows links that it meets in these directories; `level` says that it goes no deeper than they. */
  readonly followsLinks?: "level" | "deep";
  /** It shows names and sizes, not what is in the files. */
  readonly showsNamesOnly?: boolean;
}

/** What a call looks at; undefined for one that is not known to do nothing else. */
export type ProgramReader = (words: readonly string[]) => Reading | undefined;

const nothing: Reading = { files: [] };

function reader(options: ProgramOptions, read: (parsed: ParsedWords) => Reading | undefined): ProgramReader {
  const parse = createOptionParser(options);
  return (words) => {
    const parsed = parse(words);
    return parsed === undefined ? undefined : read(parsed);
  };
}

/** Operands are files that are shown. */
const showing = (options: ProgramOptions): ProgramReader =>
  reader(options, ({ operands }) => ({ files: operands }));

/** Operands are files of which names, sizes or times are shown. */
const listing = (options: ProgramOptions): ProgramReader =>
  reader(options, ({ operands }) => ({
    files: operands.length === 0 ? ["."] : operands,
    showsNamesOnly: true,
  }));

/** Operands are words. */
const saying = (options: ProgramOptions): ProgramReader => reader(options, () => nothing);

const anyWords: ProgramReader = () => nothing;

const version: ProgramReader = (words) =>
  words.length === 1 && /^(?:--version|-v|-V)$/.test(words[0] ?? "") ? nothing : undefined;

const checksum = showing({ short: "bt", long: "binary text tag zero" });

const grepOptions: ProgramOptions = {
  short: "EFGPivwxycLlm:oqsbHhnTZzaIUurA:B:C:e:",
  long: `extended-regexp fixed-strings basic-regexp perl-regexp regexp= ignore-case no-ignore-case invert-match
    word-regexp line-regexp count color[= colour[= files-without-match files-with-matches max-count= only-matching
    quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null null-data
    after-context= before-context= context= text binary binary-files= exclude= exclude-dir= include= line-buffered
    recursive`,
  hasCounts: true,
};

/** The first operand is the pattern, unless an option gave it. */
const withoutPattern = ({ operands, options }: ParsedWords): readonly string[] =>
  options.has("e") || options.has("regexp") ? operands : operands.slice(1);

const grep = reader(grepOptions, (parsed) => {
  const files = withoutPattern(parsed);
  const isRecursive = parsed.options.has("r") || parsed.options.has("recursive");
  if (!isRecursive) return { files };
  const trees = files.length === 0 ? ["."] : files;
  return { files: trees, trees };
});

const ripgrep = reader(
  {
    short: "acFhHiIlnNoPpqsSuUvwx0.A:B:C:d:E:e:g:j:m:M:r:t:T:",
    long: `after-context= before-context= context= case-sensitive ignore-case smart-case color= colors= column
      no-column count count-matches crlf encoding= engine= regexp= files files-with-matches files-without-match
      fixed-strings glob= iglob= heading no-heading hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent
      invert-match json line-number no-line-number line-regexp max-columns= max-columns-preview max-count= max-depth=
      max-filesize= multiline multiline-dotall no-messages no-config null only-matching passthru pcre2 pretty quiet
      replace= sort= sortr= stats text threads= trim type= type-not= type-list unrestricted vimgrep with-filename
      no-filename word-regexp no-follow no-require-git path-separator= one-file-system binary`,
  },
  (parsed) => {
    const listsFiles = parsed.options.has("files") || parsed.options.has("type-list");
    const files = listsFiles ? parsed.operands : withoutPattern(parsed);
    const trees = files.length === 0 ? ["."] : files;
    return listsFiles ? { files: trees, showsNamesOnly: true } : { files: trees, trees };
  },
);

/** What a filter can reach beside its input: modules, data files, variables. */
const reachingFilter = /\b(?:import|include|modulemeta|get_search_list|env|ENV|input_filename|__prog_args)\b/;

const jq = reader(
  {
    short: "acCejMnrRsS",
    long: `ascii-output compact-output color-output monochrome-output exit-status join-output null-input raw-output
      raw-input slurp sort-keys tab unbuffered stream seq indent= arg== argjson==`,
  },
  ({ operands }) =>
    operands.length === 0 || operands.some((word) => reachingFilter.test(word))
      ? undefined
      : { files: operands.slice(1) },
);

const diff = reader(
  {
    short: "abBcdeEF:iI:nNpqrstTuU:C:wW:x:yZ",
    long: `brief report-identical-files context[= unified[= ed rcs side-by-side width= left-column
      suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= recursive
      no-dereference new-file unidirectional-new-file ignore-case exclude= ignore-tab-expansion
      ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text
      strip-trailing-cr minimal horizon-lines= speed-large-files color[= palette= normal`,
    hasCounts: true,
  },
  ({ operands, options }) => ({
    files: operands,
    trees: operands,
    followsLinks: options.has("r") || options.has("recursive") ? "deep" : "level",
  }),
);

/** Its second file is written. */
const uniq = reader(
  {
    short: "cdDiuzf:s:w:",
    long: `count repeated all-repeated[= unique ignore-case zero-terminated skip-fields= skip-chars= check-chars=
      group[=`,
  },
  ({ operands }) => (operands.length <= 1 ? { files: operands } : undefined),
);

const lineAddress = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/)`;
const printingScript = new RegExp(
  `^${lineAddress}(?:,${lineAddress})?p(?:;${lineAddress}(?:,${lineAddress})?p)*$`,
);

/** `sed -n 10,20p file …`: lines of files, and nothing that a script could do besides. */
const sed: ProgramReader = (words) => {
  const [option = "", script = "", ...files] = words;
  const isPrinting = /^-(?:n|nE|En|nr|rn)$/.test(option) && printingScript.test(script);
  return isPrinting && files.every((file) => !file.startsWith("-")) ? { files } : undefined;
};

/** Questions about files and plain words: names of variables would be evaluated. */
const test: ProgramReader = (words) =>
  words.every((word) => /^(?:-[defhrswxznL]|!|=|!=|\]|[\w./][\w./ -]*)$/.test(word))
    ? { files: words.filter((word) => !word.startsWith("-")), showsNamesOnly: true }
    : undefined;

const find: ProgramReader = (words) => {
  const start = words.findIndex((word) => /^[-(!,]/.test(word));
  const places = start < 0 ? words : words.slice(0, start);
  const files = filesOfExpression(start < 0 ? [] : words.slice(start));
  return files === undefined
    ? undefined
    : { files: [...(places.length === 0 ? ["."] : places), ...files], showsNamesOnly: true };
};

const listTree = listing({
  short: "aACdDfFghiI:JL:nNpP:qrstuv",
  long: "dirsfirst noreport prune gitignore filelimit= ignore-case matchdirs du si sort=",
});

/** It takes the value of a letter from the next word, and what is glued to the letter for further letters. */
const tree: ProgramReader = (words) =>
  words.some((word) => /^-[^-]*(?:[IP].|L(?!\d*$))/s.test(word)) ? undefined : listTree(words);

const date: ProgramReader = (words) =>
  words.every((word) => /^(?:\+.*|-u|--utc|-R|-I[a-z]*)$/s.test(word)) ? nothing : undefined;

const entries: readonly (readonly [string, ProgramReader])[] = [
  [
    "cat",
    showing({
      short: "AbeEnstTuv",
      long: "number number-nonblank show-all show-ends show-tabs show-nonprinting squeeze-blank",
    }),
  ],
  ...["head", "tail"].map(
    (name) =>
      [
        name,
        showing({
          short: "n:c:qvz",
          long: "lines= bytes= quiet silent verbose zero-terminated",
          hasCounts: true,
        }),
      ] as const,
  ),
  ["nl", showing({ short: "b:d:f:h:i:l:n:ps:v:w:" })],
  ["tac", showing({ short: "brs:" })],
  ["rev", showing({})],
  [
    "cut",
    showing({
      short: "b:c:d:f:nsz",
      long: "bytes= characters= delimiter= fields= only-delimited output-delimiter= complement zero-terminated",
    }),
  ],
  [
    "comm",
    showing({ short: "123z", long: "check-order nocheck-order output-delimiter= total zero-terminated" }),
  ],
  ["cmp", showing({ short: "bi:ln:s", long: "bytes= ignore-initial= print-bytes quiet silent verbose" })],
  ["column", showing({ short: "c:JN:nH:o:R:s:tx", long: "table separator= output-separator= fillrows" })],
  ["fold", showing({ short: "bsw:", long: "bytes spaces width=" })],
  ["paste", showing({ short: "d:sz", long: "delimiters= serial zero-terminated" })],
  ["join", showing({ short: "a:e:i1:2:j:o:t:v:z", long: "ignore-case header check-order nocheck-order" })],
  [
    "od",
    showing({
      short: "A:bcdfij:lN:ost:vx",
      long: "address-radix= skip-bytes= read-bytes= format= width[=",
    }),
  ],
  ["hexdump", showing({ short: "bcCde:n:os:vx" })],
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum"].map(
    (name) => [name, checksum] as const,
  ),
  [
    "sort",
    showing({
      short: "bcCdfghik:mMnrRst:uVz",
      long: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort
        ignore-nonprinting key= month-sort numeric-sort random-sort reverse sort= version-sort check[= merge stable
        field-separator= unique zero-terminated`,
    }),
  ],
  ["uniq", uniq],
  [
    "file",
    showing({ short: "bhiNpr0F:", long: "brief mime mime-type mime-encoding no-dereference separator=" }),
  ],
  [
    "readlink",
    listing({ short: "efmnqsvz", long: "canonicalize canonicalize-existing no-newline quiet zero" }),
  ],
  [
    "realpath",
    listing({ short: "eLmPqsz", long: "canonicalize-existing canonicalize-missing logical physical" }),
  ],
  [
    "ls",
    listing({
      short: "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
      long: `all almost-all author escape block-size= ignore-backups color[= directory classify[= file-type format=
        full-time group-directories-first no-group human-readable si hide= indicator-style= inode ignore= kibibytes
        numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive
        size sort= time= time-style= width= zero`,
    }),
  ],
  ["wc", listing({ short: "clLmw", long: "bytes chars lines words max-line-length total=" })],
  [
    "du",
    listing({
      short: "0abB:cd:hkmsSt:x",
      long: `all apparent-size block-size= bytes total human-readable summarize separate-dirs one-file-system
        max-depth= exclude= si threshold= null`,
    }),
  ],
  [
    "df",
    listing({
      short: "aB:hHiklPt:Tx:",
      long: "all human-readable inodes local portability print-type total si",
    }),
  ],
  ["stat", listing({ short: "c:ftx", long: "format= printf= terse file-system" })],
  ["tree", tree],
  ["find", find],
  ...["grep", "egrep", "fgrep"].map((name) => [name, grep] as const),
  ["rg", ripgrep],
  ["jq", jq],
  ["diff", diff],
  ["sed", sed],
  ["test", test],
  ["[", test],
  ["date", date],
  ...["echo", "true", "false"].map((name) => [name, anyWords] as const),
  ["seq", saying({ short: "f:s:w", long: "format= separator= equal-width", hasCounts: true })],
  ["basename", saying({ short: "as:z", long: "multiple suffix= zero" })],
  ["dirname", saying({ short: "z", long: "zero" })],
  ["pwd", saying({ short: "LP" })],
  ["whoami", saying({})],
  ["id", saying({ short: "agGnruz", long: "group groups name real user zero" })],
  ["uname", saying({ short: "aimnoprsv", long: "all" })],
  ["nproc", saying({ long: "all ignore=" })],
  ["tr", saying({ short: "cCdst", long: "complement delete squeeze-repeats truncate-set1" })],
  ["which", saying({ short: "as" })],
  ["type", saying({ short: "aptP" })],
  ["command", (words) => (words[0] === "-v" ? nothing : undefined)],
  ...["node", "npm", "npx", "python", "python3", "tsc"].map((name) => [name, version] as const),
];

/** Programs that only look, with the options that leave it at that. `git` is not one of them: see `readGit`. */
export const readOnlyPrograms: ReadonlyMap<string, ProgramReader> = new Map(entries);
