import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "vitest";
import { environmentOf, main, type Folders } from "./agent-command.js";
import {
  terminalOf,
  type ScreenTerminal,
  type TerminalKind,
  type TerminalOptions,
} from "./screen-terminal.js";

const whyNot = ((): string | undefined => {
  try {
    execFileSync("tmux", ["-V"]);
    return undefined;
  } catch {
    return "tmux is not installed";
  }
})();

/** A multiplexer that people use, asked over its own protocol: one server for all tests of a file. */
export const tmux: TerminalKind = { name: "tmux", whyNot, start: startInTmux };

const CONFIGURATION = `
set -g default-terminal tmux-256color
set -g default-shell /bin/sh
set -g history-limit 100000
set -g remain-on-exit on
set -g remain-on-exit-format ""
set -g status off
`;

interface Pane {
  readonly onOutput: (text: Buffer) => void;
}

interface Server {
  /** What a command answers, line by line; rejects with what is wrong with it. */
  readonly ask: (command: string) => Promise<readonly string[]>;
  /** What is written in a pane is told from here on; gives what ends that. */
  readonly listen: (pane: string, heard: Pane) => () => void;
  readonly folder: string;
  readonly close: () => Promise<void>;
}

async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-tmux-"));
  await writeFile(join(folder, "conf"), CONFIGURATION);
  const client = spawn(
    "tmux",
    ["-S", join(folder, "socket"), "-f", join(folder, "conf"), "-C", "new-session", "cat"],
    // Nothing else of this process reaches what runs in it.
    { env: { PATH: process.env["PATH"], TERM: "xterm-256color", LANG: "C.UTF-8" } },
  );
  const ended = new Promise<void>((resolve) => client.once("close", () => resolve()));
  const panes = new Map<string, Pane>();
  const asked: {
    readonly resolve: (lines: readonly string[]) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  let answer: { readonly end: string; readonly lines: string[] } | undefined;
  createInterface({ input: client.stdout }).on("line", (line) => {
    if (answer !== undefined) {
      if (!line.endsWith(answer.end) || !/^%(?:end|error) /.test(line)) return void answer.lines.push(line);
      const { lines } = answer;
      answer = undefined;
      if (line.startsWith("%end")) asked.shift()?.resolve(lines);
      else asked.shift()?.reject(new Error(`tmux: ${lines.join(" ")}`));
      return;
    }
    // Only commands of ours have the flag 1.
    const begun = /^%begin (\d+ \d+ 1)$/.exec(line)?.[1];
    if (begun !== undefined) answer = { end: ` ${begun}`, lines: [] };
    const [, pane = "", text = ""] = /^%output (%\d+) (.*)$/.exec(line) ?? [];
    panes.get(pane)?.onOutput(unescaped(text));
  });
  const ask: Server["ask"] = (command) =>
    new Promise((resolve, reject) => {
      asked.push({ resolve, reject });
      client.stdin.write(`${command}\n`);
    });
  return {
    ask,
    listen(pane, heard) {
      panes.set(pane, heard);
      return () => void panes.delete(pane);
    },
    folder,
    async close() {
      client.stdin.write("kill-server\n");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is not printable, and the backslash, come as octal figures. */
const unescaped = (text: string): Buffer =>
  Buffer.concat(
    text
      .split(/(\\\d{3})/)
      .map((part) =>
        /^\\\d{3}$/.test(part) ? Buffer.of(Number.parseInt(part.slice(1), 8)) : Buffer.from(part),
      ),
  );

let server: Promise<Server> | undefined;

/** The server ends with the file whose test was the first to need it. */
function sharedServer(): Promise<Server> {
  server ??= startServer();
  return server;
}

/** To be called by every file that uses it: the server does not outlive its tests. */
export function closeTmuxAfterwards(): void {
  afterAll(async () => {
    const running = server;
    server = undefined;
    await (await running)?.close();
  });
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Keys as commands: letters as they are, all else by figures. */
const keysOf = (pane: string, text: string): readonly string[] =>
  text
    .split(/([\u0000-\u001f'\u007f]+)/)
    .filter((part) => part !== "")
    .map((part) =>
      /^[\u0000-\u001f'\u007f]/.test(part)
        ? `send-keys -t ${pane} -H ${Array.from(Buffer.from(part), (byte) => byte.toString(16)).join(" ")}`
        : `send-keys -t ${pane} -l -- '${part}'`,
    );

async function startInTmux(at: Folders, options: TerminalOptions = {}): Promise<ScreenTerminal> {
  const { args = [], env = {}, columns = 100, rows = 30, program } = options;
  const { ask, listen, folder } = await sharedServer();
  const variables = Object.entries({ ...environmentOf(at), ...env }).flatMap(([name, value]) =>
    value === undefined ? [] : ["-e", quoted(`${name}=${value}`)],
  );
  const command = (program ?? [process.execPath, main, ...args]).map(quoted).join(" ");
  await ask(`refresh-client -C ${columns}x${rows}`);
  const format = "#{window_id} #{pane_id} #{pane_pid}";
  // One command of its shell, in quotes once more.
  const created = await ask(
    `new-window -P -F '${format}' ${variables.join(" ")} -c ${quoted(at.work)} ${quoted(`exec ${command}`)}`,
  );
  const [window = "", pane = "", pid = ""] = (created[0] ?? "").split(" ");
  let raw = "";
  let lastAt = Date.now();
  let isStale = true;
  let seen = { scrollback: [] as readonly string[], rows: [] as readonly string[], row: 0, column: 0 };
  let finish: (result: { readonly exitCode: number }) => void = () => {};
  const ended = new Promise<{ readonly exitCode: number }>((resolve) => (finish = resolve));
  const decoder = new TextDecoder();
  const stop = listen(pane, {
    onOutput(text) {
      raw += decoder.decode(text, { stream: true });
      lastAt = Date.now();
      isStale = true;
    },
  });
  /** Both are asked for at once: nothing comes between them. */
  const refresh = async (): Promise<void> => {
    isStale = false;
    const [facts, lines] = await Promise.all([
      ask(
        `display-message -p -t ${pane} '#{history_size} #{cursor_y} #{cursor_x} #{pane_dead} #{pane_dead_status}#{pane_dead_signal}'`,
      ),
      ask(`capture-pane -p -t ${pane} -S -`),
    ]);
    const words = (facts[0] ?? "").split(" ");
    const [history = 0, row = 0, column = 0, isDead = 0, status = 0] = words.map(Number);
    seen = { scrollback: lines.slice(0, history), rows: lines.slice(history), row, column };
    // A terminal that was closed is dead a moment before the program's end is known.
    if (isDead === 1 && words.slice(4).join("") !== "") finish({ exitCode: status });
  };
  // Nothing is told when a program ends.
  const watch = setInterval(async () => {
    const [isDead] = await ask(`display-message -p -t ${pane} '#{pane_dead}'`).catch(() => []);
    if (isDead !== "1") return;
    await refresh().catch(() => {});
    // tmux may miss that a child has ended; the end of another one makes it look.
    await ask("run-shell -b true").catch(() => []);
  }, 100);
  void ended.then(() => clearInterval(watch));
  const type = (text: string): void => {
    for (const keys of keysOf(pane, text)) void ask(keys).catch(() => {});
  };
  return terminalOf({
    raw: () => raw,
    type,
    paste(text) {
      const file = join(folder, `paste-${pane.slice(1)}`);
      // At once: what is typed next comes after it.
      writeFileSync(file, text);
      void ask(`load-buffer -b pasted '${file}'`).catch(() => {});
      void ask(`paste-buffer -p -d -b pasted -t ${pane}`).catch(() => {});
    },
    rows: () => seen.rows,
    scrollback: () => seen.scrollback,
    cursor: () => ({ row: seen.row, column: seen.column }),
    refreshed: async () => (isStale ? refresh() : undefined),
    lastAt: () => lastAt,
    resize(nextColumns, nextRows) {
      lastAt = Date.now();
      isStale = true;
      void ask(`refresh-client -C ${nextColumns}x${nextRows}`);
    },
    kill: (signal) => void process.kill(Number(pid), signal),
    ended,
    async end() {
      clearInterval(watch);
      stop();
      await ask(`kill-window -t ${window}`).catch(() => {});
    },
  });
}
