import type { FileRefusal, FileText } from "@palimpsest/core/restore";
import { readPicture } from "../../files/read-picture.js";
import type { PathGuard } from "../base/path-guard.js";
import { quotedPath } from "../base/shown-path.js";
import { countField, textField } from "../base/input-fields.js";
import { refusalText } from "./refusal-text.js";
import type { AgentTool, ToolContext, ToolOutput } from "../base/tool.js";

export interface ReadToolOptions {
  readonly guard: PathGuard;
}

/** About 25,000 tokens. */
const MAX_CHARACTERS = 100_000;

const definition = {
  name: "Read",
  description: [
    "Reads a file. Each line comes with its number and a tab before it.",
    "Without offset and limit it shows the file from the start, at most 2,000 lines and about 100,000 characters, and says how to read on. Lines beyond 2,000 characters are cut.",
    "Pictures (PNG, JPEG, GIF, WebP) are shown as pictures. Directories cannot be read: use Glob.",
    "Read a file before you edit or overwrite it.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "The file: an absolute path, or one relative to the working directory.",
      },
      offset: {
        type: "integer",
        minimum: 1,
        description: "The first line to show, counted from 1. Only for files that are too long.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: "How many lines to show. Only for files that are too long.",
      },
    },
    required: ["file_path"],
    additionalProperties: false,
  },
} as const;

interface Part {
  readonly offset?: number;
  readonly limit?: number;
}

interface Reading {
  readonly guard: PathGuard;
  readonly context: ToolContext;
  /** As the call names it. */
  readonly written: string;
  /** As the read-state names it. */
  readonly path: string;
  readonly part: Part;
}

/** Shows files, and remembers in the read-state what it showed. */
export function createReadTool({ guard }: ReadToolOptions): AgentTool {
  return {
    definition,
    isReadOnly: () => true,
    subject: (input) => ({ kind: "read", paths: [textField(input, "file_path") ?? ""] }),
    async run(input, context) {
      const written = textField(input, "file_path") ?? "";
      const offset = countField(input, "offset", 1);
      const limit = countField(input, "limit", 1);
      const part = {
        ...(offset === undefined || offset === 1 ? {} : { offset }),
        ...(limit === undefined ? {} : { limit }),
      };
      const reading: Reading = { guard, context, written, path: guard.absolute(written), part };
      const outcome =
        written === ""
          ? { kind: "unreadable" as const }
          : await guard.files.read(reading.path, {
              ...part,
              maxCharacters: MAX_CHARACTERS,
              signal: context.signal,
            });
      context.signal.throwIfAborted();
      if (outcome.kind === "text") return showText(reading, outcome);
      if (outcome.kind === "binary" || outcome.kind === "picture") return showPicture(reading);
      return refuse(reading, outcome.kind);
    },
  };
}

function showText(reading: Reading, text: FileText): ToolOutput {
  const { context, path, part, written } = reading;
  const first = part.offset ?? 1;
  if (text.lines === 0 && first > 1) {
    context.readState.noteFailure(path);
    const content = `${quotedPath(written)} has fewer than ${first} lines: there is nothing at this offset. Read it with a smaller one, or without.`;
    return { content, isError: true };
  }
  context.touch(path);
  const known = context.readState.get(path);
  // Nothing but the very text that was shown counts: a write knows the file too, but shows no numbered lines.
  if (
    text.lines > 0 &&
    known?.content === text.content &&
    known.mtime === text.mtime &&
    known.hasFailed !== true
  ) {
    context.readState.renew(path);
    return {
      content:
        "File unchanged since it was last read: what the earlier Read of it in this conversation shows still holds.",
    };
  }
  context.readState.remember(path, {
    content: text.content,
    timestamp: context.now(),
    mtime: text.mtime,
    ...(text.isTruncated ? { offset: first, limit: text.lines, isCut: true } : part),
  });
  if (text.lines === 0) return { content: `${quotedPath(written)} exists and is empty.` };
  if (!text.isTruncated) return { content: text.content };
  const next = first + text.lines;
  const note = `[Cut here: lines ${first} to ${next - 1} are shown. Read on with offset ${next}, or look for the part that you need with Grep.]`;
  return { content: `${text.content}\n${note}` };
}

async function showPicture(reading: Reading): Promise<ToolOutput> {
  const { guard, context, path } = reading;
  const read = await readPicture(guard.disk, path, guard);
  if (read.kind === "unfit") return refusePicture(reading, read.why);
  if (read.kind !== "picture") return refuse(reading, read.kind);
  const { mediaType, data, mtime } = read;
  context.touch(path);
  context.readState.remember(path, { timestamp: context.now(), mtime, isPicture: true });
  return { content: [{ type: "image", source: { type: "base64", media_type: mediaType, data } }] };
}

function refusePicture({ context, path, written }: Reading, why: string): ToolOutput {
  context.readState.noteFailure(path);
  return { content: `${quotedPath(written)} ${why}: make another one of it first.`, isError: true };
}

async function refuse({ guard, context, path, written }: Reading, kind: FileRefusal): Promise<ToolOutput> {
  context.readState.noteFailure(path);
  return { content: await refusalText(guard, { path: written, use: "read", kind }), isError: true };
}
