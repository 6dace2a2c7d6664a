import { resolve } from "node:path";
import { isFields, type Fields } from "../base/fields.js";
import { readJsonFile } from "./json-file.js";
import type { SettingsProblem } from "./settings-error.js";

/** JSON that the command line holds, or names a file with. It is the person's own. */
export interface GivenJson {
  /** As it stands on the command line. */
  readonly text: string;
  /** The flag that it stands after. */
  readonly flag: string;
  /** Where a relative path starts. */
  readonly base: string;
}

export type ReadGivenJson =
  | { readonly kind: "read"; readonly file: string; readonly content: Fields }
  | { readonly kind: "bad"; readonly problem: SettingsProblem };

/** What begins with a brace is JSON, all else a path. Never rejects; values are not repeated. */
export async function readGivenJson({ text, flag, base }: GivenJson): Promise<ReadGivenJson> {
  const given = text.trim();
  if (given.startsWith("{")) {
    const content = parsed(given);
    if (isFields(content)) return { kind: "read", file: flag, content };
    const problem = { file: flag, key: "its value", message: "is not JSON", allowed: "an object in JSON" };
    return { kind: "bad", problem };
  }
  const path = resolve(base, given);
  const outcome = given === "" ? { kind: "absent" as const } : await readJsonFile(path);
  if (outcome.kind === "read") return { kind: "read", file: path, content: outcome.content };
  if (outcome.kind === "bad") return outcome;
  const problem = {
    file: flag,
    key: given === "" ? "its value" : path,
    message: given === "" ? "is empty" : "there is no such file",
    allowed: "a file with JSON, or an object in JSON",
  };
  return { kind: "bad", problem };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
