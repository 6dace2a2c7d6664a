import { join } from "node:path";
import { isFields } from "../../../agent/base/fields.js";
import { readJsonFile } from "../../../agent/settings/json-file.js";
import { replaceFile } from "../../../stores/replace-file.js";

export const ownSettingsFile = (configDirectory: string): string => join(configDirectory, "settings.json");

/** Adds a rule that allows to the person's own settings. Rejects where the file is damaged: it is left as it is. */
export async function keepRule(configDirectory: string, rule: string): Promise<string> {
  const path = ownSettingsFile(configDirectory);
  const file = await readJsonFile(path);
  if (file.kind === "bad") throw new Error(`${path} cannot be read`);
  const content = file.kind === "read" ? file.content : {};
  const permissions = isFields(content["permissions"]) ? content["permissions"] : {};
  const allow = Array.isArray(permissions["allow"]) ? (permissions["allow"] as readonly unknown[]) : [];
  if (allow.includes(rule)) return path;
  const next = { ...content, permissions: { ...permissions, allow: [...allow, rule] } };
  await replaceFile(path, `${JSON.stringify(next, undefined, 2)}\n`);
  return path;
}
