import type { Session } from "../session/session.js";
import type { CommandResult } from "./command-result.js";
import { compactCommand } from "./compact-command.js";
import { contextCommand } from "./context-command.js";
import { costCommand } from "./cost-command.js";
import { figure } from "./figures.js";
import type { BuiltInCommand } from "./list-commands.js";

export interface BuiltInParts {
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** Does what the program itself does for a prompt that is a command. Rejects as the store does. */
export async function runBuiltIn(
  name: BuiltInCommand,
  args: string,
  { session, signal }: BuiltInParts,
): Promise<CommandResult> {
  if (name !== "compact" && args !== "") return { kind: "failed", text: `/${name} takes no arguments.` };
  switch (name) {
    case "compact":
      return compactCommand(args, { session, signal });
    case "context":
      return contextCommand(session.conversation);
    case "cost":
      return costCommand(session.conversation.account());
    case "clear":
      return { kind: "done", text: "", startsAnew: true };
    case "clear-results":
      return clearResults(session);
    case "undo":
      return undo(session);
  }
}

async function clearResults(session: Session): Promise<CommandResult> {
  const { toolUseIds, tokensBefore, tokensAfter, added } = await session.clearResults();
  const data = { cleared: toolUseIds, tokensBefore, tokensAfter };
  if (toolUseIds.length === 0) {
    return { kind: "done", text: "There are no old results of tools to clear.", data };
  }
  const count = toolUseIds.length === 1 ? "1 result" : `${toolUseIds.length} results`;
  const text = `Cleared ${count}: ${figure(tokensBefore)} → ${figure(tokensAfter)} tokens.`;
  return { kind: "done", text, data, step: { tier: "size-based", added, tokensBefore, tokensAfter, text } };
}

async function undo(session: Session): Promise<CommandResult> {
  const outcome = await session.undo();
  if (outcome.kind === "failed") return { kind: "failed", text: outcome.message };
  const { tokensBefore, tokensAfter } = outcome;
  const text = `The last compaction is undone: ${figure(tokensBefore)} → ${figure(tokensAfter)} tokens.`;
  return { kind: "done", text, data: { tokensBefore, tokensAfter } };
}
