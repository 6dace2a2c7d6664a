import type { UserBlock } from "../content.js";
import type { Attachment } from "../message.js";
import { cleanJson } from "./clean-json.js";

/** The tag around everything that the program, not the person, puts into a user message. */
const REMINDER_TAG = "context-reminder";

/** Turns an attachment into text for the model, or into blocks; null for what never reaches the model. */
type Renderer = (attachment: Attachment) => string | readonly unknown[] | null;

/** What the model is shown for an attachment; an empty list for what never reaches it. */
export function renderAttachment(given: Attachment): readonly UserBlock[] {
  // Nesting without end must not reach the renderers, which recurse.
  const attachment = cleanJson(given).value as Attachment | null;
  const type = typeof attachment?.type === "string" ? attachment.type : "unknown";
  const render = Object.hasOwn(renderers, type) ? renderers[type] : undefined;
  const rendered = (render ?? renderUnknown)(attachment ?? { type });
  if (rendered === null) return [];
  if (typeof rendered !== "string") return rendered as readonly UserBlock[];
  return rendered.trim() === "" ? [] : [{ type: "text", text: wrapReminder(type, rendered) }];
}

/** Text inside the reminder tag; a closing tag within it cannot end it early. */
function wrapReminder(type: string, text: string): string {
  const inner = text.replaceAll(`</${REMINDER_TAG}`, `<\\/${REMINDER_TAG}`);
  return `<${REMINDER_TAG} type="${type.replaceAll(/[^\w-]/g, "_")}">\n${inner}\n</${REMINDER_TAG}>`;
}

const text = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(text).filter(Boolean).join("\n");
  return "";
};

const lines = (...parts: (string | false)[]): string => parts.filter(Boolean).join("\n");

const json = (value: unknown): string => JSON.stringify(value, null, 1) ?? "";

/** A fence longer than any run of backticks in the content. */
function fence(content: string): string {
  let longest = 2;
  for (const [run] of content.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${content}\n${marks}`;
}

/** File content as it is stored in attachments: a string, or an object around one. */
function fileText(content: unknown): string {
  if (typeof content === "string") return content;
  if (typeof content !== "object" || content === null) return "";
  const { file, content: inner } = content as { file?: unknown; content?: unknown };
  return fileText(file ?? inner);
}

const path = (attachment: Attachment): string =>
  text(attachment["path"] ?? attachment["filename"] ?? attachment["planFilePath"]);

const announced = (what: string, attachment: Attachment): string => {
  const added = text(attachment["addedBlocks"] ?? attachment["addedLines"] ?? attachment["addedNames"]);
  const removed = text(attachment["removedNames"] ?? attachment["removedTypes"]);
  return lines(
    added !== "" && `${what} now available:\n${added}`,
    removed !== "" && `${what} no longer available:\n${removed}`,
  );
};

const items = (heading: string, attachment: Attachment): string => {
  const list = attachment["content"] ?? attachment["items"];
  return Array.isArray(list) && list.length > 0
    ? lines(heading, ...list.map((item) => `- ${json(item).replaceAll(/\n\s*/g, " ")}`))
    : "";
};

const nothing: Renderer = () => null;

const renderers: Readonly<Record<string, Renderer>> = {
  // Bookkeeping of the host.
  command_permissions: nothing,
  hook_system_message: nothing,
  hook_cancelled: nothing,
  hook_non_blocking_error: nothing,
  hook_success: (attachment) => text(attachment["content"]),
  hook_additional_context: (attachment) => text(attachment["content"]),

  file: (attachment) => `The file ${path(attachment)}:\n${fence(fileText(attachment["content"]))}`,
  edited_text_file: (attachment) =>
    `The file ${path(attachment)} was changed outside this conversation. It now reads:\n${fence(text(attachment["snippet"]))}`,
  nested_memory: (attachment) =>
    `Instructions from ${path(attachment)}:\n${fence(fileText(attachment["content"]))}`,
  plan_file_reference: (attachment) =>
    `The plan at ${path(attachment)}:\n${fence(text(attachment["planContent"] ?? attachment["content"]))}`,
  plan_mode: (attachment) =>
    `Plan mode is on: investigate and plan, change nothing but the plan file ${path(attachment)}.`,
  plan_mode_reentry: (attachment) => `Plan mode is on again; the plan so far is at ${path(attachment)}.`,
  plan_mode_exit: (attachment) => `Plan mode is off. The plan is at ${path(attachment)}.`,
  auto_mode: () => "Autonomous mode is on: carry on without asking for confirmation.",
  date_change: (attachment) => `The date is now ${text(attachment["newDate"])}.`,
  task_reminder: (attachment) => items("The task list as it stands:", attachment),
  todo_reminder: (attachment) => items("The to-do list as it stands:", attachment),
  todo: (attachment) => items("The to-do list as it stands:", attachment),
  task_status: (attachment) =>
    `Background task: ${json(Object.fromEntries(Object.entries(attachment).filter(([key]) => key !== "type")))}`,
  skill_listing: (attachment) => `Skills that can be invoked:\n${text(attachment["content"])}`,
  invoked_skills: (attachment) =>
    lines(
      "Skills in use:",
      ...(Array.isArray(attachment["skills"]) ? attachment["skills"] : []).map(
        (skill: Attachment) =>
          `${text(skill?.["name"])} (${path(skill ?? {})}):\n${fence(text(skill?.["content"]))}`,
      ),
    ),
  deferred_tools_delta: (attachment) => announced("Tools", attachment),
  agent_listing_delta: (attachment) => announced("Agents", attachment),
  mcp_instructions_delta: (attachment) => announced("Instructions of MCP servers", attachment),
  queued_command: (attachment) => {
    const prompt = attachment["prompt"];
    return Array.isArray(prompt) ? prompt : `Sent while you were working:\n${text(prompt)}`;
  },
};

/** Kinds that nobody here knows still show what text they carry. */
const renderUnknown: Renderer = (attachment) =>
  text(attachment["content"] ?? attachment["text"] ?? attachment["message"] ?? attachment["prompt"]);
