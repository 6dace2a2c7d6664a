import type { Fields } from "../readers/recording.js";
import { callPieces, namedPath } from "./call-pieces.js";
import type { FileNames } from "./file-names.js";
import { keyOf } from "./lines.js";
import { printedFile, shellCommand } from "./shell-commands.js";

/**
 * `disk`: a file that the agent read or wrote. `again`: a command or a search that can be run again. `transcript`: a
 * person's or the agent's own words, a page, a subagent's report: nowhere but in the conversation.
 */
export type SourceClass = "disk" | "again" | "transcript";

/** Where something in a conversation is from. */
export interface Source {
  readonly class: SourceClass;
  /** Two blocks of the same file, or of the same command, are from one source. */
  readonly key: number;
  /** For people: a path, a command, or whose words they are. Hostile, cut short. */
  readonly label: string;
  /** The path of a file: as it was named, or in full where it was named from a folder. */
  readonly path?: string;
}

/** A source in the block in which something stood last. */
export interface Block extends Source {
  /** Counted over all blocks of the conversation. */
  readonly block: number;
  /** The turn at which the model was given it, or said it, from 0. */
  readonly turn: number;
}

const READING_TOOLS = new Set("read view open readfile notebookread".split(" "));
const WRITING_TOOLS = new Set(
  (
    "write create createfile writefile edit multiedit editfile strreplace " +
    "strreplaceeditor strreplacebasededittool replace notebookedit applypatch patch"
  ).split(" "),
);
const COMMAND_TOOLS = new Set(
  "bash shell shellcommand localshell execcommand exec runshellcommand runcommand powershell executebash".split(
    " ",
  ),
);
/** They wait for a command that runs already. */
const WAITING_TOOLS = new Set(["writestdin", "bashoutput"]);
const SEARCH_TOOLS = new Set(
  "grep glob ls list listdirectory listdir find search searchfilecontent codebasesearch readmanyfiles skill toolsearch".split(
    " ",
  ),
);

const LABEL_CHARACTERS = 120;

const plainName = (tool: string): string => tool.toLowerCase().replaceAll(/[^a-z]/g, "");

/** What the call and its result are from. Only tools that are known are taken to give the same answer again. */
export function callSource(
  { name, input, block }: { readonly name: string; readonly input: Fields; readonly block: number },
  names: FileNames,
): Source {
  const tool = plainName(name);
  if (READING_TOOLS.has(tool) || WRITING_TOOLS.has(tool)) {
    const patched = callPieces(input).find(({ path }) => path !== undefined);
    const path = namedPath(input) ?? patched?.path;
    if (path !== undefined) return fileSource(path, patched?.directory ?? "", names);
  }
  if (COMMAND_TOOLS.has(tool) || WAITING_TOOLS.has(tool)) {
    const command = shellCommand(input);
    const printed = command && printedFile(command);
    if (command !== undefined && printed !== undefined) return fileSource(printed, command.directory, names);
    return repeatable(command?.text ?? JSON.stringify(input));
  }
  if (SEARCH_TOOLS.has(tool)) return repeatable(`${name} ${JSON.stringify(input)}`);
  return wordsSource(`an answer to ${cut(name)}`, block);
}

/**
 * Whether a call looks at something without changing a file by its own words: a file is read, or a command or a search
 * is run. To wait for a command is not to run it.
 */
export function isLook({ name, input }: { readonly name: string; readonly input: Fields }): boolean {
  const tool = plainName(name);
  if (WRITING_TOOLS.has(tool)) return input["command"] === "view";
  if (!READING_TOOLS.has(tool) && !COMMAND_TOOLS.has(tool) && !SEARCH_TOOLS.has(tool)) return false;
  return callPieces(input).every(({ path, isReplaced }) => path === undefined && !isReplaced);
}

export function fileSource(path: string, directory: string, names: FileNames): Source {
  const name = names.nameOf(path, directory);
  const isWhole = /^(?:[\\/]|[a-z]:[\\/])/i.test(path);
  return { class: "disk", key: keyOf(`file ${name}`), label: cut(path), path: isWhole ? path : name };
}

const repeatable = (command: string): Source => ({
  class: "again",
  key: keyOf(`command ${command}`),
  label: cut(command),
});

/** Words that stand in one block of the conversation and nowhere else. */
export const wordsSource = (label: string, block: number): Source => ({
  class: "transcript",
  key: keyOf(`block ${block}`),
  label,
});

function cut(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > LABEL_CHARACTERS ? `${line.slice(0, LABEL_CHARACTERS)}…` : line;
}
