import { promptName } from "../base/shown-path.js";
import { createBoundedOutput } from "./bounded-output.js";
import { defaultShell } from "./default-shell.js";
import { findsOwnRepository, GIT_BRAKES } from "./git-brakes.js";
import { runShell } from "./run-shell.js";
import { inspectRepository } from "./safe-repository.js";
import type { ShellGroups } from "./shell-groups.js";

export interface GitStateOptions {
  readonly directory: string;
  /** What git inherits, without keys. */
  readonly env: NodeJS.ProcessEnv;
  readonly groups: ShellGroups;
  /** Files that are not named. Told absolute paths. */
  readonly isDenied?: (path: string) => boolean;
  /** Default 3,000. */
  readonly timeoutMs?: number;
}

const MOST_FILES = 30;
const MOST_CHARACTERS = 2000;
const MOST_BYTES = 256 * 1024;

/**
 * The branch and the changed files of a directory, for the system prompt; undefined where there is nothing to say. git
 * runs with its brakes on, and only where the repository's configuration names no program: whoever starts an agent in a
 * repository has allowed nothing yet. Never rejects.
 */
export async function gitState(options: GitStateOptions): Promise<string | undefined> {
  const { directory, env, groups, timeoutMs = 3000 } = options;
  if (!findsOwnRepository(env)) return undefined;
  const repository = inspectRepository(directory);
  if (repository.kind === "none") return "Git: this is not a repository.";
  if (repository.kind === "unsafe") {
    return "Git: not asked for its status, because this repository may name programs that git would run.";
  }
  const output = createBoundedOutput(MOST_BYTES);
  const ending = await runShell({
    shell: defaultShell(),
    command: `${GIT_BRAKES}git status --porcelain=v1 -z --branch 2>/dev/null`,
    cwd: directory,
    env,
    timeoutMs,
    killGraceMs: 500,
    onOutput: output.add,
    groups,
  });
  if (ending.kind === "timed-out") return "Git: its status took too long and is not shown.";
  if (ending.kind !== "exited" || ending.code !== 0) return undefined;
  const isHidden = (name: string): boolean => options.isDenied?.(`${repository.top}/${name}`) === true;
  return describeStatus(output.text(), isHidden);
}

const headLine = /^## (?:No commits yet on )?(.+?)(?:\.\.\.(\S+))?(?: \[([\w, ]+)\])?$/;

/** Undefined for what is not the answer of `git status --porcelain=v1 -z --branch`. */
export function describeStatus(
  text: string,
  isHidden: (name: string) => boolean = () => false,
): string | undefined {
  const [first = "", ...entries] = text.split("\0").filter((entry) => entry !== "");
  const [, branch, upstream, distance] = headLine.exec(first) ?? [];
  if (branch === undefined) return undefined;
  const lines: string[] = [];
  let count = 0;
  let characters = 0;
  for (let at = 0; at < entries.length; at += 1) {
    const [, state = "", name = ""] = /^(.{2}) ([^]+)$/.exec(entries[at] ?? "") ?? [];
    // After a file that was renamed or copied its old name stands alone.
    if (/[RC]/.test(state)) at += 1;
    if (name === "" || isHidden(name)) continue;
    count += 1;
    const line = `${state} ${promptName(name)}`;
    if (lines.length >= MOST_FILES || characters + line.length > MOST_CHARACTERS) continue;
    lines.push(line);
    characters += line.length + 1;
  }
  const from = upstream === undefined ? "" : `, which follows ${promptName(upstream)}`;
  const away = distance === undefined ? "" : ` (${distance})`;
  const more = count > lines.length ? [`… and ${count - lines.length} more`] : [];
  return [
    `Git: on ${promptName(branch)}${from}${away}. ${count === 0 ? "Nothing is changed." : "Changed files, as `git status --short` shows them:"}`,
    ...lines,
    ...more,
  ].join("\n");
}
