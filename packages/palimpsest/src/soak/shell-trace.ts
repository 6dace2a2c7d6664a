/** What strace saw of one command. */
export interface TracedCommand {
  /** Real paths of what was opened for reading. */
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** Names of programs, the shell of the command itself left out. */
  readonly programs: readonly string[];
}

const opened = /^\d+\s+(?:openat|open|creat)\(.*?(O_[A-Z_|]+|creat).* = \d+<(.*)>(?: \(deleted\))?$/;
const started = /^\d+\s+execve\("((?:[^"\\]|\\.)*)", \["((?:[^"\\]|\\.)*)"/;
const resumed = /^\d+\s+<\.\.\. (?:openat|open|creat) resumed>.* = \d+<(.*)>$/;

/**
 * What each of some commands did that ran one after another: `command-7` as a program's own name begins
 * the seventh, and the shell that follows is its own.
 */
export function traceOf(text: string, count: number): readonly TracedCommand[] {
  const all = Array.from({ length: count }, () => ({
    read: [] as string[],
    written: [] as string[],
    programs: [] as string[],
  }));
  let current: (typeof all)[number] | undefined;
  let isStarting = false;
  for (const line of text.split("\n")) {
    const start = started.exec(line);
    if (start !== null) {
      const [, path = "", name = ""] = start;
      const own = /^command-(\d+)$/.exec(name);
      if (own !== null) {
        current = all[Number(own[1])];
        isStarting = true;
      } else if (isStarting && path === "/bin/bash") isStarting = false;
      else if (line.endsWith(" = 0") || line.endsWith("<unfinished ...>")) {
        current?.programs.push(path.split("/").at(-1) ?? path);
      }
      continue;
    }
    const open = opened.exec(line);
    if (open !== null) {
      const [, flags = "", path = ""] = open;
      const isWritten = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|creat/.test(flags);
      (isWritten ? current?.written : current?.read)?.push(path);
      continue;
    }
    const late = resumed.exec(line)?.[1];
    if (late !== undefined) current?.read.push(late);
  }
  return all;
}
