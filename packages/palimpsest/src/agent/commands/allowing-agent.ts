import type { Agent } from "../loop/agent.js";
import type { Session } from "../session/session.js";
import type { Skill } from "../skills/skill.js";

/** The agent with the rules that a skill's file wants allowed. Throws `PermissionRuleError` for what is not a rule. */
export function allowingAgent(
  { allowedTools, path }: Pick<Skill, "allowedTools" | "path">,
  { agent, judgeWith }: Pick<Session, "agent" | "judgeWith">,
): Agent {
  if (allowedTools.length === 0) return agent;
  return { ...agent, judge: judgeWith(allowedTools.map((rule) => ({ rule, source: path }))) };
}
