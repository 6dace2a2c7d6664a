import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { withoutSecrets } from "../../providers/secrets.js";
import { commandReads, partOfRead } from "../../shell/command-reads.js";
import type { PathGuard } from "../base/path-guard.js";
import { keysIn } from "../base/key-variables.js";
import type { BackgroundCommands } from "./background-commands.js";
import { createBoundedOutput } from "../shell/bounded-output.js";
import { findsOwnRepository, GIT_BRAKES } from "../shell/git-brakes.js";
import { isReadOnlyCommand } from "../shell/read-only-command.js";
import { defaultShell } from "../shell/default-shell.js";
import { runShell, type ShellEnding } from "../shell/run-shell.js";
import { shellEnvironment } from "../shell/shell-environment.js";
import type { Spill } from "./spill.js";
import type { AgentTool, ToolContext, ToolInput, ToolOutput } from "../base/tool.js";
import { createWorkingDirectory } from "../shell/working-directory.js";

export interface BashOptions {
  /** Where the shell starts. */
  readonly workingDirectory: string;
  /** What `cd` may not leave for the next command. */
  readonly roots: readonly string[];
  readonly spill: Spill;
  readonly background: BackgroundCommands;
  /** Which files may be read: those that a command showed whole or in part count as read. Left out, none do. */
  readonly guard?: PathGuard;
  /** What commands inherit; this process's own unless told. Keys of ours are taken out. */
  readonly env?: NodeJS.ProcessEnv;
  /** Further variables that commands must not see. */
  readonly hiddenVariables?: readonly string[];
  /** What is hidden in all that commands print. */
  readonly keys?: readonly string[];
  /** Default 120,000. */
  readonly defaultTimeoutMs?: number;
  /** Default 600,000. */
  readonly maxTimeoutMs?: number;
  /** How much output one command may hold in memory. Default 10 MB. */
  readonly maxOutputBytes?: number;
  /** Between asking processes to end and killing them. Default 1,000. */
  readonly killGraceMs?: number;
  /** `/bin/bash`, or `/bin/sh` where there is none. */
  readonly shell?: string;
}

/** Linux takes no longer argument. */
const MAX_COMMAND_BYTES = 120_000;

/** Whatever could leave the shell elsewhere; only then is it asked where it stands. */
const mayMove = /\b(?:cd|pushd|popd|source|eval)\b|(?:^|[\s;&|(])\.\s/;

/**
 * Runs shell commands. The working directory goes on from one call to the next, as long as it stays inside the
 * roots; variables do not. One of these belongs to one agent.
 */
export function createBashTool(options: BashOptions): AgentTool {
  const {
    spill,
    background,
    guard,
    defaultTimeoutMs = 120_000,
    maxTimeoutMs = 600_000,
    killGraceMs = 1000,
  } = options;
  const shell = options.shell ?? defaultShell();
  const directory = createWorkingDirectory({ start: options.workingDirectory, roots: options.roots });
  const env = shellEnvironment(options.env ?? process.env, options.hiddenVariables);
  const keys = options.keys ?? keysIn(options.env ?? process.env, options.hiddenVariables);
  const hide = withoutSecrets(keys);
  const hasGit = findsOwnRepository(env);

  const runInBackground = async (command: string, { agentId }: ToolContext): Promise<ToolOutput> => {
    try {
      const { id, outputPath } = await background.start({
        shell,
        command,
        cwd: directory.current(),
        env,
        keys,
        ...(agentId === undefined ? {} : { agentId }),
      });
      return {
        content: `Started in the background as ${id}. Its output goes to ${outputPath}. Use BashOutput with bash_id "${id}" for what is new, KillBash to end it.`,
      };
    } catch (error) {
      return failure(`It was not started: there can be no file for its output (${codeOf(error)}).`);
    }
  };

  const runInForeground = async (input: ToolInput, context: ToolContext): Promise<ToolOutput> => {
    const command = String(input["command"]);
    const wanted = Number(input["timeout"] ?? defaultTimeoutMs);
    const timeoutMs = Math.min(
      Math.max(1, Number.isFinite(wanted) ? wanted : defaultTimeoutMs),
      maxTimeoutMs,
    );
    const cwd = directory.current();
    const output = createBoundedOutput(options.maxOutputBytes ?? 10_000_000);
    const ending = await runShell({
      shell,
      command: context.holdsGit === true ? `${GIT_BRAKES}${command}` : command,
      cwd,
      env,
      timeoutMs,
      signal: context.signal,
      killGraceMs,
      onOutput: output.add,
      asksDirectory: mayMove.test(command),
      groups: background.groups,
    });
    if (ending.kind === "not-started") return failure(notStarted(ending, cwd));
    const printed = hide(output.text()).trimEnd();
    const text = await spill.fit(printed, { name: `bash-${context.toolUseId}` });
    const lines = [
      endingLine(ending, timeoutMs),
      text === "" && ending.kind === "exited" && ending.code === 0 ? "(no output)" : text,
      moved(ending, cwd),
    ].filter((line) => line !== undefined && line !== "");
    const isError = ending.kind !== "exited" || ending.code !== 0;
    if (!isError && text === printed) await noteReads(command, { cwd, context });
    return { content: lines.join("\n\n"), ...(isError ? { isError } : {}) };
  };

  /** They are in use like those that Read showed: they come back after a compaction, and may be edited. */
  const noteReads = async (
    command: string,
    { cwd, context }: { readonly cwd: string; readonly context: ToolContext },
  ): Promise<void> => {
    if (guard === undefined) return;
    for (const read of commandReads(command)) {
      const absolute = resolve(cwd, read.path);
      const status = await guard.files.stat(absolute);
      if (status === undefined) continue;
      const part = partOfRead(read);
      context.touch(absolute);
      context.readState.remember(absolute, {
        timestamp: context.now(),
        mtime: status.mtime,
        ...part,
        ...(part.limit === undefined ? {} : { isCut: true }),
      });
    }
  };

  const moved = (ending: ShellEnding, before: string): string | undefined => {
    if (ending.kind !== "exited" || ending.directory === undefined || ending.directory === before)
      return undefined;
    if (directory.moveTo(ending.directory)) return undefined;
    return `The working directory is ${directory.current()} again: ${ending.directory} lies outside of what you may work in.`;
  };

  const notStarted = (
    ending: { readonly code?: string | undefined; readonly message: string },
    cwd: string,
  ): string => {
    if (ending.code === "ENOENT" && !existsSync(cwd)) {
      directory.reset();
      return `The working directory ${cwd} is not there any more. It is ${directory.current()} again; call once more.`;
    }
    return `The command could not be started (${ending.code ?? ending.message}).`;
  };

  return {
    definition: definition(defaultTimeoutMs, maxTimeoutMs),
    isReadOnly: (input, view = {}) =>
      input["run_in_background"] !== true &&
      typeof input["command"] === "string" &&
      isReadOnlyCommand(input["command"], {
        isVisible: directory.holds,
        directory: view.directory ?? directory.current(),
        isHidden: view.isHidden,
        mayLook: view.mayLook,
        hasGit,
      }),
    subject: (input) => ({
      kind: "execute",
      command: String(input["command"]),
      directory: directory.current(),
    }),
    async run(input, context) {
      const command = String(input["command"]);
      if (command.trim() === "") return failure("The command is empty.");
      if (command.includes("\0")) return failure("A command cannot hold NUL characters.");
      if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
        return failure("The command is too long. Write it to a file with Write and run that.");
      }
      return input["run_in_background"] === true
        ? runInBackground(command, context)
        : runInForeground(input, context);
    },
  };
}

const failure = (content: string): ToolOutput => ({ content, isError: true });

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "the disk failed";

function endingLine(ending: ShellEnding, timeoutMs: number): string | undefined {
  switch (ending.kind) {
    case "exited":
      return ending.code === 0 ? undefined : `Exit code ${ending.code}`;
    case "killed":
      return `Ended by ${ending.signal}`;
    case "timed-out":
      return `Timed out after ${timeoutMs} ms. The command and all that it started were ended. Give it a longer timeout, or run it in the background. Output so far:`;
    default:
      return "Interrupted by the person. The command and all that it started were ended. Output so far:";
  }
}

const definition = (defaultTimeoutMs: number, maxTimeoutMs: number): AgentTool["definition"] => ({
  name: "Bash",
  description: `Runs a shell command and gives back its output (stdout and stderr together) and its exit code when that is not 0.
- The working directory is kept between calls; variables, functions and aliases are not. Prefer absolute paths to cd.
- There is no terminal and no input: commands that ask or open an editor fail. Use flags such as --yes.
- For files use the other tools: Read, Write, Edit, Grep, Glob.
- Quote paths that have spaces. Join commands that depend on each other with &&.
- Servers, watchers and other long work: run_in_background, then BashOutput. Never sleep to wait for them.
- Long output is saved to a file and shown in part.`,
  input_schema: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command." },
      timeout: {
        type: "integer",
        minimum: 1,
        maximum: maxTimeoutMs,
        description: `Milliseconds after which it is ended. Default ${defaultTimeoutMs}.`,
      },
      description: { type: "string", description: "What it does, in five to ten words, for the person." },
      run_in_background: { type: "boolean", description: "Start it and go on at once." },
    },
    required: ["command"],
    additionalProperties: false,
  },
});
