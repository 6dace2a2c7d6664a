import type { Skill } from "../skills/skill.js";

/** A prompt that is a command: `/name`, and what may stand after it. */
export interface ListedCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly kind: "built-in" | "skill";
}

/** What the program does itself; no model is asked but for a summary. */
const builtInCommands = [
  {
    name: "clear",
    description: "Begins a new conversation; this one stays stored.",
  },
  {
    name: "clear-results",
    description: "Clears old results of tools now.",
  },
  {
    name: "compact",
    description: "Summarises the conversation now, or a part of it.",
    argumentHint: "[from MESSAGE | up-to MESSAGE] [--dry-run] [instructions]",
  },
  {
    name: "context",
    description: "Shows what is in the context, and what is left of it.",
  },
  {
    name: "cost",
    description: "Shows what the conversation has cost, by model and source.",
  },
  {
    name: "undo",
    description: "Takes the last compaction back.",
  },
] as const;

export type BuiltInCommand = (typeof builtInCommands)[number]["name"];

export const isBuiltIn = (name: string): name is BuiltInCommand =>
  builtInCommands.some((command) => command.name === name);

/**
 * All that can stand at the beginning of a prompt after a slash: what the program does itself, then the skills and
 * commands that a person may start. Of one name what is built in counts.
 */
export const listCommands = (skills: readonly Skill[]): readonly ListedCommand[] => [
  ...builtInCommands.map((command) => ({ ...command, kind: "built-in" as const })),
  ...skills
    .filter(({ name, isForPerson }) => isForPerson && !isBuiltIn(name))
    .map(({ name, description, argumentHint }) => ({
      name,
      description,
      ...(argumentHint === undefined ? {} : { argumentHint }),
      kind: "skill" as const,
    })),
];
