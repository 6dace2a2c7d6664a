import type { AttachmentMessage, UserMessage } from "@palimpsest/core";

/** State that a compaction brings back after its summary, because the summary took it away. */
const RESTORED_TYPES = new Set([
  "file",
  "compact_file_reference",
  "pdf_reference",
  "plan_file_reference",
  "plan_mode",
  "todo",
  "todo_reminder",
  "task_reminder",
  "task_status",
  "invoked_skills",
  "skill_listing",
  "nested_memory",
  "deferred_tools_delta",
  "agent_listing_delta",
  "mcp_instructions_delta",
  "earlier_user_messages",
  "image_anchor",
]);

/** Hooks that a compaction runs. */
const COMPACTION_HOOKS = new Set(["SessionStart", "PreCompact", "PostCompact"]);

/** The command that asked for a compaction, and what it printed. */
const COMPACT_COMMAND = /^\s*<(?:command-name>\/compact\b|local-command-stdout>[^<]{0,8}Compacted\b)/;

/**
 * Whether the message looks like one that a compaction wrote. Many of them are written for other reasons too:
 * where it stands has to tell.
 */
export function isRestoredState(message: AttachmentMessage | UserMessage): boolean {
  if (message.type === "user") {
    const { content } = message.message;
    return typeof content === "string" && COMPACT_COMMAND.test(content);
  }
  const { attachment } = message;
  return (
    RESTORED_TYPES.has(attachment.type) ||
    (attachment.type.startsWith("hook_") && COMPACTION_HOOKS.has(String(attachment["hookEvent"])))
  );
}
