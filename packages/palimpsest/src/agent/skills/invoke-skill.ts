import type { FileAccess } from "@palimpsest/core/restore";
import { readFrontMatter } from "../base/front-matter.js";
import { countsFromZero, fillArguments, isPlainArgument } from "./fill-arguments.js";
import type { Skill } from "./skill.js";
import { shellCommandsIn, templateParts, type TemplatePart } from "./template-parts.js";

export type InvokedText =
  | {
      readonly kind: "text";
      readonly text: string;
      /** What its author and the person wrote, without what commands printed: files may be named in it. */
      readonly written: string;
    }
  | { readonly kind: "failed"; readonly message: string };

export type CommandOutput =
  | { readonly kind: "output"; readonly text: string }
  | { readonly kind: "failed"; readonly message: string };

interface Invocation {
  readonly args: string;
  readonly files: FileAccess;
  /** Runs a command of the text, or says why not. Without it commands are shown, and never run. */
  readonly run?: (command: string) => Promise<CommandOutput>;
}

/**
 * What a skill says, read from its file now: where its files lie, then its body with the arguments in it. Its
 * commands run in their order where somebody runs them, and only those that were there when the skill was loaded:
 * whoever trusted the file has seen no others. Never rejects.
 */
export async function invokeSkill(skill: Skill, { args, files, run }: Invocation): Promise<InvokedText> {
  const outcome = await files.read(skill.path, { isNumbered: false });
  if (outcome.kind !== "text") {
    return { kind: "failed", message: `The skill ${skill.name} cannot be read any more (${outcome.kind}).` };
  }
  const { body } = await readFrontMatter(outcome.content);
  if (run !== undefined && shellCommandsIn(body).join("\0") !== skill.commands.join("\0")) {
    return {
      kind: "failed",
      message: `The commands in ${skill.path} have changed since the start: begin again to use them.`,
    };
  }
  const parts: readonly TemplatePart[] =
    run === undefined ? [{ kind: "text", text: body }] : templateParts(body);
  const filling = { args, countsFromZero: countsFromZero(body) };
  const pieces: string[] = [];
  const written: string[] = [];
  let takesArguments = false;
  for (const part of parts) {
    const placed = part.text.replaceAll("${CLAUDE_SKILL_DIR}", () => skill.directory);
    const { text, values } = fillArguments(placed, filling);
    takesArguments ||= values.length > 0;
    if (part.kind === "text" || run === undefined) {
      pieces.push(text);
      written.push(text);
      continue;
    }
    if (!values.every(isPlainArgument)) {
      return {
        kind: "failed",
        message: `/${skill.name} puts its arguments into a command, so they may hold only letters, digits, blanks and _@%+=:,./-`,
      };
    }
    const ran = await run(text);
    if (ran.kind === "failed") return ran;
    pieces.push(ran.text);
  }
  const added = takesArguments || args.trim() === "" ? "" : `\n\nArguments: ${args}`;
  const rest = outcome.isTruncated ? `\n\n[cut here: the rest can be read at ${skill.path}]` : "";
  return {
    kind: "text",
    text: `Base directory for this skill: ${skill.directory}\n\n${pieces.join("").trim()}${rest}${added}`,
    written: [...written, added].join("\n"),
  };
}
