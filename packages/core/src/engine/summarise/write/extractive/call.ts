import type { ToolResultBlock } from "../../../../messages/content.js";
import { asText, contentText, type Fields } from "../../../../messages/fields.js";
import { isWriteLike, type CompactableKind } from "../../../tools/compactable-tools.js";
import { fileReadsOf } from "../../../tools/file-reads.js";
import { CLEARED_RESULT_TEXT } from "../../../boundaries/cleared-result.js";
import type { Failure } from "./failure.js";

/** A call among the messages, with what is known of its result. */
export interface Call {
  readonly name: string;
  readonly kind: CompactableKind | undefined;
  readonly input: Fields;
  /** Files that it changes. */
  readonly changes: readonly string[];
  /** Files that it reads. */
  readonly reads: readonly string[];
  result?: ToolResultBlock;
  failure?: Failure;
}

const EDITOR_COMMANDS = new Set(["create", "str_replace", "insert", "write", "edit"]);
const COMMAND_FIELDS = ["command", "cmd", "script", "code", "input", "chars"] as const;
const SUBJECT_FIELDS = [
  "pattern",
  "query",
  "url",
  "subject",
  "title",
  "description",
  "skill",
  "message",
  "prompt",
  "taskId",
  "task_name",
  "name",
] as const;

/** Which files a call changes: those in its input, and those that a patch in it names. */
export function changedFiles(
  name: string,
  kind: CompactableKind | undefined,
  input: Fields,
): readonly string[] {
  const notebook = input["notebook_path"];
  if (typeof notebook === "string" && /edit|write/i.test(name)) return [notebook];
  const isEditor = /edit/i.test(name) && EDITOR_COMMANDS.has(asText(input["command"]));
  if (isWriteLike(kind) || isEditor) {
    const named = fileReadsOf(input).map(({ path }) => path);
    return named.length > 0 ? named : [...new Set(textsOf(input).flatMap((text) => patchedFiles(text)))];
  }
  return kind === "shell" ? [...new Set(textsOf(input).flatMap((text) => patchedFiles(text, true)))] : [];
}

/** The texts at the top of an input; a command may be a list of words. */
const textsOf = (input: Fields): readonly string[] =>
  Object.values(input).map((value) => (Array.isArray(value) ? value.map(asText).join("\n") : asText(value)));

const PATCHED = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)[ \t\r]*$/gm;
/** The same in the source text of a program, where a line's end is spelled out. */
const PATCHED_IN_SOURCE = /\*\*\* (?:(?:Update|Add|Delete) File|Move to): ([^\n\r\\"'`]+)/g;
const DIFFED = /^\+\+\+ (?:b\/)?(\S+)/gm;

function patchedFiles(text: string, isSource = false): readonly string[] {
  if (text.includes("*** ")) {
    const onLines = [...text.matchAll(PATCHED)];
    const named = onLines.length > 0 || !isSource ? onLines : [...text.matchAll(PATCHED_IN_SOURCE)];
    if (named.length > 0) return named.map(([, path = ""]) => path.trim()).filter((path) => path !== "");
  }
  if (isSource || !text.includes("+++ ")) return [];
  return [...text.matchAll(DIFFED)].map(([, path = ""]) => path).filter((path) => path !== "/dev/null");
}

/** The part of a patch that is about one file; the whole text where it names none. */
export function patchOf(text: string, path: string): string {
  const at = text.indexOf(`File: ${path}`);
  if (at === -1) return text;
  const start = text.indexOf("\n", at) + 1;
  const end = text.indexOf("\n*** ", start);
  return start === 0 ? "" : text.slice(start, end === -1 ? undefined : end);
}

/** The command that a call runs. */
export function commandOf({ input }: Call): string {
  for (const field of COMMAND_FIELDS) {
    const value = input[field];
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value)) return value.map(asText).join(" ");
  }
  return "";
}

/** What a call is about: its files, its command, its question. */
export function subjectOf(call: Call): string {
  const { input, kind } = call;
  const files = call.changes.length > 0 ? call.changes : call.reads;
  if (files.length > 0) return files.join(", ");
  if (kind === "shell") return commandOf(call);
  const where = asText(input["path"]) || asText(input["glob"]);
  const subject = SUBJECT_FIELDS.map((field) => input[field]).find(
    (value) => typeof value === "string" && value !== "",
  );
  if (typeof subject === "string") return where === "" ? subject : `${subject} in ${where}`;
  return where || (Object.values(input).find((value) => typeof value === "string") ?? "");
}

/** What a result says in words; nothing where it was cleared. */
export function resultText(result: ToolResultBlock | undefined): string {
  const text = contentText(result?.content);
  return text.startsWith(CLEARED_RESULT_TEXT) ? "" : text;
}
