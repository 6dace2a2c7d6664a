import type { Message } from "@palimpsest/core";
import { readRecording } from "../replay/readers/read-recording.js";

/** A shell command of a recorded conversation. */
interface RecordedCommand {
  readonly command: string;
  /** The project's folder, as the recording names it; empty where it names none. */
  readonly root: string;
  /** Where the shell stood. */
  readonly directory: string;
}

/** What is known of the files of a recorded project. */
export interface RecordedProject {
  readonly commands: readonly RecordedCommand[];
  /** Files that calls of other tools name. */
  readonly files: readonly string[];
}

const shellTools: ReadonlySet<string> = new Set(["Bash", "bash", "exec_command", "run_shell_command"]);

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
}

/** The commands of a recording, and the files that it names. */
export async function readCommands(file: string): Promise<RecordedProject> {
  const calls = (await readRecording(file)).messages.flatMap(callsOf);
  const shell = calls.filter(({ name, input }) => shellTools.has(name) && commandIn(input) !== "");
  const directories = shell.map(({ input, cwd }) => text(input["workdir"]) || cwd);
  const named = directories.find((directory) => directory !== "");
  const root = named ?? mostFrequent(shell.flatMap(({ input }) => movesIn(commandIn(input))));
  return {
    commands: shell.map(({ input }, index) => {
      const directory = directories[index] || root;
      return { command: commandIn(input), root: isBelow(directory, root) ? root : directory, directory };
    }),
    files: calls.flatMap(({ input }) => [text(input["file_path"]), text(input["path"])]).filter(Boolean),
  };
}

function callsOf(message: Message): readonly Call[] {
  if (message.type !== "assistant") return [];
  const cwd = text((message as { readonly cwd?: unknown }).cwd);
  return message.message.content.flatMap((block) =>
    block.type === "tool_use" ? [{ name: block.name, input: Object(block.input) as Call["input"], cwd }] : [],
  );
}

const isBelow = (directory: string, root: string): boolean =>
  directory === root || (directory.startsWith(root) && /^[\\/]/.test(directory.slice(root.length)));

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const commandIn = (input: Call["input"]): string => text(input["command"]) || text(input["cmd"]);

/** Absolute directories that a command goes to. */
const movesIn = (command: string): readonly string[] =>
  Array.from(command.matchAll(/\bcd\s+["']?(\/[^\s"';&|)]+)/g), ([, directory = ""]) => directory);

function mostFrequent(all: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return Array.from(counts).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}
