import { existsSync } from "node:fs";
import { nearNames } from "../base/near-names.js";
import type { Skill } from "../skills/skill.js";
import { isBuiltIn, listCommands, type BuiltInCommand } from "./list-commands.js";
import { parseCommand } from "./parse-command.js";

/** What a prompt is. */
export type ResolvedPrompt =
  /** Words for the model. */
  | { readonly kind: "words" }
  | { readonly kind: "built-in"; readonly name: BuiltInCommand; readonly args: string }
  | { readonly kind: "skill"; readonly skill: Skill; readonly args: string }
  /** With a sentence for the person: nothing is to be sent. */
  | { readonly kind: "unknown"; readonly name: string; readonly message: string };

/** A slash and a name that nothing has is a mistake, unless a file or folder of the system is called so. */
export function resolveCommand(
  prompt: string,
  skills: readonly Skill[],
  /** Commands that somebody else understands. */
  others: readonly string[] = [],
): ResolvedPrompt {
  const parsed = parseCommand(prompt);
  if (parsed === undefined) return { kind: "words" };
  const { name, args } = parsed;
  if (isBuiltIn(name)) return { kind: "built-in", name, args };
  const skill = skills.find((one) => one.name === name && one.isForPerson);
  if (skill !== undefined) return { kind: "skill", skill, args };
  if (existsSync(`/${name}`)) return { kind: "words" };
  const names = [...listCommands(skills).map((command) => command.name), ...others].toSorted();
  const near = nearNames(name, names, 3);
  const listed = (near.length > 0 ? near : names.slice(0, MOST_LISTED)).map((one) => `/${one}`).join(", ");
  const more =
    near.length === 0 && names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : "";
  const choice = near.length > 0 ? `did you mean ${listed}?` : `there are ${listed}${more}.`;
  return { kind: "unknown", name, message: `There is no command /${name}: ${choice}` };
}

const MOST_LISTED = 30;
