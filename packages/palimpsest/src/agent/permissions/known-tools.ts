import { nearNames } from "../base/near-names.js";
import type { ParsedRule } from "./rule.js";

/** Tools whose rules may say something in brackets. */
const describedTools: ReadonlySet<string> = new Set(
  "Agent Bash Edit Glob Grep Read Skill WebFetch Write".split(" "),
);
const plainTools: ReadonlySet<string> = new Set(
  `AgentOutput AskUser BashOutput EnterPlanMode ExitPlanMode KillBash Recall TodoWrite ToolSearch`.split(" "),
);

/** Tools that settings written for Claude Code speak of. Those without a counterpart here are known and never called. */
const foreignTools: ReadonlySet<string> = new Set(
  `Brief Config CronCreate CronDelete CronList EnterWorktree ExitWorktree LS LSP ListMcpResourcesTool Monitor MultiEdit
   NotebookEdit NotebookRead PowerShell PushNotification ReadMcpResourceTool RemoteTrigger ScheduleWakeup SendMessage
   SendUserMessage ShareOnboardingGuide StructuredOutput TaskCreate TaskGet TaskList TaskStop TaskUpdate TeamCreate
   TeamDelete WaitForMcpServers WebSearch Workflow`.split(/\s+/),
);

/** Other names of tools that are there. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["AskUserQuestion", "AskUser"],
  ["KillShell", "KillBash"],
  ["SlashCommand", "Skill"],
  ["Task", "Agent"],
  ["TaskOutput", "AgentOutput"],
]);

/** The name that this program has for a tool of a rule. */
export const ownToolName = (toolName: string): string => otherNames.get(toolName) ?? toolName;

const isServerTool = (toolName: string): boolean => /^mcp__.*[^_]/.test(toolName);

/** Why a rule is about no call at all, as the end of a sentence; undefined for one that may be about some. */
export function toolProblem({ toolName: given, content }: ParsedRule): string | undefined {
  const toolName = ownToolName(given);
  if (foreignTools.has(toolName)) return undefined;
  const isKnown = toolName === "*" || isServerTool(toolName);
  if (!isKnown && !describedTools.has(toolName) && !plainTools.has(toolName)) {
    const near = nearNames(toolName, [...describedTools, ...plainTools], 3);
    return `is about a tool that does not exist${near.length > 0 ? `; did you mean ${near.join(", ")}?` : ""}`;
  }
  if (content === undefined) return undefined;
  if (!describedTools.has(toolName)) return `can have nothing in brackets; write ${given} alone`;
  return toolName === "WebFetch" && !/^domain:\s*\S+$/i.test(content)
    ? "must name a domain, such as WebFetch(domain:example.com)"
    : undefined;
}
