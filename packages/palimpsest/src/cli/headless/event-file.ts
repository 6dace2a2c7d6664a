import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { ToldEngineEvent } from "../../agent/session/session-events.js";
import { printableJson } from "../terminal.js";
import { UsageError } from "./start-error.js";

/** Where everything goes that the engine tells: a line of JSON for each event. */
export interface EventFile {
  readonly write: (told: ToldEngineEvent) => void;
  readonly close: () => void;
}

/**
 * Opens the file, or makes it for its owner alone; what is there stays. Throws `UsageError`. A line that cannot be written is
 * told once, and nothing is written after it.
 */
export function openEventFile(
  name: string,
  { now, complain }: { readonly now: () => number; readonly complain: (text: string) => void },
): EventFile {
  const path = resolve(name);
  let file: number | undefined;
  try {
    // Without waiting: a pipe that nobody reads would hold the program up for ever.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;
    file = openSync(path, flags, 0o600);
    if (!fstatSync(file).isFile()) throw new Error("it is not a file");
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw new UsageError(`--events ${name}: events cannot be written there: ${reasonOf(error)}`);
  }
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    write({ name: event, event: data, sessionId, agentId }) {
      if (file === undefined) return;
      const who = agentId === undefined ? {} : { agent_id: agentId };
      try {
        writeSync(file, `${printableJson({ at: now(), event, session_id: sessionId, ...who, data })}\n`);
      } catch (error) {
        complain(`no more events are written to ${name}: ${reasonOf(error)}`);
        close();
      }
    },
    close,
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is not a folder",
  EISDIR: "it is a folder",
  EACCES: "that is not permitted",
  EPERM: "that is not permitted",
  EROFS: "that is not permitted",
  ENXIO: "it is not a file",
  ENOSPC: "the disk is full",
};

function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}
