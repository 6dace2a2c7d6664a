import { resolve } from "node:path";
import { close, openInside } from "../../files/open-inside.js";
import type { PathGuard } from "../base/path-guard.js";
import { createGrepReport } from "./grep-report.js";
import { SINGLE_FILE, type GrepEnding, type GrepQuery, type TakeFinding } from "./grep-query.js";
import { countField, flagField, textField } from "../base/input-fields.js";
import { refusalText } from "./refusal-text.js";
import { failure } from "./save-file.js";
import { foundPath, openSearchPlace, type SearchPlace } from "./search-directory.js";
import type { AgentTool, ToolInput } from "../base/tool.js";

export interface GrepToolOptions {
  readonly guard: PathGuard;
  /** Default 20 seconds. */
  readonly timeoutMs?: number;
  /** Where ripgrep is; undefined to search without it. Default: the one that comes with the package. */
  readonly findProgram?: () => Promise<string | undefined>;
}

const MAX_LINES = 250;
const MAX_CONTEXT = 100;
const MAX_PATTERN = 10_000;
/** Files whose directories' instructions are shown with what was found in them. */
const MOST_TOUCHED = 10;

const lines = (description: string): Readonly<Record<string, unknown>> => ({
  type: "integer",
  minimum: 0,
  description,
});

const definition = {
  name: "Grep",
  description: [
    "Searches the text of files with a regular expression (ripgrep's syntax: escape braces and brackets that are meant as such).",
    "What git ignores, .git and node_modules are left out, unless path leads into them.",
    "output_mode: files_with_matches (default) lists files, content shows the lines, count counts the lines per file.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "The regular expression." },
      path: {
        type: "string",
        description: "The file or directory to search. Default: the working directory.",
      },
      glob: { type: "string", description: "Only files of these names: `*.ts`, `src/**`, `!*.test.ts`." },
      type: { type: "string", description: "Only files of this language: ts, js, py, rust, go, java …" },
      output_mode: {
        type: "string",
        enum: ["files_with_matches", "content", "count"],
        description: "What to show. Default files_with_matches.",
      },
      "-i": { type: "boolean", description: "Ignore case." },
      "-n": { type: "boolean", description: "With content: line numbers. Default true." },
      "-A": lines("With content: lines after each match."),
      "-B": lines("With content: lines before it."),
      "-C": lines("With content: both."),
      multiline: {
        type: "boolean",
        description: "Let the pattern reach over line ends.",
      },
      head_limit: lines(`Show at most so many lines or files. Default ${MAX_LINES}; 0 for as many as fit.`),
    },
    required: ["pattern"],
    additionalProperties: false,
  },
} as const;

/** Searches the text of files. */
export function createGrepTool(options: GrepToolOptions): AgentTool {
  const { guard, timeoutMs = 20_000, findProgram } = options;
  let program: Promise<string | undefined> | undefined;
  return {
    definition,
    isReadOnly: () => true,
    subject: (input) => ({ kind: "read", paths: [textField(input, "path") ?? guard.workingDirectory] }),
    async run(input, context) {
      const problem = inputProblem(input);
      if (problem !== undefined) return failure(problem);
      const query = queryOf(input);
      const place = await openSearchPlace(guard, textField(input, "path"));
      if (place.kind === "refused") return failure(place.reason);
      const headLimit = countField(input, "head_limit") ?? MAX_LINES;
      const report = createGrepReport({
        maxLines: headLimit === 0 ? Infinity : headLimit,
        hasNumbers: input["-n"] !== false,
        pathOf: (name) => foundPath(guard, place, name === SINGLE_FILE ? "." : name),
        isSingle: place.kind === "other",
      });
      const touched = new Set<string>();
      const take: TakeFinding = (finding) => {
        const name = finding.name === SINGLE_FILE ? "." : finding.name;
        // Lines of many files are an overview; those of a few are read.
        if (finding.kind === "line" && touched.size < MOST_TOUCHED) touched.add(resolve(place.path, name));
        return guard.bounds.isDenied(resolve(place.real, name)) || report.take(finding);
      };
      const { signal } = context;
      try {
        program ??= (findProgram ?? (await import("./ripgrep.js")).findRipgrep)();
        const search = { query, timeoutMs, signal, take };
        const found = await searchIn(guard, place, { ...search, program: await program });
        if (found.kind === "refused") return failure(found.reason);
        if (found.kind === "failed") return failure(`The search failed: ${found.message}`);
        for (const path of touched) context.touch(path);
        return { content: report.text(found.kind === "timed-out") };
      } finally {
        if (place.kind === "directory") await place.opened.close();
      }
    },
  };
}

type OpenPlace = Exclude<SearchPlace, { readonly kind: "refused" }>;

interface Search {
  readonly query: GrepQuery;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly take: TakeFinding;
  readonly program: string | undefined;
}

async function searchIn(
  guard: PathGuard,
  place: OpenPlace,
  { program, ...search }: Search,
): Promise<GrepEnding | { readonly kind: "refused"; readonly reason: string }> {
  const { real } = place;
  const withoutProgram = async (isDirectory: boolean): Promise<GrepEnding> => {
    const { runPlainGrep } = await import("./plain-grep.js");
    return runPlainGrep(guard, { ...search, real, isDirectory });
  };
  const { runRipgrep } = await import("./ripgrep.js");
  if (place.kind === "directory") {
    if (program === undefined) return withoutProgram(true);
    const ending = await runRipgrep({ ...search, program, cwd: place.opened.self });
    return ending.kind === "absent" ? withoutProgram(true) : ending;
  }
  const opened = await openInside(guard.disk, real, guard.bounds);
  if (opened.kind !== "open") {
    const refused = { path: place.path, use: "read", kind: opened.kind } as const;
    return { kind: "refused", reason: await refusalText(guard, refused) };
  }
  try {
    if (program === undefined) return await withoutProgram(false);
    const { fd } = opened.file;
    const ending = await runRipgrep({ ...search, program, cwd: guard.workingDirectory, file: fd });
    return ending.kind === "absent" ? await withoutProgram(false) : ending;
  } finally {
    await close(opened.file);
  }
}

function inputProblem(input: ToolInput): string | undefined {
  const texts = ["pattern", "glob", "type"].map((name) => textField(input, name) ?? "");
  if (texts[0] === "") return "The pattern is empty: give a regular expression.";
  if (texts.some((text) => text.includes("\0")))
    return "A NUL character cannot be searched for. Binary files are left out.";
  if (texts.some((text) => text.length > MAX_PATTERN))
    return `The pattern is longer than ${MAX_PATTERN} characters.`;
  return undefined;
}

function queryOf(input: ToolInput): GrepQuery {
  const mode = textField(input, "output_mode");
  const around = countField(input, "-C") ?? 0;
  const context = (name: string): number => Math.min(MAX_CONTEXT, countField(input, name) ?? around);
  const some = (name: string): string | undefined => textField(input, name) || undefined;
  return {
    pattern: textField(input, "pattern") ?? "",
    glob: some("glob"),
    type: some("type"),
    mode: mode === "content" || mode === "count" ? mode : "files_with_matches",
    ignoresCase: flagField(input, "-i"),
    isMultiline: flagField(input, "multiline"),
    before: context("-B"),
    after: context("-A"),
  };
}
