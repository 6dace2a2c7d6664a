import { homedir } from "node:os";
import { resolve } from "node:path";
import { isSafeRepository } from "../tools/shell/safe-repository.js";
import type { AgentTool, ToolInput } from "../tools/tool.js";
import { factsOfCall, meaningsOf, type CallFacts } from "./call-facts.js";
import { directoriesOf } from "./command-directories.js";
import { namedPaths, showsUnnamedFiles, staysInside, type NamedPaths } from "./command-paths.js";
import {
  compileRule,
  isTouchedBy,
  ruleForCommand,
  ruleThatAllows,
  type CompiledRule,
} from "./compile-rule.js";
import type { Judgement } from "./judgement.js";
import { createLookupBudget } from "./lookup-budget.js";
import type { PermissionMode } from "./mode.js";
import { wayInside, realPathOf } from "./real-path.js";
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

/** What lets an agent change what it may do, or run something later: not part of accepting edits. */
const guarded: ReadonlySet<string> = new Set(
  `.git git~1 .gitconfig .gitmodules .husky .claude .claude.json .palimpsest .agents .mcp.json .vscode .idea .ssh
   .envrc .profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin`.split(
    /\s+/,
  ),
);

const TOO_LONG =
  "The command is too long to be held against the rules that forbid or ask. Shorter commands can be, one at a time.";
const COMPUTED =
  "Which program it runs is only known when it runs, and there are rules that forbid or ask for some. Name the program.";

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

  /** Some file inside the roots may not be read, or not without a question. */
  const hidesFiles = (): boolean =>
    [...lists.deny, ...lists.ask].some((rule) => rule.fileKind === "read" && rule.matchesPath !== undefined);

  /** What a command names, looked up once: a file that may not be read is not read by `cat` either. */
  const namedIn = (call: CallFacts) => {
    const found: { read?: NamedPaths; edit?: NamedPaths } = {};
    return (kind: "read" | "edit"): NamedPaths =>
      (found[kind] ??=
        call.command === undefined
          ? { paths: [], isComplete: true }
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
      return kind === undefined || named(kind).isComplete ? undefined : "too long";
    });
    return doubts.find((doubt) => doubt === "too long") ?? doubts.find((doubt) => doubt !== undefined);
  };

  const allowing = (tool: AgentTool, call: CallFacts): CompiledRule | undefined => {
    const found = ruleThatAllows(lists.allow, call);
    if (found !== undefined || call.command === undefined) return found;
    const { text, parsed } = call.command;
    const about = lists.allow.filter((rule) => rule.isAbout(call));
    const whole = about.find((rule) => rule.text === `Bash(${text.trim()})` && !text.includes("*"));
    if (whole !== undefined || parsed.kind === "unclear") return whole;
    const judged = judgeCommands(tool, call, about);
    return judged.every((one) => one !== "unknown")
      ? judged.find((one) => typeof one === "object")
      : undefined;
  };

  /** For each simple command the rule that allows it, or that it only reads inside the roots. */
  const judgeCommands = (
    tool: AgentTool,
    call: CallFacts,
    about: readonly CompiledRule[],
  ): readonly (CompiledRule | "harmless" | "unknown")[] => {
    if (call.command?.parsed.kind !== "clear" || call.command.parsed.commands.length === 0)
      return ["unknown"];
    const { commands } = call.command.parsed;
    const budget = createLookupBudget();
    const { workingDirectory: start } = commandPlaces(call);
    const directories = directoriesOf(commands, { start, isInside });
    return commands.map((command, index) => {
      const rule = ruleForCommand(about, command);
      if (rule !== undefined) return rule;
      const isHarmlessIn = (directory: string): boolean =>
        staysInside(command, { places: { workingDirectory: directory, home }, isInside, budget }) &&
        (command.words[0]?.value !== "git" || isSafeRepository(directory));
      if (directories[index]?.every(isHarmlessIn) !== true) return "unknown";
      if (command.words[0]?.value === "cd")
        return directories[index + 1] === undefined ? "unknown" : "harmless";
      if (showsUnnamedFiles(command) && hidesFiles()) return "unknown";
      const text = command.words.map(({ raw }) => raw).join(" ");
      return tool.isReadOnly({ ...call.input, command: text }) ? "harmless" : "unknown";
    });
  };

  const onlyReads = (tool: AgentTool, call: CallFacts): boolean => {
    if (call.kind === "none" || call.kind === "read") return true;
    if (call.command === undefined) return call.kind !== "edit" && tool.isReadOnly(call.input);
    return judgeCommands(tool, call, []).every((one) => one === "harmless");
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
      if (onlyReads(tool, call)) {
        return { behavior: "allow", reason: "It only reads inside the working directories." };
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
    if (doubt !== undefined) return ask(call, doubt === "too long" ? TOO_LONG : COMPUTED);
    const rule = allowing(tool, call);
    return rule === undefined ? byMode(tool, call) : byRule("allow", rule);
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

const isGuarded = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => {
    const parts = wayInside(root, path)?.split(/[\\/]/).map(plainName) ?? [];
    return parts.some((part, at) => guarded.has(part) || isOwnFolder(part, parts[at - 1]));
  });

/** As the most forgiving file system reads it: cases, invisible letters, streams, dots and spaces at the end. */
const plainName = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();

/** This program's own settings and transcripts, where home is worked in. */
const isOwnFolder = (name: string, above: string | undefined): boolean =>
  name === "palimpsest" && (above === ".config" || above === "share");
