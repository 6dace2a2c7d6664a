import type { UserBlock } from "../content.js";
import type { Attachment } from "../message.js";
import { asFields } from "../fields.js";
import { shownPath } from "../shown-path.js";
import { cleanJson } from "./clean-json.js";

/** The tag around everything that the program, not the person, puts into a user message. */
const REMINDER_TAG = "context-reminder";

/** Turns an attachment into text for the model, or into blocks; null for what never reaches the model. */
type Renderer = (attachment: Attachment) => string | readonly unknown[] | null;

const rendered = new WeakMap<Attachment, readonly UserBlock[]>();

/** What the model is shown for an attachment; an empty list for what never reaches it. Once per object. */
export function renderAttachment(attachment: Attachment): readonly UserBlock[] {
  // What comes from a transcript may be anything.
  if (typeof attachment !== "object" || attachment === null) return render(attachment);
  let blocks = rendered.get(attachment);
  if (blocks === undefined) rendered.set(attachment, (blocks = render(attachment)));
  return blocks;
}

function render(given: Attachment): readonly UserBlock[] {
  // Nesting without end must not reach the renderers, which recurse.
  const attachment = cleanJson(given).value as Attachment | null;
  const type = typeof attachment?.type === "string" ? attachment.type : "unknown";
  const renderer = Object.hasOwn(renderers, type) ? renderers[type] : undefined;
  const content = (renderer ?? renderUnknown)(attachment ?? { type });
  if (content === null) return [];
  if (typeof content !== "string") return content as readonly UserBlock[];
  return content.trim() === "" ? [] : [{ type: "text", text: wrapReminder(type, content) }];
}

/** Text inside the reminder tag; a closing tag within it cannot end it early. */
export function wrapReminder(type: string, text: string): string {
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
  for (const [run] of content.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
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
  shownPath(text(attachment["path"] ?? attachment["filename"] ?? attachment["planFilePath"]));

const announced = (what: string, attachment: Attachment): string => {
  const added = text(attachment["addedBlocks"] ?? attachment["addedLines"] ?? attachment["addedNames"]);
  const removed = text(attachment["removedNames"] ?? attachment["removedTypes"]);
  return lines(
    added !== "" && `${what} now available:\n${added}`,
    removed !== "" && `${what} no longer available:\n${removed}`,
  );
};

const oneLine = (value: string): string => value.replaceAll(/(?<!\s)\s*\n\s*/g, " ");

const items = (heading: string, attachment: Attachment, show = showItem): string => {
  const list: unknown = attachment["content"] ?? attachment["items"];
  return Array.isArray(list) && list.length > 0
    ? lines(heading, ...list.map((item: unknown) => `- ${show(item)}`))
    : "";
};

const showItem = (item: unknown): string => oneLine(json(item));

/** An item with a text and a status in words, any other as it came. */
function showTodo(item: unknown): string {
  if (typeof item !== "object" || item === null) return showItem(item);
  const { content, status } = item as Readonly<Record<string, unknown>>;
  if (typeof content !== "string" || typeof status !== "string") return showItem(item);
  return oneLine(`[${status}] ${content}`);
}

/** A file, or a picture; one that was restored says that it is what the disk holds. */
function showFile(attachment: Attachment): string | readonly unknown[] {
  const { content, context } = attachment;
  const again = context === "post-compact" ? ", read again from disk" : "";
  const { base64, type } = asFields(asFields(content)["file"]);
  if (typeof base64 === "string") {
    return [
      { type: "text", text: wrapReminder("file", `The picture ${path(attachment)}${again}:`) },
      { type: "image", source: { type: "base64", media_type: type, data: base64 } },
    ];
  }
  const file = `The file ${path(attachment)}`;
  if (content === "" && again !== "") return `${file}${again}, is empty.`;
  return Array.isArray(content)
    ? `${file}${again}, in parts${content.map((part) => showPart(part, "\n")).join("")}`
    : file + showPart(attachment, ", ", again);
}

/** Each part has a fence of its own, so that nothing stands in it but the file's text. */
function showPart(part: unknown, before: string, after = ""): string {
  const { content, startLine, endLine } = asFields(part);
  const isPart = typeof startLine === "number" && typeof endLine === "number";
  return `${isPart ? `${before}lines ${startLine} to ${endLine}` : ""}${after}:\n${fence(fileText(content))}`;
}

const PLAN_MODE =
  "Until the person has approved the plan: no edits to other files, no commands that change anything, no commits, whatever else asks for them.";

function showPlanMode(attachment: Attachment): string {
  const isMissing = attachment["planExists"] === false;
  return lines(
    `Plan mode is on: investigate and plan, change nothing but the plan file ${path(attachment)}${isMissing ? ", which does not exist yet" : ""}.`,
    attachment["reminderType"] === "full" && PLAN_MODE,
  );
}

const taskEndings: Readonly<Record<string, string>> = {
  running: "It is still at work: do not start it again.",
  completed: "Its result has not been fetched yet: fetch it instead of starting it again.",
  failed: "What became of it has not been fetched yet.",
  killed: "It was stopped.",
};

function showTask(attachment: Attachment): string {
  const { taskId, status, description, progress, deltaSummary } = attachment;
  if (typeof taskId !== "string" || typeof status !== "string") {
    return `Background task: ${json(Object.fromEntries(Object.entries(attachment).filter(([key]) => key !== "type")))}`;
  }
  const done = oneLine(text(progress ?? deltaSummary)).trim();
  return lines(
    oneLine(`Background task ${taskId} (${text(description)}): ${status}.`),
    done !== "" && `Progress: ${done}`,
    Object.hasOwn(taskEndings, status) && (taskEndings[status] ?? false),
  );
}

/** Parts of the system prompt that say something else by now: it is sent as it was, so that the cache holds. */
function showChanges(attachment: Attachment): string {
  const changed: readonly unknown[] = Array.isArray(attachment["sections"]) ? attachment["sections"] : [];
  return [
    "Parts of your instructions have changed since this conversation began. What stands here holds from now on, in place of what the system prompt says under the same name.",
    ...changed.flatMap((section) => {
      const { name, text: now } = (section ?? {}) as { readonly name?: unknown; readonly text?: unknown };
      if (typeof name !== "string") return [];
      return [`## ${oneLine(name)}\n${text(now) === "" ? "This part no longer holds." : text(now)}`];
    }),
  ].join("\n\n");
}

/** White, 28 × 28 pixels: one token. */
const BLANK_PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAAAAABXZoBIAAAAFElEQVR42mP4jwcwjEqOSo5KwgAA0FYNHp/Mo7cAAAAASUVORK5CYII=";

const nothing: Renderer = () => null;

const renderers: Readonly<Record<string, Renderer>> = {
  // Bookkeeping of the host.
  command_permissions: nothing,
  hook_system_message: nothing,
  hook_cancelled: nothing,
  hook_non_blocking_error: nothing,
  hook_success: (attachment) => text(attachment["content"]),
  instructions_changed: showChanges,
  hook_additional_context: (attachment) => text(attachment["content"]),

  file: showFile,
  edited_text_file: (attachment) =>
    `The file ${path(attachment)} was changed outside this conversation. It now reads:\n${fence(text(attachment["snippet"]))}`,
  nested_memory: (attachment) =>
    `Instructions from ${path(attachment)}:\n${fence(fileText(attachment["content"]))}`,
  plan_file_reference: (attachment) =>
    `The plan at ${path(attachment)}:\n${fence(text(attachment["planContent"] ?? attachment["content"]))}`,
  plan_mode: showPlanMode,
  plan_mode_reentry: (attachment) => `Plan mode is on again; the plan so far is at ${path(attachment)}.`,
  plan_mode_exit: (attachment) => `Plan mode is off. The plan is at ${path(attachment)}.`,
  auto_mode: () => "Autonomous mode is on: carry on without asking for confirmation.",
  date_change: (attachment) => `The date is now ${text(attachment["newDate"])}.`,
  task_reminder: (attachment) => items("The task list as it stands:", attachment),
  todo_reminder: (attachment) => items("The to-do list as it stands:", attachment, showTodo),
  todo: (attachment) => items("The to-do list as it stands:", attachment, showTodo),
  task_status: showTask,
  skill_listing: (attachment) => `Skills that can be invoked:\n${text(attachment["content"])}`,
  invoked_skills: (attachment) =>
    lines(
      "Skills in use; what they say still holds:",
      ...(Array.isArray(attachment["skills"]) ? attachment["skills"] : []).map(
        (skill: Attachment) =>
          `${shownPath(text(skill?.["name"]))} (${path(skill ?? {})}):\n${fence(text(skill?.["content"]))}`,
      ),
    ),
  deferred_tools_delta: (attachment) => announced("Tools", attachment),
  agent_listing_delta: (attachment) => announced("Agents", attachment),
  mcp_instructions_delta: (attachment) => announced("Instructions of MCP servers", attachment),
  // Without it the next picture would be the first one again, and the API drops its cache at the first one.
  image_anchor: () => [
    {
      type: "text",
      text: wrapReminder(
        "image_anchor",
        "A blank picture: it keeps the prompt cache valid. It means nothing.",
      ),
    },
    { type: "image", source: { type: "base64", media_type: "image/png", data: BLANK_PICTURE } },
  ],
  queued_command: (attachment) => {
    const prompt = attachment["prompt"];
    return Array.isArray(prompt) ? prompt : `Sent while you were working:\n${text(prompt)}`;
  },
};

/** Kinds that nobody here knows still show what text they carry. */
const renderUnknown: Renderer = (attachment) =>
  text(attachment["content"] ?? attachment["text"] ?? attachment["message"] ?? attachment["prompt"]);
