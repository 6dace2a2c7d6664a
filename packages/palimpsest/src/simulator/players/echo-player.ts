import type { Player } from "../player.js";
import { forcedTool } from "./positioned-player.js";
import { cutText } from "../cut-text.js";
import { isReminder, textsOf } from "./prompt-text.js";
import { callableTools } from "./tool-kinds.js";
import { callWithDefaults } from "./tool-mapping.js";

/** Answers every request with one short text: the head of what was said last. Remembers nothing. */
export function createEchoPlayer(): Player {
  return {
    answer({ request, messages }, memory) {
      const forced = forcedTool(request, callableTools(request));
      if (forced !== undefined) {
        return { answer: { content: [{ type: "tool_use", ...callWithDefaults(forced.tool) }] }, memory };
      }
      const last = messages.findLast(({ role }) => role === "user");
      const said = textsOf(last ?? {}).findLast((text) => !isReminder(text) && text.trim() !== "");
      const head = said === undefined ? "nothing new" : cutText(said.trim().replaceAll(/\s+/g, " "), 80);
      return { answer: { content: [{ type: "text", text: `You said: ${head}` }] }, memory };
    },
  };
}
