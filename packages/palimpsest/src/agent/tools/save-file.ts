import type { ReadRecord } from "@palimpsest/core/restore";
import { writeInside, type WriteOutcome } from "../../files/write-inside.js";
import type { PathGuard } from "../base/path-guard.js";
import { quotedPath } from "../base/shown-path.js";
import { refusalText } from "./refusal-text.js";
import type { ToolContext, ToolOutput } from "../base/tool.js";

/** A file that a tool is about to change. */
export interface FileToSave {
  readonly guard: PathGuard;
  readonly context: ToolContext;
  /** As the call names it. */
  readonly written: string;
  /** As the read-state names it. */
  readonly path: string;
  readonly real: string;
}

export const failure = (content: string): ToolOutput => ({ content, isError: true });

/** Why a file that exists must not be changed yet; undefined where the model knows what it changes. */
export function unknownText({ context, path, written }: FileToSave, mtime: number): string | undefined {
  const known = context.readState.get(path);
  if (known === undefined) {
    return `${quotedPath(written)} exists, and you have not read it, or what you read of it is no longer in view. Read it first.`;
  }
  if (known.mtime === mtime) return undefined;
  return `${quotedPath(written)} has changed on disk since you last read it. Read it again, then repeat the change if it is still wanted.`;
}

/** Writes it and remembers what the model now knows of it; an error for the model where that failed. */
export async function saveFile(
  file: FileToSave,
  { text, replaces }: { readonly text: string; readonly replaces: number | undefined },
): Promise<ToolOutput | undefined> {
  const { guard, context, path, real } = file;
  const { bounds, disk } = guard;
  context.signal.throwIfAborted();
  await guard.beforeSave?.(real);
  const outcome = await writeInside(disk, real, { bounds, content: Buffer.from(text), replaces });
  if (outcome.kind !== "written") return failure(await unsavedText(file, outcome));
  const { offset, limit, isCut, isMemory }: Partial<ReadRecord> =
    replaces === undefined ? {} : (context.readState.get(path) ?? {});
  context.readState.remember(path, {
    content: text,
    timestamp: context.now(),
    mtime: outcome.mtime,
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(isCut === undefined ? {} : { isCut }),
    ...(isMemory === undefined ? {} : { isMemory }),
  });
  context.touch(path);
  return undefined;
}

async function unsavedText(
  { guard, written }: FileToSave,
  outcome: Exclude<WriteOutcome, { readonly kind: "written" }>,
): Promise<string> {
  switch (outcome.kind) {
    case "changed":
      return `${quotedPath(written)} was changed by somebody else at this moment, and was left as it is. Read it, then repeat the change if it is still wanted.`;
    case "failed":
      return `${quotedPath(written)} could not be written (${outcome.code}). It is as it was before.`;
    default:
      return refusalText(guard, { path: written, use: "write", kind: outcome.kind });
  }
}
