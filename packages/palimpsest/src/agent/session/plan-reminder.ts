import type { Attachment, Message } from "@palimpsest/core";
import { isFields } from "../base/fields.js";
import { PLAN_APPROVED, type PlanMode } from "../tools/plan-mode.js";

/** What a conversation's messages say of plan mode. */
export interface PlanModeTold {
  readonly isOn: boolean;
  /** The person began it, by the mode of the session, and not the agent. */
  readonly isSessionMode: boolean;
}

const OFF: PlanModeTold = { isOn: false, isSessionMode: false };

/** That plan mode is on for a subagent, which hands in no plan. */
const SUBAGENT = "plan_mode_subagent";
const ENDED = "plan_mode_ended";

/** Whether the model takes plan mode to be on: as it was told, or has begun it and not handed in its plan. */
export function planModeIn(live: readonly Message[]): PlanModeTold {
  let told = OFF;
  const calls = new Map<unknown, "EnterPlanMode" | "ExitPlanMode">();
  for (const message of live) {
    if (message.type === "attachment") {
      const { type, isSessionMode } = message.attachment;
      if (type === "plan_mode") told = { isOn: true, isSessionMode: isSessionMode === true };
      else if (type === SUBAGENT) told = { isOn: true, isSessionMode: true };
      else if (type === ENDED) told = OFF;
    }
    if (message.type !== "user" && message.type !== "assistant") continue;
    const content: unknown = message.message.content;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isFields(block)) continue;
      const { type, name } = block;
      if (type === "tool_use" && (name === "EnterPlanMode" || name === "ExitPlanMode"))
        calls.set(block["id"], name);
      if (type !== "tool_result" || block["is_error"] === true) continue;
      const call = calls.get(block["tool_use_id"]);
      if (call === "EnterPlanMode" && !told.isOn) told = { isOn: true, isSessionMode: false };
      // A session that was started to plan ends its turn with the plan, and goes on planning.
      const isApproved = String(block["content"]).startsWith(PLAN_APPROVED);
      if (call === "ExitPlanMode" && (isApproved || !told.isSessionMode)) told = OFF;
    }
  }
  return told;
}

/** What the model has to be told of plan mode: that it is on, or off, where the messages say otherwise. */
export async function planReminder(
  live: readonly Message[],
  planMode: Pick<PlanMode, "isPlanMode" | "plan" | "wantsPlanAlone">,
  agentId?: string,
): Promise<readonly Attachment[]> {
  const isOn = planMode.isPlanMode();
  if (planModeIn(live).isOn === isOn) return [];
  if (agentId !== undefined) return [isOn ? subagentPlans : ended("")];
  const plan = await planMode.plan(undefined);
  const hasPlan = plan?.content !== undefined && plan.content.trim() !== "";
  if (!isOn) return [ended(hasPlan ? ` The plan is in ${plan.path}.` : "")];
  return [
    {
      type: "plan_mode",
      reminderType: "full",
      isSubAgent: false,
      planFilePath: plan?.path ?? "",
      planExists: hasPlan,
      ...(planMode.wantsPlanAlone() ? { isSessionMode: true } : {}),
    },
  ];
}

const subagentPlans: Attachment = {
  type: SUBAGENT,
  content:
    "Plan mode is on: read and search, change nothing, and run nothing that changes something. Your answer goes into a plan.",
};

const ended = (more: string): Attachment => ({
  type: ENDED,
  content: `Plan mode is off: what the permissions allow may be changed again.${more}`,
});
