/** A prompt that begins like a command. */
export interface ParsedCommand {
  readonly name: string;
  /** What stands after the name, without blanks around it. */
  readonly args: string;
}

const form = /^\/([\p{L}\p{N}_][\p{L}\p{N}_:.-]{0,63})(?:\s([^]*))?$/u;

/** Undefined for every other prompt: a path such as `/usr/bin` has a second slash, and no command has. */
export function parseCommand(prompt: string): ParsedCommand | undefined {
  const [, name, args = ""] = form.exec(prompt.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}
