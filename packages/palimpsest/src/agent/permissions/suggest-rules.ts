import { dirname } from "node:path";
import type { CallFacts } from "./call-facts.js";

/** Words that can stand in a rule, and in a sentence, as they are. */
const plainWord = /^[\w./:@=+,-]{1,80}$/;

/** Rules and flags that would allow a call, the narrowest first, as parts of a sentence. */
export function suggestRules(call: CallFacts, isInside: (path: string) => boolean): readonly string[] {
  const bypass = "--permission-mode bypassPermissions";
  const outside = call.paths.flat().find((path) => !isInside(path));
  const folder = outside === undefined ? undefined : dirname(outside);
  if (folder !== undefined && plainWord.test(folder)) return [`--add-dir ${folder}`, bypass];
  if (call.kind === "edit") return [asRule("Edit"), "--permission-mode acceptEdits", bypass];
  const rules = call.command === undefined ? [ruleForCall(call)] : commandRules(call);
  return [...rules.map(asRule), bypass];
}

const asRule = (rule: string): string => `the rule ${rule} (permissions.allow, or --allowed-tools)`;

function ruleForCall({ toolName, host, input }: CallFacts): string {
  if (toolName === "WebFetch" && host !== undefined && plainWord.test(host))
    return `WebFetch(domain:${host})`;
  const name = toolName === "Skill" ? input["skill"] : undefined;
  return typeof name === "string" && plainWord.test(name) ? `Skill(${name})` : toolName;
}

const MAX_RULES = 8;

function commandRules({ command }: CallFacts): readonly string[] {
  if (command?.parsed.kind !== "clear") return ["Bash"];
  const { commands } = command.parsed;
  const rules = commands.flatMap(({ assignments, words, redirections }) => {
    if (assignments.length > 0 || redirections.some(({ isHarmless }) => !isHarmless)) return [];
    const [name = "", argument = ""] = words.slice(0, 2).map(({ raw }) => raw);
    if (!plainWord.test(name)) return [];
    const isSubcommand = /^[a-z][\w:-]*$/.test(argument) && plainWord.test(argument);
    return [isSubcommand ? `Bash(${name} ${argument}:*)` : `Bash(${name}:*)`];
  });
  const unique = [...new Set(rules)];
  const areAll = rules.length === commands.length && unique.length > 0 && unique.length <= MAX_RULES;
  return areAll ? [unique.join(" with ")] : ["Bash"];
}
