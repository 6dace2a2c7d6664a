import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ShellCommand } from "../../shell/shell-command.js";
import type { AgentTool, ToolInput } from "../base/tool.js";
import { factsOfCall, meaningsOf, type CallFacts } from "./call-facts.js";
import { directoriesOf, isMoveInside } from "./command-directories.js";
import { commandShowsHidden } from "./command-shows-hidden.js";
import { dependsOnFiles, placesFiles } from "./command-places-files.js";
import { namedPaths, staysInside, type NamedPaths } from "./command-paths.js";
import {
  compileRule,
  isTouchedBy,
  ruleForCommand,
  ruleThatAllows,
  type CompiledRule,
} from "./compile-rule.js";
import type { Judgement } from "./judgement.js";
import { isGuarded } from "./guarded-files.js";
import { createLookCount, createLookupBudget } from "./lookup-budget.js";
import type { PermissionMode } from "./mode.js";
import { wayInside, realPathOf } from "../base/real-path.js";
import type { RuleLists, SourcedRule } from "./rule.js";
import { suggestRules } from "./suggest-rules.js";

export interface PermissionOptions {
  readonly mode: PermissionMode;
  readonly rules?: RuleLists;
  readonly workingDirectory: string;
  /** Directories that count like the working directory. */
  readonly additionalDirectories?: readonly string[];
  readonly home?: string;
}

/** Who may do what. Asks the disk where links lead, and nothing else. */
export interface Permissions {
  /** Deny rules, then ask rules, then allow rules, then the mode. Never throws. */
  readonly judge: (tool: AgentTool, input: ToolInput) => Judgement;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  /** A rule for the rest of the session. Throws `PermissionRuleError`. */
  readonly addRule: (behavior: Judgement["behavior"], rule: string | SourcedRule) => void;
  /** A rule forbids to read, or to edit, this file: for tools that come across files that no call names. */
  readonly isDenied: (path: string, kind: "read" | "edit") => boolean;
  /** The working directory and those that count like it. */
  readonly roots: readonly string[];
}

const TOO_LONG =
  "The command is too long to be held against the rules that forbid or ask. Shorter commands can be, one at a time.";
const SHOWS_HIDDEN =
  "It may show a file for which there is a rule that forbids reading or asks for it. Name the files that it is to show.";
const COMPUTED =
  "What it runs cannot be told from its text, and there are rules that forbid or ask for some programs. Simple commands can be held against them, one at a time.";

/** Throws `PermissionRuleError` where a rule cannot be meant. */
export function createPermissions(options: PermissionOptions): Permissions {
  const { home = homedir(), rules = {} } = options;
  const workingDirectory = resolve(options.workingDirectory);
  const roots = [workingDirectory, ...(options.additionalDirectories ?? [])].map((root) =>
    resolve(workingDirectory, root),
  );
  const insideOf = [...new Set([...roots, ...roots.map((root) => realPathOf(root))])];
  const isInside = (path: string): boolean => insideOf.some((root) => wayInside(root, path) !== undefined);
  const compile = (behavior: Judgement["behavior"]) => (rule: string | SourcedRule) =>
    compileRule(rule, { workingDirectory, home, isStrict: behavior !== "allow" });
  const lists: Record<Judgement["behavior"], readonly CompiledRule[]> = {
    allow: (rules.allow ?? []).map(compile("allow")),
    ask: (rules.ask ?? []).map(compile("ask")),
    deny: (rules.deny ?? []).map(compile("deny")),
  };
  let { mode } = options;
  const commandPlaces = ({ command }: Pick<CallFacts, "command">) => ({
    workingDirectory: command?.directory ?? workingDirectory,
    home,
  });

  /** Whether some rule keeps a file from being read, or read without a question; undefined where there is no such rule. */
  const hiding = (): ((path: string) => boolean) | undefined => {
    const rules = [...lists.deny, ...lists.ask].filter(
      (rule) => rule.fileKind === "read" && hidesFiles(rule),
    );
    if (rules.length === 0) return undefined;
    return (path) => {
      const meanings = meaningsOf(path, { workingDirectory, home });
      return rules.some(
        ({ isBare, matchesPath }) => isBare || meanings.some((meaning) => matchesPath?.(meaning)),
      );
    };
  };

  /** What a command names, looked up once: a file that may not be read is not read by `cat` either. */
  const namedIn = (call: CallFacts) => {
    const found: { read?: NamedPaths; edit?: NamedPaths } = {};
    return (kind: "read" | "edit"): NamedPaths =>
      (found[kind] ??=
        call.command === undefined
          ? { paths: [], isComplete: true, isComputed: false }
          : namedPaths(call.command, { kind, places: commandPlaces(call) }));
  };

  const touching = (
    list: readonly CompiledRule[],
    call: CallFacts,
    named: (kind: "read" | "edit") => NamedPaths,
  ): CompiledRule | undefined =>
    list.find(
      (rule) =>
        isTouchedBy(rule, call) ||
        (rule.matchesPath !== undefined &&
          rule.fileKind !== undefined &&
          named(rule.fileKind).paths.some(rule.matchesPath)),
    );

  /** A rule means something, and whether this command is that cannot be told. */
  const doubtAbout = (
    list: readonly CompiledRule[],
    call: CallFacts,
    named: (kind: "read" | "edit") => NamedPaths,
  ): "too long" | "computed" | undefined => {
    if (call.command === undefined) return undefined;
    const doubts = list.map((rule) => {
      if (rule.command !== undefined && rule.isAbout(call)) return call.command?.forms().doubt;
      const kind = rule.matchesPath === undefined ? undefined : rule.fileKind;
      if (kind === undefined) return undefined;
      if (!named(kind).isComplete) return "too long";
      return named(kind).isComputed ? "computed" : undefined;
    });
    return doubts.find((doubt) => doubt === "too long") ?? doubts.find((doubt) => doubt !== undefined);
  };

  /** A rule that says this very command. */
  const ruleByTheLetter = (call: CallFacts): CompiledRule | undefined => {
    const text = call.command?.text.trim();
    if (text === undefined || text.includes("*")) return undefined;
    return lists.allow.find((rule) => rule.isAbout(call) && rule.text === `Bash(${text})`);
  };

  /** A command that shows files, and among them perhaps one that a rule hides: also where a rule allows the program. */
  const mayShowHidden = (call: CallFacts): boolean => {
    const isHidden = hiding();
    if (isHidden === undefined || call.command === undefined) return false;
    if (ruleByTheLetter(call) !== undefined) return false;
    const mayLook = createLookCount();
    return commandShowsHidden(call.command, { places: commandPlaces(call), isInside, isHidden, mayLook });
  };

  const allowing = (tool: AgentTool, call: CallFacts): Judgement | undefined => {
    const found = ruleThatAllows(lists.allow, call);
    if (found !== undefined) return byRule("allow", found);
    if (call.command === undefined) return undefined;
    const { parsed } = call.command;
    const about = lists.allow.filter((rule) => rule.isAbout(call));
    const whole = ruleByTheLetter(call);
    if (whole !== undefined) return byRule("allow", whole);
    if (parsed.kind === "unclear") return undefined;
    const judged = judgeCommands(tool, call, about);
    const rule = judged.find((one) => typeof one === "object");
    if (rule === undefined || judged.includes("unknown")) return undefined;
    if (!judged.includes("git")) return byRule("allow", rule);
    // Brakes hold for every call of git in a command: they would spoil one that the person allowed.
    const spoils = parsed.commands.some((command, at) => typeof judged[at] === "object" && isGit(command));
    return spoils ? undefined : { ...byRule("allow", rule), holdsGit: true };
  };

  /** For each simple command the rule that allows it, or that it only reads inside the roots, git with its brakes on. */
  const judgeCommands = (
    tool: AgentTool,
    call: CallFacts,
    about: readonly CompiledRule[],
  ): readonly (CompiledRule | "harmless" | "git" | "unknown")[] => {
    if (call.command?.parsed.kind !== "clear" || call.command.parsed.commands.length === 0)
      return ["unknown"];
    const { commands } = call.command.parsed;
    const budget = createLookupBudget();
    const mayLook = createLookCount();
    const { workingDirectory: start } = commandPlaces(call);
    const directories = directoriesOf(commands, { start, isInside });
    const isHidden = hiding();
    const rules = commands.map((command) => ruleForCommand(about, command));
    // What a command would read is looked up before any of them runs.
    const isSettled = !commands.some((command, index) => rules[index] !== undefined && placesFiles(command));
    return commands.map((command, index) => {
      const rule = rules[index];
      if (rule !== undefined) return rule;
      const isMove = command.words[0]?.value === "cd";
      const text = command.words.map(({ raw }) => raw).join(" ");
      const isHarmlessIn = (directory: string): boolean =>
        staysInside(command, { places: { workingDirectory: directory, home }, isInside, budget }) &&
        tool.isReadOnly({ ...call.input, command: text }, { directory, isHidden, mayLook });
      if (!isSettled && dependsOnFiles(command)) return "unknown";
      if (isMove)
        return isMoveInside(command, { from: directories[index], isInside }) ? "harmless" : "unknown";
      const places = directories[index];
      if (places === undefined) return "unknown";
      // Wherever it runs: what depends on its words and its input alone only passes on what it is given.
      if (places === "inside")
        return !dependsOnFiles(command) && isHarmlessIn(start) ? "harmless" : "unknown";
      if (!places.every(isHarmlessIn)) return "unknown";
      return isGit(command) ? "git" : "harmless";
    });
  };

  const onlyReads = (tool: AgentTool, call: CallFacts): boolean => {
    if (call.kind === "none" || call.kind === "read") return true;
    if (call.command === undefined) return call.kind !== "edit" && tool.isReadOnly(call.input);
    return !judgeCommands(tool, call, []).includes("unknown");
  };

  const ask = (call: CallFacts, reason: string): Judgement => ({
    behavior: "ask",
    reason,
    suggestions: suggestRules(call, isInside),
  });

  const byMode = (tool: AgentTool, call: CallFacts): Judgement => {
    const stays = call.paths.flat().every(isInside);
    if (call.kind === "none") return { behavior: "allow", reason: "It touches nothing." };
    if (call.kind === "read") {
      if (stays) return { behavior: "allow", reason: "It reads inside the working directories." };
      return ask(call, "The path lies outside the working directories.");
    }
    if (call.kind === "edit") {
      if (!stays) return ask(call, "The path lies outside the working directories.");
      if (mode !== "acceptEdits") return ask(call, "Editing files needs a permission.");
      if (!call.paths.flat().some((path) => isGuarded(path, insideOf))) {
        return { behavior: "allow", reason: "Edits inside the working directories are accepted." };
      }
      return ask(
        call,
        "This file decides what runs or what is permitted, so accepting edits does not cover it.",
      );
    }
    if (call.command !== undefined) {
      const judged = judgeCommands(tool, call, []);
      if (!judged.includes("unknown")) {
        const reason = "It only reads inside the working directories.";
        return { behavior: "allow", reason, ...(judged.includes("git") ? { holdsGit: true } : {}) };
      }
      const { parsed } = call.command;
      return ask(
        call,
        parsed.kind === "unclear"
          ? `The command cannot be held against rules: ${parsed.why}. Simple commands can, one at a time.`
          : "No rule allows all of this command.",
      );
    }
    return ask(call, `No rule allows ${call.toolName}.`);
  };

  const decide = (tool: AgentTool, input: ToolInput): Judgement => {
    const toolName = tool.definition.name;
    const subject = tool.subject(input);
    const call = factsOfCall({ toolName, input, subject }, { workingDirectory, home });
    const named = namedIn(call);
    const denying = touching(lists.deny, call, named);
    if (denying !== undefined) return byRule("deny", denying);
    if (mode === "bypassPermissions" && doubtAbout(lists.deny, call, named) === "too long") {
      return { behavior: "deny", reason: TOO_LONG };
    }
    if (mode === "bypassPermissions") return { behavior: "allow", reason: "Permissions are bypassed." };
    if (mode === "plan" && !onlyReads(tool, call)) {
      const reason =
        "Plan mode is on: only what reads is permitted. Finish the plan and call ExitPlanMode first.";
      return { behavior: "deny", reason };
    }
    const asking = touching(lists.ask, call, named);
    if (asking !== undefined) return byRule("ask", asking);
    const doubt = doubtAbout([...lists.deny, ...lists.ask], call, named);
    if (doubt !== undefined && ruleByTheLetter(call) === undefined)
      return ask(call, doubt === "too long" ? TOO_LONG : COMPUTED);
    const found = allowing(tool, call);
    if (found !== undefined && mayShowHidden(call)) return ask(call, SHOWS_HIDDEN);
    return found ?? byMode(tool, call);
  };

  return {
    roots,
    mode: () => mode,
    setMode(next) {
      mode = next;
    },
    addRule(behavior, rule) {
      lists[behavior] = [...lists[behavior], compile(behavior)(rule)];
    },
    isDenied(path, kind) {
      const call = { toolName: kind === "read" ? "Read" : "Edit", kind, input: {}, paths: [] };
      try {
        const paths = [meaningsOf(path, { workingDirectory, home })];
        return lists.deny.some((rule) => isTouchedBy(rule, { ...call, paths }));
      } catch {
        return true;
      }
    },
    judge(tool, input) {
      try {
        return decide(tool, input);
      } catch {
        return {
          behavior: "deny",
          reason: "The call cannot be judged: its input is not one that the tool takes.",
        };
      }
    },
  };
}

function byRule(behavior: Judgement["behavior"], { text, source }: CompiledRule): Judgement {
  const where = source === undefined ? "" : ` of ${source}`;
  const verb = { allow: "allows", ask: "asks for a permission for", deny: "forbids" }[behavior];
  return { behavior, reason: `The rule ${text}${where} ${verb} this.`, rule: text };
}

/** Rules for single files, and those that forbid reading as such; one about another tool than Read is about that tool. */
const hidesFiles = ({ isBare, matchesPath, isAbout }: CompiledRule): boolean =>
  isBare ? isAbout({ toolName: "Read", kind: "read", input: {}, paths: [] }) : matchesPath !== undefined;

const isGit = ({ words }: ShellCommand): boolean => words[0]?.value === "git";
