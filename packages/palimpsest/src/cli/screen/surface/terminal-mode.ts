import type { TextSink } from "../../terminal.js";

/** What the screen types into. */
export interface KeySource extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?: (isRaw: boolean) => unknown;
  ref?: () => unknown;
  unref?: () => unknown;
}

const ESC = "\u001b";
const ENTER = `${ESC}[?2004h`;
const LEAVE = `${ESC}[?2004l${ESC}[?25h${ESC}[0m`;

export interface TerminalMode {
  readonly enter: () => void;
  /** May be called any number of times, and never throws. */
  readonly leave: () => void;
}

/** Keys come one by one, and pastes as one piece; `leave` makes the terminal what it was. */
export function createTerminalMode(sink: TextSink, keys: KeySource): TerminalMode {
  let isEntered = false;
  const mode: TerminalMode = {
    enter() {
      if (isEntered) return;
      isEntered = true;
      // However the process ends, and before it says why.
      process.once("exit", mode.leave);
      process.once("uncaughtExceptionMonitor", mode.leave);
      keys.setRawMode?.(true);
      sink.write(ENTER);
    },
    leave() {
      if (!isEntered) return;
      isEntered = false;
      process.removeListener("exit", mode.leave);
      process.removeListener("uncaughtExceptionMonitor", mode.leave);
      try {
        sink.write(LEAVE);
        keys.setRawMode?.(false);
      } catch {
        // The terminal is gone: there is nothing to restore.
      }
    },
  };
  return mode;
}
