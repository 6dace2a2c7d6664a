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
  return {
    enter() {
      if (isEntered) return;
      isEntered = true;
      keys.setRawMode?.(true);
      sink.write(ENTER);
    },
    leave() {
      if (!isEntered) return;
      isEntered = false;
      try {
        sink.write(LEAVE);
        keys.setRawMode?.(false);
      } catch {
        // The terminal is gone: there is nothing to restore.
      }
    },
  };
}
