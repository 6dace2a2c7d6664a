import type { GrepFinding, TakeFinding } from "./grep-query.js";

export interface GrepReportOptions {
  readonly maxLines: number;
  readonly hasNumbers: boolean;
  /** The file as the model is told of it. */
  readonly pathOf: (name: string) => string;
  /** One file is searched: its name is not put before every line. */
  readonly isSingle: boolean;
}

export interface GrepReport {
  readonly take: TakeFinding;
  readonly text: (isTimedOut: boolean) => string;
}

const MAX_CHARACTERS = 30_000;
const BROKEN_NAME =
  "[A \uFFFD in a name stands for bytes that are not UTF-8 text: such a file cannot be named here. Use Bash.]";

/** What was found as a text for the model, no longer than it should be. */
export function createGrepReport({ maxLines, hasNumbers, pathOf, isSingle }: GrepReportOptions): GrepReport {
  const shown: string[] = [];
  let characters = 0;
  let lines = 0;
  let cut: string | undefined;
  let hasBrokenName = false;

  const lineOf = (finding: GrepFinding): string => {
    if (finding.kind === "file") return pathOf(finding.name);
    if (finding.kind === "count") return `${pathOf(finding.name)}:${finding.count}`;
    const mark = finding.isMatch ? ":" : "-";
    const number = hasNumbers ? `${finding.line}${mark}` : "";
    return `${isSingle ? "" : `${pathOf(finding.name)}${mark}`}${number}${finding.text}`;
  };
  return {
    take(finding) {
      if (lines >= maxLines) {
        cut = `more than ${maxLines} were found`;
        return false;
      }
      const line = lineOf(finding);
      hasBrokenName ||= finding.name.includes("\uFFFD");
      const isApart = finding.kind === "line" && finding.isApart && shown.length > 0;
      if (characters + line.length > MAX_CHARACTERS) {
        cut = "more was found than fits";
        return false;
      }
      if (isApart) shown.push("--");
      shown.push(line);
      lines += 1;
      characters += line.length + (isApart ? 4 : 1);
      return true;
    },
    text(isTimedOut) {
      const notes = hasBrokenName ? [BROKEN_NAME] : [];
      const reason = cut ?? (isTimedOut ? "the search took too long" : undefined);
      if (reason === undefined)
        return shown.length === 0 ? "Nothing found." : [...shown, ...notes].join("\n");
      return [...shown, ...notes, `[Cut here: ${reason}. Use a closer pattern, path, glob or type.]`].join(
        "\n",
      );
    },
  };
}
