import type { Folders } from "./agent-command.js";

/** What is waited for has to come, not to come soon. */
const PATIENCE_MS = Number(process.env["PALIMPSEST_PATIENCE_MS"] ?? 300_000);

export const keys = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  controlC: "\u0003",
  controlD: "\u0004",
  controlO: "\u000f",
  controlR: "\u0012",
  controlZ: "\u001a",
  shiftTab: "\u001b[Z",
} as const;

/** The built command in a terminal of its own. */
export interface ScreenTerminal {
  /** Everything that was written, as it came. */
  readonly raw: () => string;
  readonly type: (text: string) => void;
  /** As a person pastes it: in brackets, where the program has asked for them. */
  readonly paste: (text: string) => void;
  /** Types, waits until it is seen, and sends it. */
  readonly say: (text: string) => Promise<void>;
  /** What is seen, row by row, without blanks at the ends. */
  readonly rows: () => readonly string[];
  readonly screen: () => string;
  /** What is in the scrollback and on the screen. */
  readonly all: () => string;
  readonly cursor: () => { readonly row: number; readonly column: number };
  /** Resolves once the screen, or what has left it, holds the text. */
  readonly until: (text: string | RegExp) => Promise<void>;
  readonly untilScreen: (text: string | RegExp) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  /** Resolves once nothing was written for a while. */
  readonly settled: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** The exit code. */
  readonly ended: Promise<{ readonly exitCode: number }>;
  readonly end: () => Promise<void>;
}

export interface TerminalOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
  /** In place of the command: a program and its arguments. */
  readonly program?: readonly [string, ...string[]];
}

/** A kind of terminal in which sessions are run. */
export interface TerminalKind {
  readonly name: string;
  /** Why it cannot be had here; undefined where it can. */
  readonly whyNot: string | undefined;
  readonly start: (at: Folders, options?: TerminalOptions) => Promise<ScreenTerminal>;
}

/** What a terminal itself can do; the rest is the same for all of them. */
export interface TerminalParts extends Pick<
  ScreenTerminal,
  "raw" | "type" | "paste" | "resize" | "kill" | "ended" | "end"
> {
  readonly scrollback: () => readonly string[];
  readonly rows: () => readonly string[];
  readonly cursor: ScreenTerminal["cursor"];
  /** Resolves once what is read from it is what was written so far. */
  readonly refreshed: () => Promise<void>;
  /** When something was last written. */
  readonly lastAt: () => number;
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const matching = (text: string | RegExp): RegExp =>
  typeof text === "string" ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)) : text;

export function terminalOf({ scrollback, refreshed, lastAt, ...own }: TerminalParts): ScreenTerminal {
  const screen = (): string => own.rows().join("\n").trimEnd();
  const all = (): string => [...scrollback(), ...own.rows()].join("\n").trimEnd();
  const waitFor = async (seen: () => string, text: RegExp): Promise<void> => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      await refreshed();
      if (text.test(seen())) return;
      if (Date.now() > until) throw new Error(`${text} did not come. There is:\n${seen()}`);
      await pause(20);
    }
  };
  return {
    ...own,
    screen,
    all,
    async say(text) {
      own.type(text);
      await waitFor(screen, matching(text.slice(-15)));
      own.type(keys.enter);
    },
    until: (text) => waitFor(all, matching(text)),
    untilScreen: (text) => waitFor(screen, matching(text)),
    async settled() {
      while (Date.now() - lastAt() < 250) await pause(50);
      await refreshed();
    },
  };
}
