import type { Message } from "@palimpsest/core";
import { isFields } from "../base/fields.js";

/** Whether the agent had begun to plan, and had not handed in its plan, when its conversation was left. */
export function wasPlanning(live: readonly Message[]): boolean {
  let isPlanning = false;
  const calls = new Map<unknown, boolean>();
  for (const message of live) {
    if (message.type === "attachment" && message.attachment.type === "plan_mode") isPlanning = true;
    if (message.type !== "user" && message.type !== "assistant") continue;
    const content: unknown = message.message.content;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isFields(block)) continue;
      if (block["type"] === "tool_use" && block["name"] === "EnterPlanMode") calls.set(block["id"], true);
      if (block["type"] === "tool_use" && block["name"] === "ExitPlanMode") calls.set(block["id"], false);
      if (block["type"] !== "tool_result" || block["is_error"] === true) continue;
      isPlanning = calls.get(block["tool_use_id"]) ?? isPlanning;
    }
  }
  return isPlanning;
}
