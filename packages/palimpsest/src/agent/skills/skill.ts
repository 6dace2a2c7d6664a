/** A skill as it is known before anybody invokes it. */
export interface Skill {
  /** What it is invoked by. */
  readonly name: string;
  /** One line; empty where its author says nothing. */
  readonly description: string;
  /** The file: `SKILL.md` in a folder of its own, or a command of the older form. */
  readonly path: string;
  /** Where the files lie that it speaks of. */
  readonly directory: string;
  readonly source: "project" | "user";
  /** The model may invoke it; else only the person. */
  readonly isForModel: boolean;
  /** The person may invoke it by its name. */
  readonly isForPerson: boolean;
  /** Permission rules that its author asks for. Whoever trusts the author may grant them. */
  readonly allowedTools: readonly string[];
  /** What stands in it as `` !`command` ``, before arguments are filled in. It runs where a person starts the skill by name. */
  readonly commands: readonly string[];
  readonly argumentHint?: string;
  readonly model?: string;
}
