import { open, type FileHandle } from "node:fs/promises";
import { constants } from "node:fs";
import { diskCode } from "../../files/disk.js";
import { isFields, type Fields } from "../base/fields.js";
import { findJsonFault } from "./json-fault.js";
import type { SettingsProblem } from "./settings-error.js";

export type JsonFile =
  | { readonly kind: "read"; readonly content: Fields }
  | { readonly kind: "absent" }
  | { readonly kind: "bad"; readonly problem: SettingsProblem };

const MAX_BYTES = 1024 * 1024;

/**
 * A JSON object of a file. Never rejects; an empty file is an empty object. `needs` is a text without which the
 * file is not of interest: it then counts as absent and is not parsed.
 */
export async function readJsonFile(
  path: string,
  { maxBytes = MAX_BYTES, needs }: { readonly maxBytes?: number; readonly needs?: string } = {},
): Promise<JsonFile> {
  const bad = (key: string, message: string, allowed: string): JsonFile => ({
    kind: "bad",
    problem: { file: path, key, message, allowed },
  });
  let text: string | undefined;
  try {
    text = await readSmall(path, maxBytes);
  } catch (error) {
    const code = diskCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return bad("the file", `cannot be read (${code ?? "no reason given"})`, "a JSON file");
  }
  if (text === undefined)
    return bad("the file", "is not an ordinary file, or is too large", `at most ${maxBytes} bytes`);
  if (needs !== undefined && !text.includes(needs)) return { kind: "absent" };
  if (text.trim() === "") return { kind: "read", content: {} };
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    const place = findJsonFault(text);
    const key = place === undefined ? "the file" : `line ${place.line}, column ${place.column}`;
    return bad(key, "this is not JSON", "an object in JSON, without comments and trailing commas");
  }
  return isFields(content)
    ? { kind: "read", content }
    : bad("the file", "holds no object", "an object in JSON");
}

/** Undefined for what is too large, and for pipes and devices, which are not waited for. */
async function readSmall(path: string, maxBytes: number): Promise<string | undefined> {
  const file: FileHandle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = await file.stat();
    if (!status.isFile() || status.size > maxBytes) return undefined;
    return (await file.readFile("utf8")).replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}
