import { spawn, type IPty } from "@lydell/node-pty";
import { createVirtualTerminal, type VirtualTerminal } from "../../soak/virtual-terminal.mjs";
import { environmentOf, main, type Folders } from "./agent-command.js";
import {
  terminalOf,
  type ScreenTerminal,
  type TerminalKind,
  type TerminalOptions,
} from "./screen-terminal.js";

/** A terminal as programs know it, read from the letters that are written to it. */
interface PtyTerminal extends ScreenTerminal {
  readonly title: () => string;
}

export const xterm: TerminalKind = {
  name: "xterm",
  whyNot: undefined,
  start: async (at, options) => startPty(at, options),
};

export function startPty(at: Folders, options: TerminalOptions = {}): PtyTerminal {
  const { args = [], env = {}, columns = 100, rows = 30, program } = options;
  const terminal: VirtualTerminal = createVirtualTerminal({ columns, rows });
  const [file, ...given] = program ?? [process.execPath, main, ...args];
  const pty: IPty = spawn(file, given, {
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
  const ended = new Promise<{ exitCode: number }>((resolve) => {
    pty.onExit(async ({ exitCode }) => {
      await writing;
      resolve({ exitCode });
    });
  });
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const type = (text: string): void => pty.write(text);
  return {
    ...terminalOf({
      raw: () => raw,
      type,
      paste: (text) => type(`\u001b[200~${text}\u001b[201~`),
      rows: terminal.screen,
      scrollback: terminal.scrollback,
      cursor: terminal.cursor,
      refreshed: () => writing,
      lastAt: () => lastAt,
      resize(nextColumns, nextRows) {
        lastAt = Date.now();
        terminal.resize(nextColumns, nextRows);
        pty.resize(nextColumns, nextRows);
      },
      kill: (signal) => pty.kill(signal),
      ended,
      async end() {
        if (!hasEnded) {
          pty.kill("SIGKILL");
          await ended;
        }
        terminal.dispose();
      },
    }),
    title: terminal.title,
  };
}
