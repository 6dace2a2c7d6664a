import type { Terminal } from "../../terminal.js";
import type { KeySource } from "./terminal-mode.js";

/** What the screen is given of the world. */
export interface ScreenIo {
  readonly terminal: Terminal;
  readonly keys: KeySource;
  /** The terminal itself: its size, and what tells of a new one. */
  readonly stdout: NodeJS.WriteStream;
  /** Aborted by a signal of the system. */
  readonly signal: AbortSignal;
  /** Tells of every wish to interrupt that comes as a signal; gives what takes the listener away. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Shows the demo; gives its exit code. */
  readonly demo: () => Promise<number>;
}
