import type { CommandRead } from "../../shell/command-reads.js";
import { isFields, type Fields } from "../readers/recording.js";

/** A shell command as a call gives it. Nothing is ever run. */
export interface RecordedCommand {
  readonly text: string;
  /** Where it ran; empty where the call does not say. */
  readonly directory: string;
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

/** A part of a file that was asked for, and what was printed of it. */
export interface PrintedPart {
  readonly read: CommandRead;
  readonly text: string;
}

/**
 * What was printed, parted by the reads that printed it. None where nobody can say where one ends: of several, each must
 * have printed as many lines as it was asked for.
 */
export function printedParts(reads: readonly CommandRead[], output: string): readonly PrintedPart[] {
  const [only, ...more] = reads;
  if (only === undefined) return [];
  if (more.length === 0) return [{ read: only, text: output }];
  const lines = output.split("\n");
  const rest = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  const parts: PrintedPart[] = [];
  let at = 0;
  for (const read of reads) {
    const { first, last } = read;
    if (first === undefined || last === undefined) return [];
    const next = at + last - first + 1;
    parts.push({
      read,
      text: rest
        .slice(at, next)
        .map((line) => `${line}\n`)
        .join(""),
    });
    at = next;
  }
  return at === rest.length ? parts : [];
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
