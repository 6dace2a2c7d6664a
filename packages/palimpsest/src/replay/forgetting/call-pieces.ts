import { isFields, type Fields } from "../readers/recording.js";
import { holdsPatch, patchPieces } from "./patches.js";
import { shellCommand, writtenFiles } from "./shell-commands.js";

/** A text of a call's input, decoded: what stands in it as a patch or a quoted string is taken apart. */
export interface CallPiece {
  readonly text: string;
  /** The file that it goes into or is replaced in, as the call names it, where that is not the call's only file. */
  readonly path?: string;
  /** Where a relative path starts, if the call says. */
  readonly directory?: string;
  /** Text to be replaced: it has to be in the file for the edit to succeed. */
  readonly isReplaced: boolean;
}

const REPLACED_FIELDS = new Set(["old_string", "oldText", "old_str", "old_text", "oldString", "old_source"]);
const PATH_FIELDS = [
  "file_path",
  "path",
  "filePath",
  "absolute_path",
  "target_file",
  "filename",
  "notebook_path",
];

/** The file that an input names; undefined where it names none. */
export const namedPath = (input: Fields): string | undefined =>
  PATH_FIELDS.map((field) => input[field]).find(
    (value): value is string => typeof value === "string" && value !== "",
  );

const known = new WeakMap<object, readonly CallPiece[]>();

/** The texts of a call's input in their order. Any input; never throws. */
export function callPieces(input: unknown): readonly CallPiece[] {
  if (typeof input !== "object" || input === null) return [];
  let pieces = known.get(input);
  if (pieces === undefined) {
    pieces = readInput(input);
    known.set(input, pieces);
  }
  return pieces;
}

function readInput(input: object): readonly CallPiece[] {
  const fields = isFields(input) ? input : {};
  const path = namedPath(fields);
  const file = path === undefined ? {} : { path };
  const command = shellCommand(fields);
  const directory = command === undefined || command.directory === "" ? {} : { directory: command.directory };
  const pieces: CallPiece[] = [];
  for (const { field, text } of stringsIn(input)) {
    if (REPLACED_FIELDS.has(field)) {
      if (text.trim() !== "") pieces.push({ text, ...file, isReplaced: true });
    } else {
      for (const piece of stringPieces(text)) pieces.push({ ...directory, ...piece });
    }
  }
  const written = command === undefined ? [] : writtenFiles(command);
  for (const one of written) pieces.push({ ...one, ...directory, isReplaced: false });
  return pieces;
}

/** A text by itself, or what the patches in it say. */
function stringPieces(text: string): readonly CallPiece[] {
  if (!holdsPatch(text)) return [{ text, isReplaced: false }];
  const literal = text.includes("*** Begin Patch\\n") ? decodedLiteral(text) : undefined;
  const { pieces, rest } = patchPieces(literal ?? text);
  const around = literal === undefined ? rest : "";
  return around.trim() === "" ? pieces : [...pieces, { text: around, isReplaced: false }];
}

/** A patch that stands in a script as a quoted string. */
function decodedLiteral(script: string): string | undefined {
  const begin = script.indexOf("*** Begin Patch\\n");
  const literal = /^[^"\\]*(?:\\.[^"\\]*)*/.exec(script.slice(begin))?.[0] ?? "";
  try {
    const text: unknown = JSON.parse(`"${literal}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** All strings of a value with the names of their fields, any depth. */
function stringsIn(value: object): readonly { readonly field: string; readonly text: string }[] {
  const strings: { readonly field: string; readonly text: string }[] = [];
  const entered = new Set<object>();
  const waiting: { readonly field: string; readonly value: unknown }[] = [{ field: "", value }];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next?.value === "string") strings.push({ field: next.field, text: next.value });
    else if (typeof next?.value === "object" && next.value !== null && !entered.has(next.value)) {
      entered.add(next.value);
      const inner = Object.entries(next.value).map(([field, child]: [string, unknown]) => ({
        field: Array.isArray(next.value) ? next.field : field,
        value: child,
      }));
      waiting.push(...inner.toReversed());
    }
  }
  return strings;
}

/** Whether a text has at least two lines. */
export const hasLines = (text: string): boolean => text.trimEnd().includes("\n");
