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

const FILE = String.raw`(?:'(?<single>[^'\n]+)'|"(?<double>[^"$\`\\\n]+)"|(?<bare>[\w./@+=,:%][\w./@+=,:%-]*))`;
const RANGE = String.raw`(?<quote>['"])(?<first>\d{1,9}),(?<last>\d{1,9})p\k<quote>`;

const forms: readonly { readonly pattern: RegExp; readonly isNumbered: boolean }[] = [
  { pattern: new RegExp(String.raw`^cat (?:-- )?${FILE}$`), isNumbered: false },
  { pattern: new RegExp(`^cat -n ${FILE}$`), isNumbered: true },
  { pattern: new RegExp(`^sed -n ${RANGE} ${FILE}$`), isNumbered: false },
  { pattern: new RegExp(`^nl -ba ${FILE}$`), isNumbered: true },
  { pattern: new RegExp(String.raw`^(?:nl -ba|cat -n) ${FILE} \| sed -n ${RANGE}$`), isNumbered: true },
];

/** The file that a plain `cat`, `sed -n A,Bp` or `nl -ba` shows; undefined for every other command. */
export function commandRead(command: string): CommandRead | undefined {
  if (command.length > LONGEST_COMMAND) return undefined;
  const text = command.trim();
  for (const { pattern, isNumbered } of forms) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) continue;
    const path = groups["single"] ?? groups["double"] ?? groups["bare"] ?? "";
    const [first, last] = [Number(groups["first"]), Number(groups["last"])];
    if (Number.isNaN(first) || Number.isNaN(last)) return { path, isNumbered };
    return first < 1 || last < first ? undefined : { path, first, last, isNumbered };
  }
  return undefined;
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
