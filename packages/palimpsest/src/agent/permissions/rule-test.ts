import { homedir } from "node:os";
import type { ToolInput } from "../base/tool.js";
import { factsOfCall, guessSubject } from "./call-facts.js";
import { compileRule, isTouchedBy } from "./compile-rule.js";

/**
 * Whether a call meets a rule, for hooks with a condition: one file, one simple command is enough, and so is a
 * command that is not clear. Throws `PermissionRuleError`.
 */
export function createRuleTest({
  workingDirectory,
  home = homedir(),
}: {
  readonly workingDirectory: string;
  readonly home?: string;
}): (rule: string, call: { readonly toolName: string; readonly toolInput: ToolInput }) => boolean {
  const places = { workingDirectory, home };
  return (rule, { toolName, toolInput }) => {
    const compiled = compileRule(rule, { ...places, isStrict: true });
    const subject = guessSubject(toolName, toolInput);
    const call = factsOfCall({ toolName, input: toolInput, subject }, places);
    const isUnclear = call.command?.parsed.kind === "unclear" && compiled.isAbout(call);
    return isUnclear || isTouchedBy(compiled, call);
  };
}
