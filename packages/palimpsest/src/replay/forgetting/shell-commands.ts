import { isFields, type Fields } from "../readers/recording.js";

/** A shell command as a call gives it. */
export interface ShellCommand {
  readonly text: string;
  /** Where it ran; empty where the call does not say. */
  readonly directory: string;
}

const SCRIPTED = /tools\.exec_command\((\{[^\n]*\})\)/;
const LONGEST_SCRIPT = 100_000;

/** Undefined for a form that is not known. */
export function shellCommand(input: Fields): ShellCommand | undefined {
  const fields = typeof input["input"] === "string" ? scripted(input["input"]) : input;
  const command = fields["command"] ?? fields["cmd"] ?? fields["chars"];
  const text: unknown = Array.isArray(command) ? command.at(-1) : command;
  if (typeof text !== "string") return undefined;
  const directory = [fields["workdir"], fields["working_directory"], fields["cwd"], fields["directory"]].find(
    (value) => typeof value === "string",
  );
  const stepped = /^\s*cd\s+("[^"\n]+"|'[^'\n]+'|[^\s;&|]+)\s*(?:&&|;)\s*/.exec(text);
  if (stepped === null) return { text, directory: directory ?? "" };
  return { text: text.slice(stepped[0].length), directory: unquoted(stepped[1] ?? "") };
}

/** Of a script that runs one command, that command. */
function scripted(script: string): Fields {
  try {
    const parsed: unknown = JSON.parse(SCRIPTED.exec(script.slice(0, LONGEST_SCRIPT))?.[1] ?? "null");
    return isFields(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const PATH = String.raw`("[^"\n]+"|'[^'\n]+'|[\w./@+=,:%~\\-]+)`;
const RANGE = String.raw`(?:"[\d,$ ]+p"|'[\d,$ ]+p'|[\d,$]+p)`;
const CUT = String.raw`(?:\s*\|\s*(?:sed -n ${RANGE}|head(?: -n?\s?\d+)?|tail(?: -n?\s?\+?\d+)?|nl -ba|cat -n))*`;
const PRINTING = new RegExp(
  String.raw`^\s*(?:cat(?: -n)?(?: --)?|nl(?: -ba)?|head(?: -n?\s?\d+)?|tail(?: -n?\s?\+?\d+)?|sed -n ${RANGE})\s+${PATH}${CUT}(?:\s*2>(?:&1|/dev/null))?\s*$`,
);

/** The one file that a command prints, whole or in part, and nothing else. */
export function printedFile({ text }: ShellCommand): string | undefined {
  if (text.length > 2000) return undefined;
  const path = PRINTING.exec(text)?.[1];
  return path === undefined ? undefined : unquoted(path);
}

const HERE_DOCUMENT = new RegExp(String.raw`\bcat\s*>>?\s*${PATH}\s*<<-?\s*['"]?(\w+)['"]?[^\n]*\n`, "g");

/** Files that a command writes word for word. */
export function writtenFiles({
  text,
}: ShellCommand): readonly { readonly path: string; readonly text: string }[] {
  const written: { path: string; text: string }[] = [];
  if (!text.includes("<<")) return written;
  const head = new RegExp(HERE_DOCUMENT);
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const [, path = "", word = ""] = found;
    const end = text.indexOf(`\n${word}`, head.lastIndex - 1);
    if (end < 0) break;
    written.push({ path: unquoted(path), text: text.slice(head.lastIndex, Math.max(end, head.lastIndex)) });
    head.lastIndex = end + 1;
  }
  return written;
}

const unquoted = (word: string): string => word.replaceAll(/^["']|["']$/g, "");
