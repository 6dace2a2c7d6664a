import type { Rule } from "./rules.js";

/** One reason for which the Messages API refuses a request. */
export interface Problem {
  /** Where in the request: `messages.3.content.0`; empty for the request as a whole. */
  readonly path: string;
  readonly rule: Rule;
  /** The text of the API's error. */
  readonly message: string;
  /** The API's typed code, where it has one. */
  readonly errorCode?: string;
}

export interface JudgeOptions {
  /** The active beta headers; undefined: not known, and rules that need a header are not applied. */
  readonly betas?: readonly string[];
  /** Default `2026-10-21`; an earlier version accepts what that one began to refuse. */
  readonly apiVersion?: string;
  /** Whether the private extension (`cache_edits`, `cache_reference`) is accepted. Default false. */
  readonly cacheEdits?: boolean;
}

/** When a finding counts; without a condition it always does. */
export type Condition =
  | { readonly kind: "strict-version" }
  | { readonly kind: "no-cache-edits" }
  | { readonly kind: "without-betas"; readonly betas: readonly string[] };

/** A problem as found in a part of a request that does not know where it stands, nor under which options. */
export interface Finding {
  /** Relative to the part; keys and indices only. */
  readonly path: string;
  /** As the API writes the place, with the tags of unions; undefined: the text stands alone. */
  readonly label: string | undefined;
  readonly rule: Rule;
  readonly text: string;
  readonly errorCode?: string;
  readonly condition?: Condition;
}

/** The version from which sampling parameters, assistant documents and user citations are refused. */
const STRICT_VERSION = "2026-10-21";

function isStrictVersion(options: JudgeOptions): boolean {
  return (options.apiVersion ?? STRICT_VERSION) >= STRICT_VERSION;
}

/** Whether betas are known and none of these is among them. */
function lacksBetas(options: JudgeOptions, betas: readonly string[]): boolean {
  return options.betas !== undefined && !betas.some((beta) => options.betas?.includes(beta));
}

function counts(condition: Condition, options: JudgeOptions): boolean {
  switch (condition.kind) {
    case "strict-version":
      return isStrictVersion(options);
    case "no-cache-edits":
      return options.cacheEdits !== true;
    case "without-betas":
      return lacksBetas(options, condition.betas);
  }
}

/** Joins two pieces of a path, either of which may be empty. */
export function joinPath(parent: string, child: string | number): string {
  if (child === "") return parent;
  return parent === "" ? String(child) : `${parent}.${child}`;
}

/** The problem that a finding is at this place and under these options; undefined where it does not count. */
export function placeFinding(
  finding: Finding,
  context: { readonly prefix: string; readonly options: JudgeOptions },
): Problem | undefined {
  if (finding.condition !== undefined && !counts(finding.condition, context.options)) return undefined;
  const label = finding.label === undefined ? "" : joinPath(context.prefix, finding.label);
  return {
    path: joinPath(context.prefix, finding.path),
    rule: finding.rule,
    message: label === "" ? finding.text : `${label}: ${finding.text}`,
    ...(finding.errorCode === undefined ? {} : { errorCode: finding.errorCode }),
  };
}
