import { isHumanMessage, type Message } from "@palimpsest/core";
import type { Surface } from "../surface/surface.js";
import { saidText } from "../talk/said-text.js";

const EARLIER_MESSAGES = 30;

/** Shows the end of what was said before. */
export function showEarlier(surface: Surface, live: readonly Message[]): void {
  const shown = live.slice(-EARLIER_MESSAGES);
  const left = live.length - shown.length;
  if (left > 0) {
    const text = `${left.toLocaleString("en-US")} earlier messages are part of the conversation; the newest follow.`;
    surface.dispatch({ kind: "notice", text, tone: "plain" });
  }
  for (const message of shown) {
    if (isHumanMessage(message)) surface.dispatch({ kind: "said", text: saidText(message) });
    else surface.dispatch({ kind: "agent", event: { kind: "message", message } });
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) {
      if (block.type !== "tool_use") continue;
      const { id, name, input } = block;
      surface.dispatch({ kind: "agent", event: { kind: "tool-start", id, name, input } });
    }
  }
  surface.dispatch({ kind: "turn-ended", text: "", tone: "plain" });
}
