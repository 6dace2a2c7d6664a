import type { Cursor } from "../lines/live-lines.js";

/** What draws: into the scrollback, or onto a screen of its own. */
export interface Drawer {
  readonly draw: (committed: readonly string[], live: readonly string[], cursor: Cursor | undefined) => void;
  /** Somebody else has written on the terminal. */
  readonly forget: () => void;
  readonly leave: () => void;
  /** Keys that move what is seen; whether it was one of them. */
  readonly handleKey?: (data: string) => boolean;
}
