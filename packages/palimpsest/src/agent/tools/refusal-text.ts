import { diskCode } from "../../files/disk.js";
import type { FileRefusal } from "@palimpsest/core/restore";
import type { PathGuard, PathUse } from "../base/path-guard.js";
import { quotedPath } from "../base/shown-path.js";

export interface RefusedFile {
  /** As the call names it. */
  readonly path: string;
  readonly use: PathUse;
  readonly kind: FileRefusal;
}

/** Why a file is not shown or written, and what to do: for the model. */
export async function refusalText(guard: PathGuard, { path, use, kind }: RefusedFile): Promise<string> {
  const judged = await guard.resolve(path, use);
  if (judged.kind === "refused") return judged.reason;
  const name = quotedPath(path);
  switch (kind) {
    case "gone":
      return `${name} does not exist. Relative paths start at ${quotedPath(guard.workingDirectory)}; Glob finds files by name.`;
    case "binary":
      return `${name} is a binary file, which cannot be shown as text. Use a command that understands its format.`;
    case "outside":
      return `${name} was replaced while it was opened, by something outside the directories that you may use.`;
    case "denied":
      return `${name} cannot be ${use === "read" ? "read" : "written"}: the system does not permit it.`;
    case "too-large":
      return `${name} is too large: the lines that you asked for lie further inside than is searched. Use Grep, or a command.`;
    case "unreadable":
      return `${name} ${await whatItIs(guard, judged.real)}`;
  }
}

async function whatItIs(guard: PathGuard, real: string): Promise<string> {
  try {
    const entry = await guard.disk.lstat(real);
    if (entry.isDirectory()) return "is a directory, not a file. List it with Glob or ls.";
    return entry.isFile() ? "could not be read." : "is not a regular file, but a pipe, a socket or a device.";
  } catch (error) {
    return `could not be read (${diskCode(error) ?? "unknown error"}).`;
  }
}
