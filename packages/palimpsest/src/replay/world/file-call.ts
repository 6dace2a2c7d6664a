import { createCompactableTools } from "@palimpsest/core";
import { asFieldsList, type Fields } from "../readers/recording.js";
import { commandOf, type RecordedCommand } from "./command-read.js";
import type { TextEdit } from "./known-file.js";
import type { AskedPart } from "./shown-lines.js";

/** What a call does with files, as far as it says. Paths are as written. */
export type FileCall =
  | { readonly kind: "read"; readonly path: unknown; readonly part: AskedPart }
  | { readonly kind: "write"; readonly path: unknown; readonly text: string }
  | { readonly kind: "edit"; readonly path: unknown; readonly edits: readonly TextEdit[] }
  | { readonly kind: "patch"; readonly patch: string }
  | { readonly kind: "command"; readonly command: RecordedCommand };

const tools = createCompactableTools();

/** Agents without a reading tool read with these. */
const READING_SHELLS = new Set(["shell", "shell_command", "local_shell", "exec_command", "exec"]);

/** Undefined for a call that has nothing to do with files, or does not say what. */
export function fileCallOf(name: string, input: Fields): FileCall | undefined {
  switch (tools.kindOf(name)) {
    case "file-read":
      return { kind: "read", path: pathOf(input), part: partOf(name, input) };
    case "file-write": {
      const text = firstText(input, ["content", "contents", "file_text", "text"]);
      return text === undefined ? undefined : { kind: "write", path: pathOf(input), text };
    }
    case "file-edit":
      return editCallOf(name, input);
    case "shell": {
      const command = READING_SHELLS.has(name) ? commandOf(input) : undefined;
      return command === undefined ? undefined : { kind: "command", command };
    }
    default:
      return undefined;
  }
}

function editCallOf(name: string, input: Fields): FileCall | undefined {
  if (/patch$/i.test(name)) {
    const patch = firstText(input, ["input", "patch", "patchText"]);
    return patch === undefined ? undefined : { kind: "patch", patch };
  }
  const listed = asFieldsList(input["edits"]);
  const edits = (listed.length > 0 ? listed : [input]).map(editOf);
  const known = edits.filter((edit) => edit !== undefined);
  return known.length === edits.length ? { kind: "edit", path: pathOf(input), edits: known } : undefined;
}

function editOf(fields: Fields): TextEdit | undefined {
  const oldText = firstText(fields, ["old_string", "oldText", "old_str", "old_text", "oldString"]);
  const newText = firstText(fields, ["new_string", "newText", "new_str", "new_text", "newString"]);
  if (oldText === undefined || newText === undefined) return undefined;
  const expected = fields["expected_replacements"];
  const isAll =
    fields["replace_all"] === true ||
    fields["replaceAll"] === true ||
    (typeof expected === "number" && expected > 1);
  return { oldText, newText, isAll };
}

const pathOf = (input: Fields): unknown =>
  firstText(input, ["file_path", "path", "filePath", "absolute_path", "target_file", "filename"]);

function partOf(name: string, input: Fields): AskedPart {
  // A tool of this very name numbers its lines. Others give the text as it is, and one counts lines from 0.
  const isNumbered = name === "Read";
  const isFromZero = name === "read_file";
  const range: readonly unknown[] = Array.isArray(input["view_range"]) ? input["view_range"] : [];
  const start = lineNumber(input["start_line"] ?? input["startLine"] ?? range[0]);
  const end = lineNumber(input["end_line"] ?? input["endLine"] ?? range[1]);
  const given = lineNumber(input["offset"]);
  const offset = start ?? (given !== undefined && isFromZero ? given + 1 : given);
  const limit = end === undefined ? lineNumber(input["limit"]) : end - (offset ?? 1) + 1;
  return {
    isNumbered,
    ...(offset === undefined || offset <= 1 ? {} : { offset }),
    ...(limit === undefined || limit < 1 ? {} : { limit }),
  };
}

function lineNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const firstText = (fields: Fields, names: readonly string[]): string | undefined =>
  names.map((name) => fields[name]).find((value) => typeof value === "string");
