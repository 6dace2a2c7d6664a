import { readBytesInside } from "../../files/read-bytes-inside.js";
import { SECRET_MARK } from "../../providers/secrets.js";
import type { PathGuard } from "../base/path-guard.js";
import { quotedPath } from "../base/shown-path.js";
import { applyEdit } from "./apply-edit.js";
import { flagField, textField } from "../base/input-fields.js";
import { numberedExcerpt } from "./numbered-excerpt.js";
import { refusalText } from "./refusal-text.js";
import { failure, saveFile, unknownText, type FileToSave } from "./save-file.js";
import type { AgentTool, ToolOutput } from "../base/tool.js";

export interface EditToolOptions {
  readonly guard: PathGuard;
}

const MAX_BYTES = 10 * 1024 * 1024;

const definition = {
  name: "Edit",
  description: [
    "Replaces a piece of a file's text by another. The file must have been read before.",
    "old_string has to be in the file exactly as it is there, white space too, without the line numbers and tabs that Read puts before the lines.",
    "It has to be there once: give enough lines around it, or set replace_all to replace it everywhere.",
    "An empty old_string makes a new file of new_string where there is none.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "The file: an absolute path, or one relative to the working directory.",
      },
      old_string: { type: "string", description: "The text to replace." },
      new_string: { type: "string", description: "The text to put there instead." },
      replace_all: {
        type: "boolean",
        description: "Replace every place where old_string stands. Default false.",
      },
    },
    required: ["file_path", "old_string", "new_string"],
    additionalProperties: false,
  },
} as const;

interface Change {
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere: boolean;
}

/** Replaces pieces of files as the model last read them; line ends and byte order marks stay. */
export function createEditTool({ guard }: EditToolOptions): AgentTool {
  return {
    definition,
    isReadOnly: () => false,
    subject: (input) => ({ kind: "edit", paths: [textField(input, "file_path") ?? ""] }),
    async run(input, context) {
      const written = textField(input, "file_path") ?? "";
      const change: Change = {
        oldText: textField(input, "old_string") ?? "",
        newText: textField(input, "new_string") ?? "",
        isEverywhere: flagField(input, "replace_all"),
      };
      if (change.oldText === change.newText)
        return failure("old_string and new_string are the same: there is nothing to change.");
      const judged = await guard.resolve(written, "write");
      if (judged.kind === "refused") return failure(judged.reason);
      const { path, real } = judged;
      return editFile({ guard, context, written, path, real }, change);
    },
  };
}

async function editFile(file: FileToSave, change: Change): Promise<ToolOutput> {
  const { guard, real, written } = file;
  const read = await readBytesInside(guard.disk, real, { bounds: guard.bounds, maxBytes: MAX_BYTES });
  if (change.oldText === "" && read.kind === "gone") return makeFile(file, change.newText);
  if (read.kind === "too-large")
    return failure(`${quotedPath(written)} is larger than 10 MB. Change it with a command.`);
  if (read.kind !== "bytes")
    return failure(await refusalText(guard, { path: written, use: "write", kind: read.kind }));
  if (change.oldText === "")
    return failure(
      `${quotedPath(written)} exists already, so an empty old_string cannot make it. Name the text to replace, or use Write.`,
    );
  const unknown = unknownText(file, read.mtime);
  if (unknown !== undefined) return failure(unknown);
  const text = decode(read.bytes);
  if (text === undefined)
    return failure(`${quotedPath(written)} is not UTF-8 text, and editing would damage it. Use a command.`);
  const edited = applyEdit(text, change);
  if (edited.kind === "missing") return failure(missingText(written, change));
  if (edited.kind === "ambiguous")
    return failure(
      `old_string is ${edited.count} times in ${quotedPath(written)}. Give more of the lines around it so that it is there once, or set replace_all.`,
    );
  const failed = await saveFile(file, { text: edited.text, replaces: read.mtime });
  if (failed !== undefined) return failed;
  const places = edited.count === 1 ? "in one place" : `in ${edited.count} places; the first`;
  const mark = edited.text.startsWith("\uFEFF") ? 1 : 0;
  const place = { start: Math.max(0, edited.start - mark), end: edited.end - mark };
  const excerpt = numberedExcerpt(edited.text.slice(mark), place);
  return { content: `${quotedPath(written)} was changed ${places}:\n${excerpt}` };
}

async function makeFile(file: FileToSave, text: string): Promise<ToolOutput> {
  const failed = await saveFile(file, { text, replaces: undefined });
  return failed ?? { content: `${quotedPath(file.written)} was made.` };
}

/** The text with its byte order mark; undefined for bytes that are none. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function missingText(written: string, { oldText }: Change): string {
  if (oldText.includes(SECRET_MARK))
    return `old_string is not in ${quotedPath(written)}: ${SECRET_MARK} stands for a key, which is not shown. Leave the key and its line out of old_string, and change what stands around it.`;
  const hint = /^\s*\d+\t/.test(oldText)
    ? "It begins with a line number: leave out the numbers and tabs that Read puts before the lines."
    : "It has to be there exactly, white space too: read that part of the file again and copy it.";
  return `old_string is not in ${quotedPath(written)}. ${hint}`;
}
