import { spawn, type IPty } from "@lydell/node-pty";
import { fileURLToPath } from "node:url";
import { createVirtualTerminal, type VirtualTerminal } from "../../soak/virtual-terminal.mjs";
import { environmentOf, type Folders } from "./agent-command.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** What is waited for has to come, not to come soon. */
const PATIENCE_MS = Number(process.env["PALIMPSEST_PATIENCE_MS"] ?? 300_000);

export const keys = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  controlC: "\u0003",
  controlD: "\u0004",
  controlO: "\u000f",
  controlR: "\u0012",
  controlZ: "\u001a",
  shiftTab: "\u001b[Z",
} as const;

export const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

/** The built command in a terminal of its own. */
export interface PtyTerminal {
  readonly terminal: VirtualTerminal;
  readonly pty: IPty;
  /** Everything that was written, as it came. */
  readonly raw: () => string;
  readonly type: (text: string) => void;
  /** Types, waits until it is seen, and sends it. */
  readonly say: (text: string) => Promise<void>;
  /** What is in the scrollback and on the screen. */
  readonly all: () => string;
  readonly screen: () => string;
  /** Resolves once the screen, or what has left it, holds the text. */
  readonly until: (text: string | RegExp) => Promise<void>;
  readonly untilScreen: (text: string | RegExp) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  /** Resolves once nothing was written for a while. */
  readonly settled: () => Promise<void>;
  /** The exit code, and the signal. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
  readonly end: () => Promise<void>;
}

export interface PtyOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
  /** In place of the command: a program and its arguments. */
  readonly program?: readonly [string, ...string[]];
}

export function startPty(at: Folders, options: PtyOptions = {}): PtyTerminal {
  const { args = [], env = {}, columns = 100, rows = 30, program } = options;
  const terminal = createVirtualTerminal({ columns, rows });
  const [file, ...given] = program ?? [process.execPath, main, ...args];
  const pty = spawn(file, given, {
    // It says what TERM is.
    name: env["TERM"] ?? "xterm-256color",
    cols: columns,
    rows,
    cwd: at.work,
    env: Object.fromEntries(
      Object.entries({ ...environmentOf(at), LANG: "C.UTF-8", ...env }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  });
  let raw = "";
  let lastAt = Date.now();
  let writing: Promise<void> = Promise.resolve();
  pty.onData((data) => {
    raw += data;
    lastAt = Date.now();
    writing = writing.then(() => terminal.write(data));
  });
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    pty.onExit(async ({ exitCode, signal }) => {
      await writing;
      resolve({ exitCode, signal });
    });
  });
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const screen = (): string => terminal.screen().join("\n").trimEnd();
  const all = (): string => [...terminal.scrollback(), ...terminal.screen()].join("\n").trimEnd();
  const waitFor = async (seen: () => string, text: RegExp): Promise<void> => {
    const until = Date.now() + PATIENCE_MS;
    while (!text.test(seen())) {
      if (Date.now() > until) throw new Error(`${text} did not come. There is:\n${seen()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const matching = (text: string | RegExp): RegExp =>
    typeof text === "string" ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)) : text;
  const type = (text: string): void => pty.write(text);
  return {
    terminal,
    pty,
    raw: () => raw,
    type,
    async say(text) {
      type(text);
      await waitFor(screen, matching(text.slice(-15)));
      type(keys.enter);
    },
    all,
    screen,
    until: (text) => waitFor(all, matching(text)),
    untilScreen: (text) => waitFor(screen, matching(text)),
    resize(nextColumns, nextRows) {
      terminal.resize(nextColumns, nextRows);
      pty.resize(nextColumns, nextRows);
    },
    async settled() {
      while (Date.now() - lastAt < 250) await new Promise((resolve) => setTimeout(resolve, 50));
      await writing;
    },
    ended,
    async end() {
      if (!hasEnded) {
        pty.kill("SIGKILL");
        await ended;
      }
      terminal.dispose();
    },
  };
}
