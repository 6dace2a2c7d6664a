import { spawn } from "node:child_process";
import { constants } from "node:os";

export interface ChildEnd {
  /** As a shell tells it: 128 and the signal's number where one ended it, 127 where there is no such command. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
  /** Why it was never started. */
  readonly problem: string | null;
}

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Whether what it prints goes to stderr, because stdout is for something else. */
  readonly toStderr: boolean;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** What a terminal sends to everybody in front of it, the child included. */
const KEYS: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT"]);

/** Runs a command on the terminal of this process. Signals are passed on to it; its end is ours to tell, not its death. */
export function runChild(
  [command = "", ...args]: readonly string[],
  { env, toStderr }: ChildOptions,
): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ["inherit", toStderr ? 2 : "inherit", "inherit"] });
    const pass = (signal: NodeJS.Signals): void => {
      if (KEYS.has(signal) && process.stdin.isTTY) return;
      child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, pass);
    const end = (ended: ChildEnd): void => {
      for (const signal of SIGNALS) process.off(signal, pass);
      resolve(ended);
    };
    child.once("error", (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === "ENOENT";
      const problem = isAbsent ? "there is no such command" : error.message;
      end({ exitCode: isAbsent ? 127 : 126, signal: null, problem });
    });
    child.once("close", (code, signal) => {
      const exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
      end({ exitCode, signal, problem: null });
    });
  });
}
