import { hookNames, type HookName } from "./hooks.js";
import { isFields } from "../base/fields.js";
import { readMatcher, type Matcher } from "./matcher.js";

/** One command of the settings. */
export interface CommandHook {
  /** Where it stands: `hooks.PreToolUse[0].hooks[1]`, after the name of its file. Commands may hold secrets. */
  readonly where: string;
  /** For the shell; with `args` the program to start, without one. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  /** Nobody waits for it, and what it says counts for nothing. */
  readonly isAsync: boolean;
  /** A permission rule that the tool call has to meet. */
  readonly condition?: string;
}

export interface HookGroup {
  readonly matches: Matcher;
  readonly hooks: readonly CommandHook[];
}

export type HookSettings = { readonly [Name in HookName]?: readonly HookGroup[] };

/** Something in the settings that does not count, or not as it stands. */
export interface HookSettingProblem {
  /** The place, after the name of the file where that was given. */
  readonly key: string;
  /** `unsupported` works in Claude Code and does nothing here. */
  readonly kind: "invalid" | "unsupported";
  readonly message: string;
  readonly allowed: string;
}

export interface ReadHookSettings {
  readonly hooks: HookSettings;
  readonly problems: readonly HookSettingProblem[];
  /** `disableAllHooks` is set: the hooks of other files are not meant to run either. */
  readonly isDisabled: boolean;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Events that others fire and this program does not. */
const foreignEvents: ReadonlySet<string> = new Set(
  `Notification Setup UserPromptExpansion MessageDisplay StopFailure PostToolUseFailure
   PostToolBatch PermissionDenied PreModelSwitch PostModelSwitch TeammateIdle TaskCreated
   TaskCompleted ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate
   WorktreeRemove Elicitation ElicitationResult`.split(/\s+/),
);

const foreignTypes: ReadonlySet<unknown> = new Set(["http", "mcp_tool", "prompt", "agent"]);

/**
 * The hooks of a settings file, in Claude Code's format. Never throws: what is wrong is left out, group by group
 * and hook by hook, and told of. `file` is the name to show for it.
 */
export function readHookSettings(
  settings: unknown,
  { file }: { readonly file?: string } = {},
): ReadHookSettings {
  const reader = createReader(file === undefined ? "" : `${file}: `);
  if (!isFields(settings)) {
    if (settings !== undefined) reader.invalid("settings", settings, "an object");
    return { hooks: {}, problems: reader.problems, isDisabled: false };
  }
  const isDisabled = settings["disableAllHooks"] === true;
  const hooks = isDisabled ? {} : reader.events(settings["hooks"]);
  return { hooks, problems: reader.problems, isDisabled };
}

/** The hooks of several files: all of them run. */
export function joinHookSettings(all: readonly HookSettings[]): HookSettings {
  const entries = hookNames.map((name) => [name, all.flatMap((settings) => settings[name] ?? [])] as const);
  return Object.fromEntries(entries.filter(([, groups]) => groups.length > 0));
}

function createReader(prefix: string) {
  const problems: HookSettingProblem[] = [];
  const tell = (
    kind: HookSettingProblem["kind"],
    place: string,
    what: Omit<HookSettingProblem, "key" | "kind">,
  ) => void problems.push({ key: `${prefix}${place}`, kind, ...what });
  const invalid = (place: string, value: unknown, allowed: string): void =>
    tell("invalid", place, { message: `${kindOf(value)} is not allowed here`, allowed });

  function events(value: unknown): HookSettings {
    if (value === undefined) return {};
    if (!isFields(value)) {
      invalid("hooks", value, "an object with a list of groups for each event");
      return {};
    }
    const read = Object.entries(value).flatMap(([event, groups]) => {
      const name = hookNames.find((known) => known === event);
      const place = `hooks.${event}`;
      if (name === undefined) {
        const isForeign = foreignEvents.has(event);
        const message = isForeign ? "this event never happens here" : "there is no such event";
        tell(isForeign ? "unsupported" : "invalid", place, { message, allowed: hookNames.join(", ") });
        return [];
      }
      return [[name, list(groups, place).flatMap(({ item, at }) => group(item, at))] as const];
    });
    return Object.fromEntries(read.filter(([, groups]) => groups.length > 0));
  }

  function list(value: unknown, place: string): { readonly item: unknown; readonly at: string }[] {
    if (Array.isArray(value))
      return value.map((item: unknown, index) => ({ item, at: `${place}[${index}]` }));
    invalid(place, value, "a list");
    return [];
  }

  function group(value: unknown, place: string): HookGroup[] {
    if (!isFields(value)) {
      invalid(place, value, "an object with `hooks` and perhaps a `matcher`");
      return [];
    }
    const pattern = value["matcher"];
    const matches = pattern === undefined || typeof pattern === "string" ? readMatcher(pattern) : undefined;
    if (matches === undefined) {
      const allowed = "a name, names separated by |, a regular expression, or * for all";
      if (typeof pattern !== "string") invalid(`${place}.matcher`, pattern, allowed);
      else tell("invalid", `${place}.matcher`, { message: "this is not a regular expression", allowed });
      return [];
    }
    const hooks = list(value["hooks"], `${place}.hooks`).flatMap(({ item, at }) => hook(item, at));
    return hooks.length === 0 ? [] : [{ matches, hooks }];
  }

  function hook(value: unknown, place: string): CommandHook[] {
    const allowed = 'an object with `type: "command"` and a `command`';
    if (!isFields(value)) {
      invalid(place, value, allowed);
      return [];
    }
    const { type, command, args, shell } = value;
    if (foreignTypes.has(type) || shell === "powershell") {
      const message =
        shell === "powershell" ? "there is no powershell here" : "hooks of this type do not run";
      tell("unsupported", place, { message, allowed });
      return [];
    }
    if (type !== "command") {
      tell("invalid", `${place}.type`, { message: "there is no such type", allowed: "command" });
      return [];
    }
    if (typeof command !== "string" || command.trim() === "" || command.includes("\0")) {
      invalid(`${place}.command`, command, "a text that is not empty");
      return [];
    }
    if (args !== undefined && !isTexts(args)) {
      invalid(`${place}.args`, args, "a list of texts");
      return [];
    }
    const condition = value["if"];
    if (condition !== undefined && typeof condition !== "string") {
      invalid(`${place}.if`, condition, "one permission rule, such as Bash(git *)");
      return [];
    }
    const read: CommandHook = {
      where: `${prefix}${place}`,
      command,
      timeoutMs: timeout(value["timeout"], `${place}.timeout`),
      isAsync: value["async"] === true || value["asyncRewake"] === true,
      ...(args === undefined ? {} : { args }),
      ...(condition === undefined ? {} : { condition }),
    };
    return [read];
  }

  function timeout(value: unknown, place: string): number {
    if (value === undefined) return DEFAULT_TIMEOUT_MS;
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value * 1000;
    invalid(place, value, "a number of seconds above 0; it is 60 now");
    return DEFAULT_TIMEOUT_MS;
  }

  return { problems, invalid, events };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string" && !item.includes("\0"));

/** What a value is, without the value: settings may hold secrets. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty text";
  if (typeof value === "object") return "an object";
  return typeof value === "string"
    ? "this text"
    : typeof value === "number"
      ? "this number"
      : "true or false";
}
