import { isFields } from "../../../messages/fields.js";
import { fileReadsOf } from "../../tools/file-reads.js";

/** What a call put into a file: the lines that stand there afterwards. None for a file that was written whole. */
export interface FileEdit {
  readonly path: string;
  readonly lines: readonly string[];
}

const NEW_TEXTS = ["new_string", "newText", "new_str", "new_text", "newString"] as const;
const PATCHES = ["patch", "input", "patchText"] as const;
const PATCHED_FILE = /^(?:\*\*\* (?:Update|Add) File: |\+\+\+ (?:b\/)?)(.+)$/;

/** The edits in the input of a call that edits or writes files, as common agents write it. */
export function editsOf(input: unknown, kind: "file-edit" | "file-write"): readonly FileEdit[] {
  if (!isFields(input)) return [];
  const [path] = fileReadsOf(input).map((file) => file.path);
  if (path === undefined) {
    const patch = PATCHES.map((name) => input[name]).find((text) => typeof text === "string");
    return patch === undefined ? [] : patchedFiles(patch);
  }
  if (kind === "file-write") return [{ path, lines: [] }];
  const { edits } = input;
  return (Array.isArray(edits) ? edits : [input]).flatMap((edit: unknown) => {
    const text = isFields(edit)
      ? NEW_TEXTS.map((name) => edit[name]).find((one) => typeof one === "string")
      : "";
    return [{ path, lines: typeof text === "string" ? text.split("\n") : [] }];
  });
}

/** A patch in the form of `apply_patch`, or one that `diff -u` writes. */
function patchedFiles(patch: string): readonly FileEdit[] {
  const files: { path: string; lines: string[] }[] = [];
  for (const line of patch.split("\n")) {
    const path = PATCHED_FILE.exec(line)?.[1]?.trim();
    if (path !== undefined && path !== "") files.push({ path, lines: [] });
    else if (/^[+ ]/.test(line)) files.at(-1)?.lines.push(line.slice(1));
  }
  return files;
}
