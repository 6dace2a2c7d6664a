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
export class PermissionRuleError extends Error {
  readonly rule: string;

  constructor({ rule, source }: SourcedRule, problem: string) {
    const where = source === undefined ? "" : ` of ${source}`;
    super(`the permission rule ${JSON.stringify(rule)}${where} ${problem}`);
    this.name = "PermissionRuleError";
    this.rule = rule;
  }
}

export const allowedRules =
  "rules such as Read, Bash(npm run test:*), Edit(/src/**), WebFetch(domain:example.com), mcp__server__tool";

const form = /^([A-Za-z*][\w*.-]*)(?:\(([^]*)\))?$/;

/** Undefined for a text that is no rule. */
export function parseRule(text: string): ParsedRule | undefined {
  const [, toolName, inside] = form.exec(text.trim()) ?? [];
  if (toolName === undefined || text.includes("\0")) return undefined;
  const isPattern = toolName.includes("*");
  if (isPattern && toolName !== "*" && !toolName.startsWith("mcp__")) return undefined;
  const content = inside?.trim();
  return content === undefined || content === "" || content === "*" ? { toolName } : { toolName, content };
}
