import type { Attachment } from "../../../messages/message.js";
import type { BackgroundAgent } from "../ports/background-agents.js";

/**
 * One attachment for each agent that runs, or is finished with nobody having fetched its result: so that none is
 * started twice and no result is lost. The agent whose context it is does not stand among them.
 */
export function backgroundAttachments(
  agents: readonly BackgroundAgent[],
  agentId: string | undefined,
): readonly Attachment[] {
  return agents
    .filter(({ id, status, isRetrieved }) => id !== agentId && status !== "pending" && isRetrieved !== true)
    .map(({ id, kind = "agent", description, status, progress }) => ({
      type: "task_status",
      taskId: id,
      taskType: kind,
      description,
      status,
      ...(progress === undefined || progress.trim() === "" ? {} : { progress }),
    }));
}
