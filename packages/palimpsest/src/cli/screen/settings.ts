import { join } from "node:path";
import { isFields } from "../../agent/base/fields.js";
import { readJsonFile } from "../../agent/settings/json-file.js";
import { isKey, screenKeys, type KeyName, type Keys } from "./input/key-names.js";
import { verbosities, type Verbosity } from "./state/state.js";
import { themeNames, type ThemeName } from "./theme.js";

/** What a person has chosen for the screen. */
export interface ScreenSettings {
  readonly theme: ThemeName;
  readonly verbosity: Verbosity;
  readonly fullScreen: boolean;
  /** How it is told that somebody is waited for. */
  readonly bell: "bell" | "notify" | "none";
  /** Seconds are counted while it works. */
  readonly motion: boolean;
  readonly keys: Keys;
}

const defaults: ScreenSettings = {
  theme: "auto",
  verbosity: "normal",
  fullScreen: false,
  bell: "bell",
  motion: true,
  keys: screenKeys,
};

const FILE = "screen.json";
const bells = ["bell", "notify", "none"] as const;

/** Reads `screen.json` of the person's own folder. What is wrong in it is told, and counts for nothing. */
export async function readScreenSettings(
  configDirectory: string,
): Promise<{ readonly settings: ScreenSettings; readonly problems: readonly string[] }> {
  const path = join(configDirectory, FILE);
  const file = await readJsonFile(path);
  if (file.kind === "absent") return { settings: defaults, problems: [] };
  if (file.kind !== "read")
    return { settings: defaults, problems: [`${path} cannot be read: it must be a JSON object.`] };
  const problems: string[] = [];
  const wrong = (name: string, must: string): void => void problems.push(`${path}: ${name} must be ${must}.`);
  const oneOf = <T extends string>(name: string, values: readonly T[], otherwise: T): T => {
    const value = file.content[name];
    if (value === undefined) return otherwise;
    const found = values.find((one) => one === value);
    if (found === undefined) wrong(name, values.join(", ").replace(/, ([^,]*)$/, " or $1"));
    return found ?? otherwise;
  };
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = file.content[name];
    if (value === undefined || typeof value === "boolean") return value ?? otherwise;
    wrong(name, "true or false");
    return otherwise;
  };
  for (const name of Object.keys(file.content)) {
    if (!(name in defaults))
      problems.push(
        `${path}: there is no setting ${JSON.stringify(name)} (there are ${Object.keys(defaults).join(", ")}).`,
      );
  }
  const given = file.content["keys"];
  if (given !== undefined && !isFields(given)) wrong("keys", "an object of names and keys");
  const keys: Record<KeyName, string> = { ...screenKeys };
  for (const [name, key] of Object.entries(isFields(given) ? given : {})) {
    if (!(name in screenKeys))
      problems.push(
        `${path}: there is no key ${JSON.stringify(name)} (there are ${Object.keys(screenKeys).join(", ")}).`,
      );
    else if (isKey(key)) keys[name as KeyName] = key;
    else wrong(`keys.${name}`, 'a key such as "ctrl+o" or "f2"');
  }
  return {
    settings: {
      theme: oneOf("theme", themeNames, defaults.theme),
      verbosity: oneOf("verbosity", verbosities, defaults.verbosity),
      fullScreen: flag("fullScreen", defaults.fullScreen),
      bell: oneOf("bell", bells, defaults.bell),
      motion: flag("motion", defaults.motion),
      keys,
    },
    problems,
  };
}
