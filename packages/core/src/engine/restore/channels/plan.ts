import type { Attachment } from "../../../messages/message.js";
import type { PlanState } from "../ports/plan-source.js";

const hasPlan = ({ content }: PlanState): boolean => content !== undefined && content.trim() !== "";

/** The whole plan with its path, whatever its size; none while there is no plan. */
export function planAttachment(state: PlanState | undefined): Attachment | undefined {
  if (state === undefined || !hasPlan(state)) return undefined;
  return { type: "plan_file_reference", planFilePath: state.path, planContent: state.content };
}

/** That the agent may only plan for now, with everything that has to be said about it; none in other modes. */
export function planModeAttachment(
  state: PlanState | undefined,
  agentId: string | undefined,
): Attachment | undefined {
  if (state?.isPlanMode !== true) return undefined;
  return {
    type: "plan_mode",
    reminderType: "full",
    isSubAgent: agentId !== undefined,
    planFilePath: state.path,
    planExists: hasPlan(state),
    ...(state.isSessionMode === true ? { isSessionMode: true } : {}),
  };
}
