import type { Gathered } from "../loop/query.js";
import { runCall } from "../loop/run-call.js";
import type { Agent } from "../loop/agent.js";
import type { Session } from "../session/session.js";
import { invokeSkill, type CommandOutput } from "../skills/invoke-skill.js";
import type { Skill } from "../skills/skill.js";
import { readMentions } from "./read-mentions.js";

/** Characters of what the commands of one skill print. */
const MOST_OUTPUT = 100_000;

type SkillSession = Pick<Session, "agent" | "guard" | "skills" | "noteSkill" | "judgeWith">;

interface Started {
  readonly skill: Skill;
  /** May do what the file wants allowed. */
  readonly allowing: Agent;
  readonly args: string;
  readonly session: SkillSession;
  readonly signal: AbortSignal;
}

/**
 * What a skill that a person starts by its name puts beside the prompt: its text, with the arguments and what its
 * commands print, and the files that it names. Never rejects.
 */
export async function gatherSkill({ skill, args, allowing, session, signal }: Started): Promise<Gathered> {
  const none = { blocks: [], attachments: [], notices: [] };
  let room = MOST_OUTPUT;
  const invoked = await invokeSkill(skill, {
    args,
    files: session.skills.filesOf(skill),
    async run(command) {
      const ran = await runCommand(command, { skill, agent: allowing, signal });
      if (ran.kind === "failed") return ran;
      const text = ran.text.slice(0, Math.max(0, room));
      room -= text.length;
      return { ...ran, text: text.length < ran.text.length ? `${text}\n[cut here]` : text };
    },
  });
  if (invoked.kind === "failed") return { ...none, failure: invoked.message };
  const { name, path } = skill;
  const content = invoked.text;
  session.noteSkill({ name, path, content, invokedAt: session.agent.now() });
  const files = await readMentions(invoked.written, session, signal);
  const attachment = { type: "invoked_skills", skills: [{ name, path, content }] };
  return { ...files, attachments: [attachment, ...files.attachments] };
}

/** Under rules and hooks, as a call of the model would be; nobody is asked. */
async function runCommand(
  command: string,
  { skill, agent, signal }: { readonly skill: Skill; readonly agent: Agent; readonly signal: AbortSignal },
): Promise<CommandOutput> {
  const { ask: _ask, ...unasked } = agent;
  const call = {
    type: "tool_use" as const,
    id: `skill-${skill.name.replaceAll(/[^\w-]/g, "_")}`,
    name: "Bash",
  };
  const { result, isDenied } = await runCall(unasked, { ...call, input: { command } }, signal);
  const { content = "" } = result;
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (result.is_error !== true) return { kind: "output", text: text === "(no output)" ? "" : text };
  const why = isDenied ? "is not permitted" : "failed";
  return {
    kind: "failed",
    message: `A command of /${skill.name} ${why}, and nothing was sent: ${JSON.stringify(command.slice(0, 200))}: ${text.slice(0, 500)}`,
  };
}
