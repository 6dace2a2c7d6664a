import type { HookInput, HookName, HookOutput, HookProblem, HookRunOptions, Hooks } from "./hooks.js";
import { mergeHookOutputs } from "./merge-hook-outputs.js";
import { withoutKeys } from "../base/key-variables.js";
import { readHookAnswer } from "./hook-answer.js";
import type { CommandHook, HookSettings } from "./hook-settings.js";
import { encodeHookInput, matchedValue } from "./hook-wire.js";
import { redactSecrets } from "../base/redact-secrets.js";
import { runCommand, type CommandEnding } from "./run-command.js";

/** A tool call that a hook's condition is held against. */
export interface JudgedCall {
  readonly toolName: string;
  readonly toolInput: Readonly<Record<string, unknown>>;
}

export interface ShellHookOptions {
  readonly settings: HookSettings;
  /** Where commands run. */
  readonly cwd: string;
  readonly sessionId: string;
  readonly transcriptPath?: string | undefined;
  /** `default` unless told; what an input says goes before it. */
  readonly permissionMode?: string | undefined;
  /** For `CLAUDE_PROJECT_DIR` and `PALIMPSEST_PROJECT_DIR`; `cwd` unless told. */
  readonly projectDirectory?: string | undefined;
  /** What commands inherit; this process's own unless told. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onProblem?: (problem: HookProblem) => void;
  /** Whether a call meets a permission rule, for hooks with an `if`. Without it, or if it throws, they run. */
  readonly matchesRule?: (rule: string, call: JudgedCall) => boolean;
  /** Between asking processes to end and killing them; a second unless told. */
  readonly killGraceMs?: number;
}

const MAX_PROBLEM_TEXT = 600;

/** Hooks that are shell commands. Those of an event run at the same time; a command that stands twice runs once. */
export function createShellHooks(options: ShellHookOptions): Hooks {
  const { cwd, killGraceMs = 1000, env: inherited = process.env } = options;
  const projectDirectory = options.projectDirectory ?? cwd;
  const env = {
    ...inherited,
    CLAUDE_PROJECT_DIR: projectDirectory,
    PALIMPSEST_PROJECT_DIR: projectDirectory,
  };
  const hide = withoutKeys(env);
  const report = (problem: HookProblem): void => {
    try {
      const message = redactSecrets(hide(problem.message), env).slice(0, MAX_PROBLEM_TEXT);
      options.onProblem?.({ ...problem, message });
    } catch {
      // Whoever listens for problems cannot be one.
    }
  };

  const runHook = async <Name extends HookName>(
    name: Name,
    hook: CommandHook,
    { payload, signal }: { readonly payload: string; readonly signal: AbortSignal | undefined },
  ): Promise<HookOutput<Name>> => {
    const tell = (kind: HookProblem["kind"], message: string): void =>
      report({ event: name, hook: hook.where, kind, message });
    const { timeoutMs } = hook;
    const ending = await runCommand({
      ...expanded(hook, projectDirectory),
      cwd,
      env,
      input: payload,
      timeoutMs,
      signal,
      killGraceMs,
    });
    if (ending.kind === "exited" && (ending.code === 0 || ending.code === 2)) {
      const { code, stdout, stderr } = ending;
      const said = { code, stdout: hide(stdout), stderr: hide(stderr) };
      const { output, problems } = readHookAnswer(name, said);
      for (const problem of problems) tell("bad-output", problem);
      return output;
    }
    if (ending.kind === "timed-out") {
      tell("timed-out", `not done within ${timeoutMs / 1000} seconds, and ended`);
    } else if (ending.kind !== "aborted") {
      tell("failed", describeFailure(ending));
    }
    return {};
  };

  const run = async <Name extends HookName>(
    name: Name,
    input: HookInput<Name>,
    { signal }: HookRunOptions = {},
  ): Promise<HookOutput<Name>> => {
    const hooks = matchingHooks(name, input, options);
    if (hooks.length === 0 || signal?.aborted === true) return {};
    let payload: string;
    try {
      payload = encodeHookInput(name, { input, session: options });
    } catch (error) {
      const message = `the input cannot be written as JSON: ${(error as Error).message}`;
      report({ event: name, hook: `hooks.${name}`, kind: "failed", message });
      return {};
    }
    const running = hooks.map(async (hook): Promise<HookOutput<Name>> => {
      if (!hook.isAsync) return runHook(name, hook, { payload, signal });
      void runHook(name, hook, { payload, signal: undefined });
      return {};
    });
    const outputs = await unlessAborted(Promise.all(running), signal);
    return outputs === undefined ? {} : mergeHookOutputs<Name>(outputs);
  };
  return { run };
}

function matchingHooks<Name extends HookName>(
  name: Name,
  input: HookInput<Name>,
  { settings, matchesRule }: ShellHookOptions,
): readonly CommandHook[] {
  const value = matchedValue(name, input);
  const isMet = ({ condition }: CommandHook): boolean => {
    if (condition === undefined) return true;
    if (!("toolName" in input)) return false;
    try {
      return matchesRule?.(condition, input) ?? true;
    } catch {
      return true;
    }
  };
  const matching = (settings[name] ?? [])
    .filter(({ matches }) => value === undefined || matches(value))
    .flatMap(({ hooks }) => hooks.filter(isMet));
  const unique = new Map<string, CommandHook>();
  for (const hook of matching) {
    const key = JSON.stringify([hook.command, hook.args]);
    if (!unique.has(key)) unique.set(key, hook);
  }
  return Array.from(unique.values());
}

/** Without a shell nobody else puts in the project's directory. */
function expanded({ command, args }: CommandHook, projectDirectory: string) {
  if (args === undefined) return { command };
  const expand = (text: string): string => text.replaceAll("${CLAUDE_PROJECT_DIR}", () => projectDirectory);
  return { command: expand(command), args: args.map(expand) };
}

function describeFailure(ending: Exclude<CommandEnding, { readonly kind: "timed-out" | "aborted" }>): string {
  if (ending.kind === "not-started") return `could not be started: ${ending.message}`;
  const how =
    ending.kind === "killed" ? `was ended by ${ending.signal}` : `ended with exit code ${ending.code}`;
  const said = ending.stderr.trim().slice(0, 10_000);
  return said === "" ? how : `${how}: ${said}`;
}

/** Undefined as soon as the signal says so; what is under way ends by itself. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(undefined);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
