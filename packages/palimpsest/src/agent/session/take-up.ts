import type { Conversation } from "@palimpsest/core";
import type { ReadState } from "@palimpsest/core/restore";
import type { PathGuard } from "../base/path-guard.js";
import type { PlanMode } from "../tools/plan-mode.js";
import { answerOpenCalls, openCalls } from "./open-calls.js";
import { planModeIn } from "./plan-reminder.js";
import { removeLostWrites } from "./remove-lost-writes.js";
import { rememberResumedReads } from "./resumed-reads.js";

export interface TakenUp {
  readonly planMode: PlanMode;
  readonly readState: ReadState;
  readonly guard: PathGuard;
}

/** What an earlier process left: whether it planned, which files it had read, calls that it did not get to answer. */
export async function takeUp(
  conversation: Conversation,
  { planMode, readState, guard }: TakenUp,
): Promise<void> {
  const planning = planModeIn(conversation.live);
  if (planning.isOn && !planning.isSessionMode) planMode.set(true);
  await rememberResumedReads(conversation.live, { readState, absolute: guard.absolute });
  await removeLostWrites(openCalls(conversation.live), guard);
  const answer = answerOpenCalls(conversation);
  if (answer !== undefined) await conversation.append(answer);
}
