import type { BackgroundAgent, BackgroundAgents } from "@palimpsest/core/restore";
import type { BackgroundCommand, BackgroundCommands } from "../tools/background-commands.js";
import { statusText } from "../tools/bash-output.js";
import type { KeyHider } from "./key-hider.js";

const MOST_CHARACTERS = 200;

/** All that goes on beside an agent's conversation, as it is told after a compaction: subagents, and commands. */
export const backgroundTasks = (
  subagents: BackgroundAgents,
  commands: Pick<BackgroundCommands, "list">,
  hider: KeyHider,
): BackgroundAgents => ({
  agents: async (agentId) => [
    ...(await subagents.agents(agentId)),
    ...hider.value(
      commands
        .list()
        .filter((command) => command.agentId === agentId)
        .map(asTask),
    ),
  ],
});

function asTask(command: BackgroundCommand): BackgroundAgent {
  const status = command.status();
  return {
    id: command.id,
    kind: "command",
    description: command.command.slice(0, MOST_CHARACTERS),
    status: status.kind === "exited" ? (status.code === 0 ? "completed" : "failed") : status.kind,
    progress: `${statusText(status)}; BashOutput shows its output, which is in ${command.outputPath}`,
    isRetrieved: command.isRetrieved(),
  };
}
