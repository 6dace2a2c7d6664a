import type { FileHandle } from "node:fs/promises";
import { createKeyFilter } from "../base/key-filter.js";
import { createPrivateFile } from "../../stores/private-file.js";
import { runShell, type ShellEnding } from "../shell/run-shell.js";
import { createShellGroups, type ShellGroups } from "../shell/shell-groups.js";

export interface BackgroundCommandsOptions {
  /** The session's own folder: outputs go into private files there. Made when it is needed. */
  readonly directory: string;
  /** What of one output is kept; the rest is read and dropped. Default 64 MiB. */
  readonly maxOutputBytes?: number;
  /** Between asking processes to end and killing them. Default 1,000. */
  readonly killGraceMs?: number;
}

export type BackgroundStatus =
  | { readonly kind: "running" }
  | { readonly kind: "exited"; readonly code: number }
  /** Ended by us, or by somebody else's signal. */
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "failed"; readonly message: string };

/** A command that goes on while the conversation does. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** The subagent that started it; left out for the main thread. */
  readonly agentId?: string;
  /** The whole output, as far as it was kept. */
  readonly outputPath: string;
  readonly status: () => BackgroundStatus;
  /** Whether somebody has been told how it ended. */
  readonly isRetrieved: () => boolean;
  /** Bytes that stand in the file. */
  readonly written: () => number;
  /** Bytes that are in no file: too many, or the disk failed. */
  readonly dropped: () => number;
  /** What came since this was last asked, both ends of it where it is more than `maxBytes`. */
  readonly takeNew: (
    maxBytes: number,
  ) => Promise<{ readonly head: string; readonly tail: string; readonly left: number }>;
  /** Resolves when it has ended and its output is in the file. */
  readonly ended: Promise<BackgroundStatus>;
}

interface BackgroundStart {
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What must not stand in the output. */
  readonly keys?: readonly string[];
  readonly agentId?: string;
}

/** The commands that a session runs in the background. */
export interface BackgroundCommands {
  /** Rejects when there can be no file for the output. */
  readonly start: (start: BackgroundStart) => Promise<BackgroundCommand>;
  readonly get: (id: string) => BackgroundCommand | undefined;
  /** In the order of their start. */
  readonly list: () => readonly BackgroundCommand[];
  /** Ends it with all that it started; resolves when that is done. False where there is none, or it has ended. */
  readonly kill: (id: string) => Promise<boolean>;
  /** Process groups of the session: those of commands in the foreground belong here too. */
  readonly groups: ShellGroups;
  /** Ends everything that is left of the session's commands. */
  readonly close: () => Promise<void>;
}

interface Entry {
  readonly shown: BackgroundCommand;
  readonly stop: AbortController;
}

export function createBackgroundCommands(options: BackgroundCommandsOptions): BackgroundCommands {
  const { directory, maxOutputBytes = 64 * 1024 * 1024, killGraceMs = 1000 } = options;
  const groups = createShellGroups();
  const entries = new Map<string, Entry>();
  let count = 0;

  const start = async ({
    shell,
    command,
    cwd,
    env,
    keys = [],
    agentId,
  }: BackgroundStart): Promise<BackgroundCommand> => {
    const id = `bash_${++count}`;
    const { path, file } = await createPrivateFile(directory, id);
    const stop = new AbortController();
    const output = createOutputFile(file, { path, maxBytes: maxOutputBytes });
    const filter = createKeyFilter(keys);
    let status: BackgroundStatus = { kind: "running" };
    let isRetrieved = false;
    const ended = runShell({
      shell,
      command,
      cwd,
      env,
      signal: stop.signal,
      killGraceMs,
      onOutput: (chunk) => output.add(filter.add(chunk)),
      groups,
    }).then(async (ending) => {
      await output.add(filter.end());
      await output.close();
      status = statusOf(ending);
      return status;
    });
    const shown: BackgroundCommand = {
      id,
      command,
      ...(agentId === undefined ? {} : { agentId }),
      outputPath: path,
      status: () => status,
      isRetrieved: () => isRetrieved,
      written: output.written,
      dropped: output.dropped,
      takeNew(maxBytes) {
        isRetrieved = status.kind !== "running";
        return output.takeNew(maxBytes);
      },
      ended,
    };
    entries.set(id, { shown, stop });
    return shown;
  };

  return {
    start,
    get: (id) => entries.get(id)?.shown,
    list: () => Array.from(entries.values(), ({ shown }) => shown),
    async kill(id) {
      const entry = entries.get(id);
      if (entry === undefined || entry.shown.status().kind !== "running") return false;
      entry.stop.abort();
      await entry.shown.ended;
      return true;
    },
    groups,
    async close() {
      const running = [...entries.values()].filter(({ shown }) => shown.status().kind === "running");
      for (const { stop } of running) stop.abort();
      await Promise.all(running.map(({ shown }) => shown.ended));
      await groups.endAll(killGraceMs);
    },
  };
}

function statusOf(ending: ShellEnding): BackgroundStatus {
  switch (ending.kind) {
    case "exited":
      return { kind: "exited", code: ending.code };
    case "killed":
      return { kind: "killed", signal: ending.signal };
    case "not-started":
      return { kind: "failed", message: ending.message };
    default:
      return { kind: "killed", signal: "SIGTERM" };
  }
}

/** The file that an output goes into, and how far it was looked at. */
interface OutputFile extends Pick<BackgroundCommand, "written" | "dropped" | "takeNew"> {
  readonly add: (chunk: Buffer) => void | Promise<void>;
  /** Resolves when all that was added stands in the file. */
  readonly close: () => Promise<void>;
}

function createOutputFile(
  file: FileHandle,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): OutputFile {
  let written = 0;
  let dropped = 0;
  let taken = 0;
  let writing: Promise<void> = Promise.resolve();

  const write = async (chunk: Buffer): Promise<void> => {
    const part = chunk.subarray(0, Math.max(0, maxBytes - written));
    try {
      if (part.length > 0) await file.writeFile(part);
      written += part.length;
      dropped += chunk.length - part.length;
    } catch {
      dropped += chunk.length;
    }
  };
  return {
    written: () => written,
    dropped: () => dropped,
    add(chunk: Buffer): void | Promise<void> {
      if (written >= maxBytes) {
        dropped += chunk.length;
        return;
      }
      writing = writing.then(() => write(chunk));
      return writing;
    },
    async close() {
      await writing;
      await file.close().catch(() => {});
    },
    async takeNew(maxBytes: number) {
      const from = taken;
      const to = written;
      taken = to;
      if (to - from <= maxBytes) return { head: await readRange(path, from, to), tail: "", left: 0 };
      const half = Math.floor(maxBytes / 2);
      const [head, tail] = await Promise.all([
        readRange(path, from, from + half),
        readRange(path, to - half, to),
      ]);
      return { head, tail, left: to - from - 2 * half };
    },
  };
}

/** Characters that the range cuts in two come out as replacement characters. */
async function readRange(path: string, from: number, to: number): Promise<string> {
  if (to <= from) return "";
  const { open } = await import("node:fs/promises");
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(to - from), 0, to - from, from);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
