import { matchesPattern } from "@palimpsest/core/engine";
import type { PathMatcher } from "../../files/path-patterns.js";
import type { CallFacts } from "./call-facts.js";
import { writtenText, type ShellCommand } from "../../shell/shell-command.js";
import { isMeant } from "./command-forms.js";
import { compileCommandPattern, type CommandPattern } from "./command-pattern.js";
import { ownToolName, toolProblem } from "./known-tools.js";
import { compilePathPattern } from "../base/path-pattern.js";
import { parseRule, PermissionRuleError, type SourcedRule } from "./rule.js";

/** A rule, ready to be asked. */
export interface CompiledRule {
  readonly text: string;
  readonly source?: string;
  /** The tool is meant, whatever the call says. */
  readonly isAbout: (call: CallFacts) => boolean;
  /** Every call of the tool is meant. */
  readonly isBare: boolean;
  /** For files: a rule for reading, or for editing. */
  readonly fileKind?: "read" | "edit";
  readonly matchesPath?: PathMatcher;
  readonly command?: CommandPattern;
  /** The host of a page, the name of a skill or of an agent. */
  readonly matchesName?: (call: CallFacts) => boolean;
}

export interface CompileRuleOptions {
  readonly workingDirectory: string;
  readonly home: string;
  /** The rule is there to forbid: it means rather too much than too little. */
  readonly isStrict: boolean;
}

/** Throws `PermissionRuleError` for one that cannot be meant. */
export function compileRule(given: string | SourcedRule, options: CompileRuleOptions): CompiledRule {
  const sourced: SourcedRule = typeof given === "string" ? { rule: given } : given;
  const { rule: text, base, source } = sourced;
  const parsed = parseRule(text);
  if (parsed === undefined)
    throw new PermissionRuleError(sourced, "is not of the form Tool or Tool(content)");
  const { content } = parsed;
  const toolName = ownToolName(parsed.toolName);
  const problem = options.isStrict ? toolProblem(parsed) : undefined;
  if (problem !== undefined) throw new PermissionRuleError(sourced, problem);
  const rule = {
    text: text.trim(),
    ...(source === undefined ? {} : { source }),
    isAbout: toolTest(toolName),
    isBare: content === undefined,
    ...fileKindOf(toolName),
  };
  if (content === undefined) return rule;
  const { workingDirectory, home, isStrict } = options;
  if (toolName === "Bash") return { ...rule, command: compileCommandPattern(content) };
  if (rule.fileKind !== undefined) {
    const places = { workingDirectory, home, base: base ?? workingDirectory };
    const matchesPath = compilePathPattern(content, { places, ignoresCase: isStrict });
    if (matchesPath !== undefined) return { ...rule, matchesPath };
    throw new PermissionRuleError(sourced, "holds a pattern that cannot be read: no ! and no [!…], please");
  }
  return { ...rule, matchesName: nameTest(toolName, content) };
}

/** Edit rules hold for every tool that edits, read rules for every tool that reads. */
function toolTest(toolName: string): CompiledRule["isAbout"] {
  if (toolName === "Edit") return (call) => call.kind === "edit" || call.toolName === "Edit";
  if (toolName === "Read") return (call) => call.kind === "read" || call.toolName === "Read";
  if (toolName === "Agent" || toolName === "Task") return (call) => ["Agent", "Task"].includes(call.toolName);
  if (toolName === "*") return () => true;
  if (/^mcp__.+?__/.test(toolName)) return (call) => matchesPattern(call.toolName, toolName);
  if (toolName.startsWith("mcp__")) {
    return (call) => call.toolName.startsWith("mcp__") && matchesPattern(call.toolName, `${toolName}__*`);
  }
  return (call) => call.toolName === toolName;
}

function fileKindOf(toolName: string): { readonly fileKind?: "read" | "edit" } {
  if (["Read", "Grep", "Glob", "LS", "NotebookRead"].includes(toolName)) return { fileKind: "read" };
  if (["Edit", "Write", "MultiEdit", "NotebookEdit"].includes(toolName)) return { fileKind: "edit" };
  return {};
}

/** What a rule says of a tool that knows no content is about no call. */
function nameTest(toolName: string, content: string): (call: CallFacts) => boolean {
  const [, domain] = /^domain:\s*(\S+)$/i.exec(content) ?? [];
  if (toolName === "WebFetch") {
    const host = domain?.toLowerCase().replace(/\.$/, "");
    return (call) => host !== undefined && call.host !== undefined && matchesPattern(call.host, host);
  }
  const field = toolName === "Skill" ? "skill" : ["Agent", "Task"].includes(toolName) ? "subagent_type" : "";
  const stem = content.replace(/(?::| )\*$/, "").replace(/^\//, "");
  return ({ input }) => {
    const name = Object.hasOwn(input, field) ? input[field] : undefined;
    return typeof name === "string" && matchesPattern(name.trim().replace(/^\//, ""), stem);
  };
}

/** Whether a rule that forbids or asks has to do with a call: one file, one simple command is enough. */
export function isTouchedBy(rule: CompiledRule, call: CallFacts): boolean {
  if (rule.isAbout(call)) {
    const { matchesPath, command, matchesName } = rule;
    if (rule.isBare) return true;
    if (matchesPath !== undefined && call.paths.some((meanings) => meanings.some(matchesPath))) return true;
    if (command !== undefined && call.command !== undefined && isMeant(command, call.command.forms()))
      return true;
    if (matchesName?.(call) === true) return true;
  }
  return false;
}

/** The first of the rules that allow under which one simple command falls. A redirection falls under none. */
export const ruleForCommand = (
  rules: readonly CompiledRule[],
  simple: ShellCommand,
): CompiledRule | undefined => {
  if (simple.redirections.some(({ isHarmless }) => !isHarmless)) return undefined;
  const text = writtenText(simple);
  return rules.find(({ command }) => command?.matches(text) === true);
};

/** The rule that allows a call, commands aside: each meaning of each of its files has to be allowed. */
export function ruleThatAllows(rules: readonly CompiledRule[], call: CallFacts): CompiledRule | undefined {
  const about = rules.filter((rule) => rule.isAbout(call));
  const whole = about.find((rule) => rule.isBare || rule.matchesName?.(call) === true);
  if (whole !== undefined || call.paths.length === 0) return whole;
  const allowing = call.paths
    .flat()
    .map((path) => about.find(({ matchesPath }) => matchesPath?.(path) === true));
  return allowing.includes(undefined) ? undefined : allowing[0];
}
