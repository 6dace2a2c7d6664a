import type { PermissionSubject, ToolInput } from "../base/tool.js";
import { parseShell } from "../../shell/parse-shell.js";
import type { ParsedShell } from "../../shell/shell-command.js";
import { formsOf, type CommandForms } from "./command-forms.js";
import { spellingsOf } from "../base/real-path.js";

/** What rules are asked about a call. */
export interface CallFacts {
  readonly toolName: string;
  readonly kind: PermissionSubject["kind"];
  readonly input: ToolInput;
  /** For each file all that its path may mean: as written, from home, and as links lead. */
  readonly paths: readonly (readonly string[])[];
  readonly command?: JudgedCommand;
  /** In small letters; left out where the address is none. */
  readonly host?: string;
}

export interface JudgedCommand {
  readonly text: string;
  /** Where it would run; left out for the working directory. */
  readonly directory?: string;
  readonly parsed: ParsedShell;
  /** All that it may come down to. */
  readonly forms: () => CommandForms;
}

export interface CallPlaces {
  readonly workingDirectory: string;
  readonly home: string;
}

/** Throws for a path that holds a NUL. */
export function factsOfCall(
  call: { readonly toolName: string; readonly input: ToolInput; readonly subject: PermissionSubject },
  places: CallPlaces,
): CallFacts {
  const { kind, paths = [], command, url } = call.subject;
  const isAboutFiles = kind === "read" || kind === "edit";
  const named = isAboutFiles && paths.length === 0 ? ["."] : paths;
  const host = url === undefined ? undefined : hostOf(url);
  return {
    toolName: call.toolName,
    kind,
    input: call.input,
    paths: named.map((path) => meaningsOf(path, places)),
    ...(command === undefined ? {} : { command: judgedCommand(command, call.subject.directory) }),
    ...(host === undefined ? {} : { host }),
  };
}

function judgedCommand(text: string, directory: string | undefined): JudgedCommand {
  let forms: CommandForms | undefined;
  const parsed = parseShell(text);
  return {
    text,
    ...(directory === undefined ? {} : { directory }),
    parsed,
    forms: () => (forms ??= formsOf(text, parsed)),
  };
}

/** All that a path may mean. Whoever allows it has to allow each, whoever forbids it needs one. */
export function meaningsOf(path: string, { workingDirectory, home }: CallPlaces): readonly string[] {
  if (path.includes("\0")) throw new RangeError("a path holds a NUL");
  const isHome = path === "~" || path.startsWith("~/");
  const plain = spellingsOf(workingDirectory, path);
  return isHome ? [...plain, ...spellingsOf(home, `.${path.slice(1)}`)] : plain;
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname.replace(/\.$/, "");
  } catch {
    return undefined;
  }
}

const fileTools: Readonly<Record<string, "read" | "edit">> = {
  Read: "read",
  Grep: "read",
  Glob: "read",
  LS: "read",
  NotebookRead: "read",
  Edit: "edit",
  Write: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
};

/** What a call is about, told by its name and its input alone: for hooks, which are handed no more. */
export function guessSubject(toolName: string, input: ToolInput): PermissionSubject {
  const texts = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => (typeof input[name] === "string" ? [input[name]] : []));
  const kind = Object.hasOwn(fileTools, toolName) ? fileTools[toolName] : undefined;
  if (kind !== undefined) return { kind, paths: texts(["file_path", "notebook_path", "path"]) };
  const [command] = texts(["command"]);
  if (toolName === "Bash" && command !== undefined) return { kind: "execute", command };
  const [url] = texts(["url"]);
  if (toolName === "WebFetch" && url !== undefined) return { kind: "network", url };
  return { kind: "other" };
}
