import { spawn } from "node:child_process";
import { MAX_LINE_CHARACTERS, type GrepEnding, type GrepQuery, type TakeFinding } from "./grep-query.js";
import { createRipgrepParser } from "./ripgrep-output.js";

export interface RipgrepRun {
  readonly program: string;
  readonly query: GrepQuery;
  /** Where it runs; it searches what is below. */
  readonly cwd: string;
  /** An open file to be searched instead. */
  readonly file?: number | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly take: TakeFinding;
}

const MAX_ERROR = 2000;

/** The program that comes with the package; undefined where there is none for this machine. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined;
  }
}

/** Nothing that a query says can become an option: each value stands after its own `=`, the pattern after `-e`. */
function ripgrepArguments(query: GrepQuery, isSingle: boolean): readonly string[] {
  const { pattern, mode, glob, type } = query;
  return [
    "--no-config",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--null",
    "--hidden",
    "--no-follow",
    "--no-require-git",
    "--sort=path",
    `--max-columns=${MAX_LINE_CHARACTERS}`,
    "--max-columns-preview",
    ...(query.ignoresCase ? ["--ignore-case"] : []),
    ...(query.isMultiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(mode === "files_with_matches" ? ["--files-with-matches"] : []),
    ...(mode === "count" ? ["--count"] : []),
    ...(mode === "content"
      ? ["--line-number", `--before-context=${query.before}`, `--after-context=${query.after}`]
      : []),
    ...(glob === undefined || isSingle ? [] : [`--glob=${glob}`]),
    ...(type === undefined || isSingle ? [] : [`--type=${type}`]),
    ...[".git", ".hg", ".svn", "node_modules"].map((name) => `--glob=!${name}`),
    "-e",
    pattern,
    "--",
    isSingle ? "-" : "./",
  ];
}

/** Runs ripgrep without a shell and without our environment. Rejects only when it is called off. */
export async function runRipgrep(run: RipgrepRun): Promise<GrepEnding> {
  const { program, query, cwd, file, timeoutMs, signal, take } = run;
  signal.throwIfAborted();
  const child = spawn(program, ripgrepArguments(query, file !== undefined), {
    cwd,
    env: systemEnvironment(),
    stdio: [file ?? "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  return new Promise((resolve, reject) => {
    let stopped: GrepEnding | undefined;
    let message = "";
    let found = false;
    const stop = (ending: GrepEnding): void => {
      stopped ??= ending;
      child.kill("SIGKILL");
    };
    const onAbort = (): void => stop({ kind: "done" });
    const timer = setTimeout(() => stop({ kind: "timed-out" }), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    const release = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const parse = createRipgrepParser(query.mode, (finding) => {
      found = true;
      return take(finding);
    });
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (stopped === undefined && !parse(chunk)) stop({ kind: "done" });
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      if (message.length < MAX_ERROR) message += chunk;
    });
    child.on("error", () => {
      release();
      resolve({ kind: "absent" });
    });
    child.on("close", (code) => {
      release();
      if (signal.aborted) reject(signal.reason as Error);
      // Files that could not be read are no reason to hide what was found in the others.
      else if (stopped !== undefined || found || code === 0 || code === 1)
        resolve(stopped ?? { kind: "done" });
      else resolve({ kind: "failed", message: message.slice(0, MAX_ERROR).replace(/^rg: /, "").trim() });
    });
  });
}

/** What a program needs to start, and nothing else: no key gets there. */
function systemEnvironment(): NodeJS.ProcessEnv {
  const root = process.env["SystemRoot"];
  return root === undefined ? {} : { SystemRoot: root };
}
