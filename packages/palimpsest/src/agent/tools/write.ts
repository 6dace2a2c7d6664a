import { diskCode, type DiskEntry } from "../../files/disk.js";
import { readBytesInside } from "../../files/read-bytes-inside.js";
import { SECRET_MARK } from "../../providers/secrets.js";
import type { PathGuard } from "../base/path-guard.js";
import { quotedPath } from "../base/shown-path.js";
import { textField } from "../base/input-fields.js";
import { refusalText } from "./refusal-text.js";
import { failure, saveFile, unknownText, type FileToSave } from "./save-file.js";
import type { AgentTool } from "../base/tool.js";

export interface WriteToolOptions {
  readonly guard: PathGuard;
  /** Takes keys out of a text, as Read does. */
  readonly hide?: (text: string) => string;
}

const MAX_BYTES = 10 * 1024 * 1024;

const definition = {
  name: "Write",
  description: [
    "Writes a whole file: makes a new one, with the directories that lead to it, or replaces what it held.",
    "A file that exists must have been read before. To change a part of a file use Edit.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "The file: an absolute path, or one relative to the working directory.",
      },
      content: { type: "string", description: "All that the file shall hold." },
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  },
} as const;

/** Writes whole files. One that exists is replaced only as the model last read it. */
export function createWriteTool({ guard, hide = (text) => text }: WriteToolOptions): AgentTool {
  return {
    definition,
    isReadOnly: () => false,
    subject: (input) => ({ kind: "edit", paths: [textField(input, "file_path") ?? ""] }),
    async run(input, context) {
      const written = textField(input, "file_path") ?? "";
      const text = textField(input, "content");
      if (text === undefined) return failure("content is missing: give the whole text of the file.");
      const judged = await guard.resolve(written, "write");
      if (judged.kind === "refused") return failure(judged.reason);
      const { path, real } = judged;
      const file: FileToSave = { guard, context, written, path, real };
      let entry: DiskEntry | undefined;
      try {
        entry = await guard.disk.lstat(real);
      } catch (error) {
        if (diskCode(error) !== "ENOENT")
          return failure(
            `${quotedPath(written)} cannot be looked up (${diskCode(error) ?? "unknown error"}).`,
          );
      }
      if (entry !== undefined) {
        if (!entry.isFile())
          return failure(await refusalText(guard, { path: written, use: "write", kind: "unreadable" }));
        const unknown = unknownText(file, entry.mtimeMs);
        if (unknown !== undefined) return failure(unknown);
        if (text.includes(SECRET_MARK) && (await holdsKey(file, hide)))
          return failure(
            `${quotedPath(written)} holds a key, which was shown to you as ${SECRET_MARK}: writing that would destroy it. Change the other parts with Edit.`,
          );
      }
      const failed = await saveFile(file, { text, replaces: entry?.mtimeMs });
      if (failed !== undefined) return failed;
      const verb = entry === undefined ? "was made" : "was replaced";
      return { content: `${quotedPath(written)} ${verb}: ${linesOf(text)}.` };
    },
  };
}

/** What cannot be read, or is too long for Read, was not shown with a mark either. */
async function holdsKey({ guard, real }: FileToSave, hide: (text: string) => string): Promise<boolean> {
  const { bounds, disk } = guard;
  const read = await readBytesInside(disk, real, { bounds, maxBytes: MAX_BYTES });
  if (read.kind !== "bytes") return false;
  const text = Buffer.from(read.bytes).toString();
  return hide(text) !== text;
}

function linesOf(text: string): string {
  const count = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return count === 1 ? "1 line" : `${count} lines`;
}
