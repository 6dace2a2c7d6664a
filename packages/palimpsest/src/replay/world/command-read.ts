import { parseShell } from "../../shell/parse-shell.js";
import type { ShellCommand } from "../../shell/shell-command.js";
import { isFields, type Fields } from "../readers/recording.js";

/** A shell command as a call gives it. Nothing is ever run. */
export interface RecordedCommand {
  readonly text: string;
  /** Where it ran; empty where the call does not say. */
  readonly directory: string;
}

/** A part of one file that a command prints, and nothing else. */
export interface CommandRead {
  readonly path: string;
  readonly first?: number;
  readonly last?: number;
  readonly isNumbered: boolean;
}

/** The command of a call of a shell tool; undefined for a form that is not known. */
export function commandOf(input: Fields): RecordedCommand | undefined {
  const fields = typeof input["input"] === "string" ? scriptedCall(input["input"]) : input;
  if (fields === undefined) return undefined;
  const directory = [fields["workdir"], fields["working_directory"], fields["cwd"]].find(
    (value) => typeof value === "string",
  );
  const command = fields["cmd"] ?? fields["command"];
  const text = Array.isArray(command) ? shellText(command) : command;
  return typeof text === "string" ? { text, directory: directory ?? "" } : undefined;
}

/** `["bash", "-lc", "cat file"]`. */
function shellText(words: readonly unknown[]): unknown {
  const [shell, flag, text] = words;
  const isShell = typeof shell === "string" && /(?:^|\/)(?:ba|z)?sh$/.test(shell);
  return isShell && words.length === 3 && (flag === "-lc" || flag === "-c") ? text : undefined;
}

/** A script whose only deed is one command, and to print what it said. */
const SCRIPT =
  /^\s*(?:const|let) (\w+) = await tools\.exec_command\((\{[^\n]*\})\);\s*text\(\1\.output\);?\s*$/;

function scriptedCall(script: string): Fields | undefined {
  if (script.length > LONGEST_COMMAND) return undefined;
  try {
    const parsed: unknown = JSON.parse(SCRIPT.exec(script)?.[2] ?? "null");
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_COMMAND = 2000;

/** The file that a plain `cat`, `sed -n A,Bp` or `nl -ba` shows; undefined for every other command. */
export function commandRead(command: string): CommandRead | undefined {
  if (command.length > LONGEST_COMMAND) return undefined;
  const parsed = parseShell(command);
  if (parsed.kind === "unclear") return undefined;
  const [shown, cut, ...more] = parsed.commands.map(plainWords);
  if (shown === undefined || more.length > 0) return undefined;
  if (parsed.commands.length === 1) return shownFile(shown);
  const whole = parsed.commands[1]?.operator === "|" ? shownFile(shown) : undefined;
  const lines = cut === undefined ? undefined : printedLines(cut);
  return whole?.isNumbered === true && lines?.files.length === 0 ? { ...whole, ...lines.range } : undefined;
}

/** The words of a command that does nothing besides; undefined for every other. */
function plainWords({ words, assignments, redirections }: ShellCommand): readonly string[] | undefined {
  if (assignments.length > 0 || redirections.length > 0) return undefined;
  const isPlain = words.every((word) => !word.isExpanded && !word.isGlob && !word.isBrace && !word.isTilde);
  return isPlain ? words.map(({ value }) => value) : undefined;
}

function shownFile(words: readonly string[]): CommandRead | undefined {
  const lines = printedLines(words);
  if (lines !== undefined) {
    const [path, ...more] = lines.files;
    const isOne = path !== undefined && isFile(path) && more.length === 0;
    return isOne ? { path, ...lines.range, isNumbered: false } : undefined;
  }
  const [program = "", ...rest] = words;
  const [path, ...options] = rest.toReversed();
  if (path === undefined || !isFile(path)) return undefined;
  const form = [program, ...options.toReversed()].join(" ");
  if (form === "cat" || form === "cat --") return { path, isNumbered: false };
  return form === "cat -n" || form === "nl -ba" ? { path, isNumbered: true } : undefined;
}

const isFile = (word: string): boolean => word !== "" && !word.startsWith("-") && !word.includes("\n");

/** `sed -n 10,20p`, and the files after it. */
function printedLines(
  words: readonly string[],
):
  | { readonly range: { readonly first: number; readonly last: number }; readonly files: readonly string[] }
  | undefined {
  const [program, option, script = "", ...files] = words;
  const [, from, to] = /^(\d{1,9}),(\d{1,9})p$/.exec(script) ?? [];
  if (program !== "sed" || option !== "-n" || from === undefined || to === undefined) return undefined;
  const [first, last] = [Number(from), Number(to)];
  return first < 1 || last < first ? undefined : { range: { first, last }, files };
}

const HEAD =
  /^(?:(?:Chunk ID|Wall time|Process exited with code|Original token count|Exit code|Script completed)[^\n]*\n)+Output:\n/;
const SUCCESS = /^(?:Process exited with code 0|Exit code: 0|Script completed)$/m;
const CUT =
  /…\s?\d+ (?:tokens|characters|chars|lines) truncated\s?…|\[\.{3} omitted \d+ of \d+ lines \.{3}\]/;

/** What a command printed; undefined where it failed, was cut, or says nothing about how it went. */
export function commandOutput(result: string): string | undefined {
  const output = result.startsWith('{"output":') ? wrappedOutput(result) : framedOutput(result);
  return output === undefined || CUT.test(output) ? undefined : output;
}

function framedOutput(result: string): string | undefined {
  const head = HEAD.exec(result)?.[0];
  return head !== undefined && SUCCESS.test(head) ? result.slice(head.length) : undefined;
}

function wrappedOutput(result: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(result);
    const metadata = isFields(parsed) ? parsed["metadata"] : undefined;
    if (!isFields(parsed) || !isFields(metadata) || metadata["exit_code"] !== 0) return undefined;
    return typeof parsed["output"] === "string" ? parsed["output"] : undefined;
  } catch {
    return undefined;
  }
}
