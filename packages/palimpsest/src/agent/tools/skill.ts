import type { FileAccess, MemoryInvokedSkills } from "@palimpsest/core/restore";
import { invokeSkill } from "../skills/invoke-skill.js";
import { nearNames } from "../base/near-names.js";
import type { Skill } from "../skills/skill.js";
import type { AgentTool, ToolOutput } from "../base/tool.js";

export interface SkillToolOptions {
  /** Those that are known now. */
  readonly skills: () => readonly Skill[];
  readonly filesOf: (skill: Skill) => FileAccess;
  /** Told of each that was invoked, so that it comes back after a compaction. */
  readonly invoked: Pick<MemoryInvokedSkills, "note">;
}

const failed = (content: string): ToolOutput => ({ content, isError: true });

/** Shows the model a skill that is listed in its prompt. */
export function createSkillTool({ skills, filesOf, invoked }: SkillToolOptions): AgentTool {
  return {
    definition: {
      name: "Skill",
      description:
        "Loads a skill: written instructions for a kind of task. Call it with the name of a skill that was listed to you, before you start on the task, and follow what comes back. A skill that was loaded already in this conversation need not be loaded again.",
      input_schema: {
        type: "object",
        properties: {
          skill: { type: "string", description: "The name of the skill, as it is listed." },
          args: { type: "string", description: "What the skill is to be applied to, if it takes arguments." },
        },
        required: ["skill"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, context) {
      const name = input["skill"];
      const wanted = typeof name === "string" ? name.trim().replace(/^\//, "") : "";
      const args = typeof input["args"] === "string" ? input["args"] : "";
      const known = skills();
      const skill = known.find(({ name }) => name === wanted);
      if (skill === undefined) return failed(unknownSkill(wanted, known));
      if (!skill.isForModel) {
        return failed(`The skill ${skill.name} can only be started by the person. Go on without it.`);
      }
      const outcome = await invokeSkill(skill, { args, files: filesOf(skill) });
      if (outcome.kind === "failed") return failed(outcome.message);
      invoked.note({
        name: skill.name,
        path: skill.path,
        content: outcome.text,
        invokedAt: context.now(),
        ...(context.agentId === undefined ? {} : { agentId: context.agentId }),
      });
      return { content: outcome.text };
    },
  };
}

function unknownSkill(wanted: string, known: readonly Skill[]): string {
  const names = known.filter(({ isForModel }) => isForModel).map(({ name }) => name);
  const shown = JSON.stringify(wanted.slice(0, 80));
  if (names.length === 0) return `There is no skill ${shown}: no skills are installed. Go on without one.`;
  const near = nearNames(wanted, names);
  const listed =
    near.length > 0 ? `Did you mean ${near.join(", ")}?` : `There are ${names.slice(0, 20).join(", ")}.`;
  return `There is no skill ${shown}. ${listed}`;
}
