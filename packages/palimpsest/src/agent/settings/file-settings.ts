import { resolve } from "node:path";
import { settingDefinitions } from "@palimpsest/core";
import { isAbsent, isFields, type Fields } from "../base/fields.js";
import { toolProblem } from "../permissions/known-tools.js";
import { isPermissionMode, permissionModes, type PermissionMode } from "../permissions/mode.js";
import { allowedRules, parseRule, type SourcedRule } from "../permissions/rule.js";
import { readPromptSettings, type PromptSettings } from "./prompt-settings.js";
import type { SettingsProblem } from "./settings-error.js";
import type { SettingsFilePlace } from "./settings-files.js";

/** What one file says, beside hooks and the engine's own settings. */
interface FileSettings {
  readonly allow: readonly SourcedRule[];
  readonly ask: readonly SourcedRule[];
  readonly deny: readonly SourcedRule[];
  readonly additionalDirectories: readonly string[];
  readonly defaultMode?: PermissionMode;
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly outputStyle?: string;
  readonly language?: string;
  readonly prompt: Partial<PromptSettings>;
}

export interface ReadFileSettings {
  readonly settings: FileSettings;
  readonly problems: readonly SettingsProblem[];
  /** What was passed over on purpose. */
  readonly warnings: readonly SettingsProblem[];
}

/** Modes of others: here they are the default. */
const foreignModes: ReadonlySet<unknown> = new Set(["auto", "dontAsk", "delegate", "manual"]);

/**
 * Variables that say where keys are sent, or what is loaded into every process: no repository sets them, trusted or
 * not. Of those that carry this program's name, or a provider's, only settings of the engine are let through.
 */
const guardedVariables = new RegExp(
  [
    "^(?:ANTHROPIC|OPENAI|PALIMPSEST|CLAUDE)_",
    "^(?:NODE_|LD_|DYLD_|GIT_|SSH_|PYTHON|PERL5|RUBY|JAVA_TOOL|_JAVA_|JDK_|DOTNET_|npm_config_|SSL_|OPENSSL_|XDG_|LESS)",
    "^(?:BASH_ENV|BASH_LOADABLES_PATH|BASH_XTRACEFD|BASHOPTS|SHELLOPTS|PS\\d|PROMPT_COMMAND|ENV|ZDOTDIR|IFS|CDPATH|PATH|HOME|SHELL|TMPDIR|TMP|TEMP)$",
    "^(?:RIPGREP_CONFIG_PATH|GREP_OPTIONS|GCONV_PATH|LOCPATH|MAGIC|RUSTC_WRAPPER|CARGO_HOME|RUSTUP_.*)$",
    "(?:PAGER|EDITOR|VISUAL|BROWSER|_PROXY|_BASE_URL|_API_BASE|_ENDPOINT|_API_KEY|_AUTH_TOKEN|_CUSTOM_HEADERS)$",
  ].join("|"),
  "i",
);
const engineVariables: ReadonlySet<string> = new Set(
  Object.values(settingDefinitions).flatMap(({ env }) => env),
);
const isGuarded = (name: string): boolean => !engineVariables.has(name) && guardedVariables.test(name);

/** Reads the keys that are known, and passes over all others. Never throws. */
export function readFileSettings(
  content: Fields,
  { path, source, base }: SettingsFilePlace,
): ReadFileSettings {
  const problems: SettingsProblem[] = [];
  const warnings: SettingsProblem[] = [];
  // The person's own file for a repository lies inside it: whoever packed the repository could have put it there.
  const isOfRepository = source !== "user";
  const bad = (key: string, message: string, allowed: string): void =>
    void problems.push({ file: path, key, message, allowed });
  const warn = (key: string, message: string, allowed: string): void =>
    void warnings.push({ file: path, key, message, allowed });

  const word = (key: string): Record<string, string> => {
    const value = content[key];
    if (isAbsent(value)) return {};
    if (typeof value === "string" && value.trim() !== "") return { [key]: value.trim() };
    bad(key, "is not a string", "a string that is not empty");
    return {};
  };

  const object = (key: string): Fields => {
    const value = content[key];
    if (isAbsent(value)) return {};
    if (isFields(value)) return value;
    bad(key, "is not an object", "an object");
    return {};
  };

  const texts = (key: string, value: unknown): readonly { readonly text: string; readonly at: string }[] => {
    if (isAbsent(value)) return [];
    if (!Array.isArray(value)) {
      bad(key, "is not a list", "a list of texts");
      return [];
    }
    return value.flatMap((item: unknown, index) => {
      const at = `${key}[${index}]`;
      if (typeof item === "string") return [{ text: item, at }];
      bad(at, "is not a string", "a string");
      return [];
    });
  };

  const permissions = object("permissions");
  const rules = (behavior: "allow" | "ask" | "deny"): readonly SourcedRule[] =>
    texts(`permissions.${behavior}`, permissions[behavior]).flatMap(({ text, at }) => {
      const parsed = parseRule(text);
      const problem = parsed === undefined ? undefined : toolProblem(parsed);
      // A rule that forbids nothing looks like one that does.
      if (parsed === undefined) bad(at, "this is not a permission rule", allowedRules);
      else if (problem !== undefined && behavior !== "allow") bad(at, `this rule ${problem}`, allowedRules);
      else if (problem !== undefined) warn(at, `this rule ${problem}; it allows nothing`, allowedRules);
      return parsed === undefined ? [] : [{ rule: text, base, source: path }];
    });

  const mode = (): { readonly defaultMode?: PermissionMode } => {
    const value = permissions["defaultMode"];
    const key = "permissions.defaultMode";
    if (isAbsent(value)) return {};
    if (foreignModes.has(value)) {
      warn(key, "there is no such mode here; it is taken for default", permissionModes.join(", "));
      return { defaultMode: "default" };
    }
    if (!isPermissionMode(value)) {
      bad(key, "there is no such mode", permissionModes.join(", "));
      return {};
    }
    if (value === "bypassPermissions" && isOfRepository) {
      warn(key, "a repository cannot bypass permissions; passed over", "default, acceptEdits, plan");
      return {};
    }
    return { defaultMode: value };
  };

  const variables = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(object("env")).flatMap(([name, value]) => {
        const key = `env.${name}`;
        if (!/^[A-Za-z_]\w*$/.test(name))
          bad("env", "a name must be that of a variable", "letters, digits and _");
        else if (typeof value !== "string" || value.includes("\0")) bad(key, "is not a string", "a string");
        else if (isOfRepository && isGuarded(name)) {
          warn(key, "a repository cannot set this variable; passed over", "in settings of your own");
        } else return [[name, value]];
        return [];
      }),
    );

  for (const definition of Object.values(settingDefinitions)) {
    const { keys, allowed, read } = definition;
    for (const key of keys) {
      if (Object.hasOwn(content, key) && !isAbsent(content[key]) && read(content[key]) === undefined) {
        bad(key, "this value is not allowed", allowed);
      }
    }
  }

  const settings: FileSettings = {
    allow: rules("allow"),
    ask: rules("ask"),
    deny: rules("deny"),
    additionalDirectories: texts(
      "permissions.additionalDirectories",
      permissions["additionalDirectories"],
    ).map(({ text }) => text),
    env: variables(),
    prompt: readPromptSettings(content, bad),
    ...mode(),
    ...word("model"),
    ...word("outputStyle"),
    ...word("language"),
  };
  return { settings, problems, warnings };
}

/** A directory of the settings as an absolute path: from home, or from the working directory. */
export const settingsDirectory = (path: string, { cwd, home }: { cwd: string; home: string }): string =>
  path === "~" || path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(cwd, path);
