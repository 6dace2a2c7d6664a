import { asText, isFields, type Fields } from "../../../../messages/fields.js";
import { excerpt } from "../../../../messages/plain-text.js";
import { patchOf, resultText, type Call } from "./call.js";
import type { TouchedFile } from "./survey.js";

const INDENT = "       ";
const MAX_LINES = 10;
const MAX_CHARACTERS = 160;
const OLD_FIELDS = ["old_string", "oldText", "old_str", "old_text", "search"] as const;
const NEW_FIELDS = ["new_string", "newText", "new_str", "new_text", "replace", "replacement"] as const;
const CONTENT_FIELDS = ["content", "file_text", "contents", "text", "new_source"] as const;
const PATCH_FIELDS = ["patch", "diff", "input", "command", "cmd", "arguments"] as const;

/** The newest that the messages show of a file: what was last written into it, else what was last read. */
export function fileExcerpt(file: TouchedFile, maxLines = MAX_LINES): readonly string[] {
  if (file.lastChange !== undefined) return changeExcerpt(file.lastChange, file.path, maxLines);
  return file.lastRead === undefined || file.lastRead.reads.length > 1
    ? []
    : shown(resultText(file.lastRead.result), maxLines);
}

function changeExcerpt({ input }: Call, path: string, maxLines: number): readonly string[] {
  const edits = Array.isArray(input["edits"]) ? input["edits"].filter(isFields) : [];
  const last = edits.at(-1) ?? input;
  const hunk = hunkOf(last, maxLines);
  if (hunk.length > 0) return hunk;
  const content = textIn(input, CONTENT_FIELDS);
  if (content !== "") return shown(content, maxLines);
  return shown(patchOf(textIn(input, PATCH_FIELDS), path), maxLines);
}

/** The lines that an edit takes out and puts in, without those that stay. */
function hunkOf(edit: Fields, maxLines: number): readonly string[] {
  const [before, after] = [textIn(edit, OLD_FIELDS), textIn(edit, NEW_FIELDS)];
  if (before === "" && after === "") return [];
  const old = before.slice(0, 20_000).split(/\r?\n/);
  const fresh = after.slice(0, 20_000).split(/\r?\n/);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) {
    end += 1;
  }
  const removed = old.slice(start, old.length - end).map((line) => `- ${line}`);
  const added = fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`);
  const room = Math.max(1, Math.floor(maxLines / 3));
  return [
    ...shown(removed.filter((line) => line.trim() !== "-").join("\n"), room),
    ...shown(added.filter((line) => line.trim() !== "+").join("\n"), maxLines - room),
  ];
}

const shown = (text: string, maxLines: number): readonly string[] =>
  excerpt(text, { maxLines, maxCharacters: MAX_CHARACTERS, indent: INDENT });

const textIn = (fields: Fields, names: readonly string[]): string =>
  names.map((name) => asText(fields[name])).find((text) => text !== "") ?? "";
