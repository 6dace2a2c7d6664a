/** What is searched for, and how it is shown. */
export interface GrepQuery {
  readonly pattern: string;
  /** Which files, by a pattern of their names: `*.ts`, `src/**`, `!*.test.ts`. */
  readonly glob: string | undefined;
  /** Which files, by their language. */
  readonly type: string | undefined;
  readonly mode: "files_with_matches" | "content" | "count";
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  /** Lines shown before and after a match. */
  readonly before: number;
  readonly after: number;
}

/** One line of what was found. */
export type GrepFinding =
  | { readonly kind: "file"; readonly name: string }
  | { readonly kind: "count"; readonly name: string; readonly count: number }
  | {
      readonly kind: "line";
      readonly name: string;
      readonly line: number;
      readonly text: string;
      readonly isMatch: boolean;
      /** Something was left out between this line and the one before it. */
      readonly isApart: boolean;
    };

/** Takes what is found; false when it is enough. */
export type TakeFinding = (finding: GrepFinding) => boolean;

export type GrepEnding =
  | { readonly kind: "done" }
  /** With what the searcher says about the pattern or its options. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timed-out" }
  /** It could not be started at all. */
  | { readonly kind: "absent" };

/** Characters of one line that are shown. */
export const MAX_LINE_CHARACTERS = 500;

/** The name under which a searched file that is no directory is found. */
export const SINGLE_FILE = "<stdin>";
