import type { BackgroundCommands } from "./background-commands.js";
import { statusText, unknownCommand } from "./bash-output.js";
import type { AgentTool } from "../base/tool.js";

/** Ends a command in the background with all that it started. */
export function createKillBashTool({ background }: { readonly background: BackgroundCommands }): AgentTool {
  return {
    definition: {
      name: "KillBash",
      description: "Ends a command that runs in the background, and everything that it started.",
      input_schema: {
        type: "object",
        properties: { shell_id: { type: "string", description: "The id that Bash gave, such as bash_1." } },
        required: ["shell_id"],
        additionalProperties: false,
      },
    },
    // It ends what the same agent was allowed to start.
    isReadOnly: () => false,
    subject: () => ({ kind: "none" }),
    async run(input) {
      const id = String(input["shell_id"]);
      const command = background.get(id);
      if (command === undefined) return { content: unknownCommand(id, background), isError: true };
      if (await background.kill(id)) return { content: `${id} was ended.` };
      return { content: `${id} had already ended: ${statusText(command.status())}.` };
    },
  };
}
