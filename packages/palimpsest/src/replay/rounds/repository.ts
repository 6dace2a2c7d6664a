import { basename, dirname } from "node:path";
import { asText, isFields, type Fields, type RecordedLine } from "../readers/recording.js";

/** Folders in which programs keep working copies of the repository that they lie in. */
const COPIES = /^(?:\.worktrees|worktrees|\.claude|\.git)$/;
/** Folders in which people keep working copies of several repositories: `wt/{repository}/{copy}`. */
const COPIES_BY_NAME = /^(?:wt|\.wt)$/;

/**
 * The name of the repository that a recording is about: of the remote that it names, else of the folder that it was
 * made in, else of the folder that the file lies in. What the recording says is a name here and nothing else.
 */
export function repositoryOf(first: readonly RecordedLine[], path: string): string {
  const fields = first.flatMap(({ value }) => [
    value,
    ...[value["payload"], value["info"]].filter((inner) => isFields(inner)),
  ]);
  return (
    firstName(fields, remoteName) ??
    firstName(fields, (value) => folderName(asText(value["cwd"]) || asText(value["directory"]))) ??
    basename(dirname(path))
  );
}

function firstName(fields: readonly Fields[], nameOf: (value: Fields) => string): string | undefined {
  for (const value of fields) {
    const name = nameOf(value);
    if (name !== "") return name;
  }
  return undefined;
}

/** `git.repository_url` without its end. */
function remoteName(value: Fields): string {
  const url = isFields(value["git"]) ? asText(value["git"]["repository_url"]) : "";
  return plainName(/([^/:]+?)(?:\.git)?\/?$/.exec(url)?.[1] ?? "");
}

function folderName(path: string): string {
  const parts = path.split(/[/\\]+/).filter((part) => part !== "");
  const copies = parts.findIndex((part) => COPIES.test(part));
  if (copies > 0) return plainName(parts[copies - 1] ?? "");
  const named = parts.findIndex((part) => COPIES_BY_NAME.test(part));
  return plainName((named >= 0 ? parts[named + 1] : undefined) ?? parts.at(-1) ?? "");
}

/** What is no name, such as what a mask left, is none. */
const plainName = (name: string): string => (/^[\w.-]*\w[\w.-]*$/.test(name) ? name : "");
