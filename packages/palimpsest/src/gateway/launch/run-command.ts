import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Environment } from "./known-agents.js";

export interface CommandOptions {
  readonly env: Environment;
  readonly onStart: (pid: number) => void;
}

/** What a terminal sends to every process that it shows: it reaches the command without us. */
const ofTerminals: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT"]);
const passedOn = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const;
/** What shells say for a command that a signal has ended, less the signal's number. */
const BY_SIGNAL = 128;

/** Runs a command on this terminal, signals included, and gives its exit code. Throws a sentence where it cannot be started. */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, onStart }: CommandOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", env: { ...env } });
    const isOnTerminal = process.stdin.isTTY;
    const handlers = passedOn.map((signal) => {
      const handle = (): void => {
        if (!isOnTerminal || !ofTerminals.has(signal)) child.kill(signal);
      };
      process.on(signal, handle);
      return [signal, handle] as const;
    });
    const finish = (): void => {
      for (const [signal, handle] of handlers) process.off(signal, handle);
    };
    child.once("spawn", () => onStart(child.pid ?? 0));
    child.once("error", (error: NodeJS.ErrnoException) => {
      finish();
      reject(new Error(startProblem(command, error)));
    });
    child.once("exit", (code, signal) => {
      finish();
      resolve(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function startProblem(command: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return `the command ${command} was not found; check its name and PATH`;
  if (code === "EACCES") return `the command ${command} cannot be executed; check its rights`;
  return `the command ${command} could not be started: ${message}`;
}
