import { isFields, type Fields } from "../base/fields.js";

/** What a command wrote. */
export type HookStdout =
  | { readonly kind: "json"; readonly fields: Fields }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bad"; readonly message: string };

const answerFields = ["continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"];

/** JSON is what begins and ends with braces; several such lines are a text, unless one of them is an answer. */
export function readHookStdout(stdout: string): HookStdout {
  const text = stdout.trim();
  if (!text.startsWith("{") || !text.endsWith("}")) return { kind: "text", text };
  const whole = parse(text);
  if (isFields(whole)) return { kind: "json", fields: whole };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const parsed = lines.map(parse);
  const isListing = lines.length > 1 && !parsed.includes(undefined) && !parsed.some(isAnswer);
  if (isListing) return { kind: "text", text };
  return { kind: "bad", message: "stdout looks like JSON and is not one JSON object" };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isAnswer = (value: unknown): boolean =>
  isFields(value) && answerFields.some((field) => Object.hasOwn(value, field));
