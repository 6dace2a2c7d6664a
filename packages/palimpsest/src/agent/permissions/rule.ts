import { PalimpsestError } from "@palimpsest/core";

/** A rule's two parts: `Bash(git diff *)` is the tool `Bash` and the content `git diff *`. */
export interface ParsedRule {
  readonly toolName: string;
  /** Left out where the rule means every call of the tool. */
  readonly content?: string;
}

/** A rule and where it stands. */
export interface SourcedRule {
  readonly rule: string;
  /** Where patterns start that begin with one slash. Default: the working directory. */
  readonly base?: string;
  /** The file or flag to name for it. */
  readonly source?: string;
}

export interface RuleLists<Rule = string | SourcedRule> {
  readonly allow?: readonly Rule[];
  readonly ask?: readonly Rule[];
  readonly deny?: readonly Rule[];
}

/** A rule that cannot be meant. What it was to forbid would be allowed, so nobody passes over it. */
export class PermissionRuleError extends PalimpsestError<"bad_option"> {
  override readonly name = "PermissionRuleError";
  readonly rule: string;

  constructor({ rule, source }: SourcedRule, problem: string) {
    const where = source === undefined ? "" : ` of ${source}`;
    super("bad_option", `the permission rule ${JSON.stringify(rule)}${where} ${problem}`);
    this.rule = rule;
  }
}

export const allowedRules =
  "rules such as Read, Bash(npm run test:*), Edit(/src/**), WebFetch(domain:example.com), mcp__server__tool";

const form = /^([A-Za-z*][\w*.-]*)(?:\(([^]*)\))?$/;

/**
 * Undefined for a text that is not a rule: a bracket that is not closed, or closed before the end, and brackets with
 * nothing in them. Nothing of the text is passed over: what a rule lost on the way could only widen it.
 */
export function parseRule(text: string): ParsedRule | undefined {
  const [, toolName, inside] = form.exec(text.trim()) ?? [];
  if (toolName === undefined || text.includes("\0")) return undefined;
  const isPattern = toolName.includes("*");
  if (isPattern && toolName !== "*" && !toolName.startsWith("mcp__")) return undefined;
  if (inside === undefined) return { toolName };
  const content = inside.trim();
  if (content === "" || !isBalanced(inside)) return undefined;
  return content === "*" ? { toolName } : { toolName, content };
}

/** Every bracket is closed, and none that was not opened: brackets in quotes count, or do not. */
const isBalanced = (text: string): boolean => isClosed(text) || isClosed(withoutQuoted(text));

function isClosed(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

const withoutQuoted = (text: string): string => text.replaceAll(/\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"/g, "_");

/** The rules of a list with commas; commas in brackets belong to a rule, also where a bracket is not closed. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "(") depth += 1;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (at === text.length || (character === "," && depth === 0)) {
      rules.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return rules.filter((rule) => rule !== "");
}
