import { findModel } from "@palimpsest/core";
import { modelNamed } from "../session/model-name.js";
import type { Session } from "../session/session.js";
import { modelOptions } from "../session/shared-conversation.js";
import type { Skill } from "../skills/skill.js";

export interface ModelInUse {
  /** A sentence for the person where the model that is named cannot take over. */
  readonly notice?: string;
  /** The conversation goes on with its own model. */
  readonly leave: () => Promise<void>;
}

/** Lets the model that a skill names answer until it is left, where requests of this conversation can go to it. */
export async function useModelOf(
  skill: Pick<Skill, "name" | "model">,
  { conversation, agent }: Pick<Session, "conversation" | "agent">,
): Promise<ModelInUse> {
  const own = conversation.model;
  const model = skill.model === undefined || skill.model === "inherit" ? own : modelNamed(skill.model);
  const leave = async (): Promise<void> => {};
  if (model === own) return { leave };
  if (!thinksLike(model, own) || agent.provider.name === "openai-compatible") {
    return {
      leave,
      notice: `/${skill.name} names the model ${JSON.stringify(model.slice(0, 80))}, which cannot take over here: ${own} answers.`,
    };
  }
  await conversation.switchModel(model, modelOptions(model));
  return {
    async leave() {
      await conversation.switchModel(own, modelOptions(own));
    },
  };
}

/** Requests ask for thinking in one way, for as long as a session lasts. */
const thinksLike = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((name) => findModel(name)?.capabilities.thinking.adaptive);
  return left !== undefined && left === right;
};
