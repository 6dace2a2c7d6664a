import type { TextEdit } from "./known-file.js";

/** One file of a patch in the form of `apply_patch`. */
export type PatchChange =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly movedTo?: string;
      /** In their order. Lines of context stand on both sides. */
      readonly edits: readonly TextEdit[];
    };

const FILE_LINE = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE_LINE = /^\*\*\* Move to: (.+)$/;

/** What a patch changes, file by file. Lines that belong nowhere are passed over. */
export function patchChanges(patch: string): readonly PatchChange[] {
  const changes: PatchChange[] = [];
  let lines: string[] = [];
  let head: RegExpExecArray | null = null;
  const close = (): void => {
    const [, verb, path] = head ?? [];
    if (verb !== undefined && path !== undefined) changes.push(changeOf(verb, path.trim(), lines));
    lines = [];
  };
  for (const line of patch.split(/\r?\n/)) {
    const next = FILE_LINE.exec(line);
    if (next !== null) {
      close();
      head = next;
    } else if (line.startsWith("*** End Patch")) {
      close();
      head = null;
    } else {
      lines.push(line);
    }
  }
  close();
  return changes;
}

function changeOf(verb: string, path: string, lines: readonly string[]): PatchChange {
  if (verb === "Delete") return { kind: "delete", path };
  if (verb === "Add") {
    const added = lines.filter((line) => line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
    return { kind: "add", path, text: added.join("") };
  }
  const moved = MOVE_LINE.exec(lines[0] ?? "")?.[1]?.trim();
  return {
    kind: "update",
    path,
    edits: hunkEdits(lines),
    ...(moved === undefined ? {} : { movedTo: moved }),
  };
}

/** Each hunk as the text that was there and the text that is there now. */
function hunkEdits(lines: readonly string[]): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  let [before, after]: [string[], string[]] = [[], []];
  const close = (): void => {
    const [oldText, newText] = [before.join(""), after.join("")];
    if (oldText !== newText) edits.push({ oldText, newText, isAll: false });
    [before, after] = [[], []];
  };
  for (const line of lines) {
    if (line.startsWith("@@") || line.startsWith("***")) {
      close();
      continue;
    }
    const text = `${line.slice(1)}\n`;
    if (!line.startsWith("+")) before.push(text);
    if (!line.startsWith("-")) after.push(text);
  }
  close();
  return edits;
}
