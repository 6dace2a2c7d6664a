import type { ruleSets } from "./rule-sets.js";
import type { worlds } from "./worlds.js";

/**
 * What has to become of a call. `stopped` is asked or denied: which of the two does not matter. `harmless` may run or
 * be stopped, as long as nothing is touched and nothing is shown that must not be.
 */
export type Verdict = "runs" | "asked" | "denied" | "stopped" | "harmless";

/** A call of a tool other than Bash. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Calls with one verdict, a text being a command for Bash. Whatever the verdict, none of them may leave a file whose
 * name begins with PWN, nor show the text of `../secret.txt` or of a file that a rule hides. `{root}` and `{work}`
 * are the folder around the project and the project.
 */
export interface VerdictGroup {
  /** What is tried, in some words. */
  readonly about: string;
  readonly rules: keyof typeof ruleSets;
  readonly world: keyof typeof worlds;
  readonly expected: Verdict;
  readonly calls: readonly (string | ToolCall)[];
}
