import type { Attachment } from "@palimpsest/core";
import type { Agent } from "./agent.js";

/** Who fires an event. */
export const callerOf = ({ agentId, agentType, permissionMode }: Agent) => ({
  permissionMode: permissionMode(),
  ...(agentId === undefined ? {} : { agentId }),
  ...(agentType === undefined ? {} : { agentType }),
});

/** What hooks have to say to the model. */
export const contextsOf = (
  contexts: readonly string[] | undefined,
  hookEvent: string,
): readonly Attachment[] =>
  (contexts ?? []).map((content) => ({ type: "hook_additional_context", hookEvent, content }));
