import type { FileAccess } from "@palimpsest/core/restore";
import { readFrontMatter } from "../base/front-matter.js";
import type { Skill } from "./skill.js";

export type InvokedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "failed"; readonly message: string };

/**
 * What a skill says, read from its file now: where its files lie, then its body with the arguments in it. Commands
 * in it are shown, never run. Never rejects.
 */
export async function invokeSkill(
  skill: Skill,
  { args, files }: { readonly args: string; readonly files: FileAccess },
): Promise<InvokedText> {
  const outcome = await files.read(skill.path, { isNumbered: false });
  if (outcome.kind !== "text") {
    return { kind: "failed", message: `The skill ${skill.name} cannot be read any more (${outcome.kind}).` };
  }
  const { body } = await readFrontMatter(outcome.content);
  const place = (text: string): string => text.replaceAll("${CLAUDE_SKILL_DIR}", () => skill.directory);
  const takesArguments = body.includes("$ARGUMENTS");
  const filled = place(body).replaceAll("$ARGUMENTS", () => args);
  const added = takesArguments || args.trim() === "" ? "" : `\n\nArguments: ${args}`;
  const rest = outcome.isTruncated ? `\n\n[cut here: the rest can be read at ${skill.path}]` : "";
  return {
    kind: "text",
    text: `Base directory for this skill: ${skill.directory}\n\n${filled.trim()}${rest}${added}`,
  };
}
