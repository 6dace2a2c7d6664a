import { asFieldsList, asText, isFields } from "../readers/recording.js";

/** All texts of a message, results and the strings of calls included; of what is no message, none. */
export function saidTexts(message: object): readonly string[] {
  const { message: inner, attachment } = message as { message?: unknown; attachment?: unknown };
  if (isFields(attachment)) return stringsIn(attachment);
  const content = isFields(inner) ? inner["content"] : undefined;
  if (typeof content === "string") return [content];
  return asFieldsList(content).flatMap((block) => {
    if (block["type"] === "tool_use") return stringsIn(block["input"]);
    if (block["type"] === "tool_result") return stringsIn(block["content"]);
    return asText(block["text"]) === "" ? [] : [asText(block["text"])];
  });
}

function stringsIn(value: unknown): readonly string[] {
  const strings: string[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") strings.unshift(next);
    else if (
      typeof next === "object" &&
      next !== null &&
      asText((next as { type?: unknown }).type) !== "image"
    ) {
      waiting.push(...Object.values(next));
    }
  }
  return strings;
}
