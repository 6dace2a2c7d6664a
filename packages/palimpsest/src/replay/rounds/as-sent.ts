import type { Message } from "@palimpsest/core";
import { asFieldsList, asText, isFields, type Fields } from "../readers/recording.js";

/**
 * What a program says around a list of tasks stands in no transcript. As many words stand for it: recorded requests
 * grew by 103 tokens (older models) and 137 (newer ones) for a reminder of an empty list.
 */
const REMINDER_WORDS = Array.from(
  { length: 5 },
  () => "One rule of this house among many others that were written down for whoever works in it.",
).join(" ");

/** A message as it was sent: without what the program only wrote down for itself. */
export function asSent(message: Message): Message {
  const sent = withoutLocalCopy(message);
  if (sent.type !== "attachment" || !isFields(sent.attachment)) return sent;
  if (sent.attachment.type !== "task_reminder") return sent;
  const { content } = sent.attachment as Fields;
  return {
    ...sent,
    attachment: { type: "task_reminder", content: [REMINDER_WORDS, ...asFieldsList(content).map(taskLine)] },
  };
}

/** A program's own copy of a result is often as large as the result, and is never sent. */
function withoutLocalCopy(message: Message): Message {
  if (!("toolUseResult" in message)) return message;
  const { toolUseResult: _, ...sent } = message;
  return sent;
}

/** A task in a reminder; its description and what it waits for are not sent. */
const taskLine = ({ id, status, subject }: Fields): string =>
  `#${asText(id)}. [${asText(status)}] ${asText(subject)}`;

/**
 * The input of a call as the model gave it. Where plans are files, the program puts the plan that it read there
 * into the call that ends planning; a call that has nothing but a plan is the model's own.
 */
export function asSaid(name: string, input: Fields): Fields {
  if (name !== "ExitPlanMode" || !("allowedPrompts" in input || "planFilePath" in input)) return input;
  const { plan: _plan, planFilePath: _path, ...said } = input;
  return said;
}
