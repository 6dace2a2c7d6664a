/**
 * What drawing costs: one answer of 1,500 pieces on our screen and on that of pi, whose components both use, one after the other in
 * this process; what is written for it; how soon a key is seen meanwhile; and how long a start takes until a person can type.
 * `PALIMPSEST_PI` names a folder with @earendil-works/pi-coding-agent and a Node that it takes, for its start.
 */
import { Container, Editor, Markdown, TuiMainScreen } from "@earendil-works/pi-tui";
import { spawn } from "@lydell/node-pty";
import { EventEmitter } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { glyphs } from "../packages/palimpsest/dist/cli/screen/lines/glyphs.js";
import { screenKeys } from "../packages/palimpsest/dist/cli/screen/input/key-names.js";
import { DrawnSurface } from "../packages/palimpsest/dist/cli/screen/surface/drawn-surface.js";
import { themeNamed } from "../packages/palimpsest/dist/cli/screen/theme.js";
import { ScreenWriter } from "../packages/palimpsest/dist/cli/screen/writer/screen-writer.js";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const PIECES = 1500;
const PAUSE_MS = 3;
const KEY_MS = 40;
const STARTS = 7;
/** The rule above the line to type on. */
const PROMPT = /─{40}/;
const size = { columns: 100, rows: 40 };

/** An answer such as models give: paragraphs, lists, code; so many pieces of a few words. */
function answer() {
  const paragraph =
    "The parser reads one line after the other and keeps what it has **not** understood in `rest`. ".repeat(
      3,
    );
  const list = Array.from(
    { length: 6 },
    (_, at) => `- step ${at}: look at \`src/parser.ts\` and mind the *edges*\n`,
  ).join("");
  const code = `\`\`\`ts\n${Array.from({ length: 20 }, (_, at) => `const value${at} = read(${at}) ?? fallback; // what it was before\n`).join("")}\`\`\`\n`;
  let text = "";
  for (let at = 0; text.length < PIECES * 18; at += 1)
    text += `## Part ${at}\n\n${paragraph}\n\n${list}\n${code}\n`;
  return Array.from({ length: PIECES }, (_, at) => text.slice(at * 18, (at + 1) * 18));
}

/** Says the pieces at their pace; gives CPU and what was late of the keys. */
async function timed(pieces, { say, press }) {
  const late = [];
  const before = process.cpuUsage();
  const begun = performance.now();
  let nextKey = KEY_MS;
  for (const piece of pieces) {
    say(piece);
    await setTimeout(PAUSE_MS);
    const now = performance.now() - begun;
    if (press !== undefined && now >= nextKey) {
      const started = performance.now();
      await press();
      late.push(performance.now() - started);
      nextKey = now + KEY_MS;
    }
  }
  await setTimeout(100);
  const { user, system } = process.cpuUsage(before);
  late.sort((a, b) => a - b);
  return { cpu: (user + system) / 1000, p99: late[Math.floor(late.length * 0.99)] };
}

function ours(onWrite) {
  const sink = { write: onWrite };
  const keys = Object.assign(new EventEmitter(), { resume() {}, pause() {} });
  const nothing = () => {};
  const surface = new DrawnSurface({
    sink,
    keys,
    size: () => size,
    onResize: () => nothing,
    drawer: new ScreenWriter({ sink, size: () => size, reflows: true }),
    theme: themeNamed("dark", { env: {}, hasColours: true }),
    glyphs,
    bindings: screenKeys,
    verbosity: "normal",
    hasMotion: true,
    bell: "none",
    handlers: {
      onSubmit: nothing,
      onInterrupt: () => false,
      onRewind: nothing,
      onMode: nothing,
      onLeave: nothing,
      takeQueued: nothing,
      onPaste: nothing,
      earlierPrompts: async () => [],
    },
    now: Date.now,
    suspend: nothing,
  });
  surface.dispatch({ kind: "turn-began", at: Date.now() });
  return { surface, keys, say: (text) => surface.dispatch({ kind: "agent", event: { kind: "text", text } }) };
}

const plain = (text) => text;
const theme = new Proxy(
  {},
  { get: (_theme, name) => (name === "highlightCode" || name === "codeBlockIndent" ? undefined : plain) },
);

function pis(onWrite) {
  const nothing = () => {};
  const terminal = {
    ...size,
    kittyProtocolActive: false,
    start: nothing,
    stop: nothing,
    drainInput: async () => {},
    write: onWrite,
    moveBy: (lines) => onWrite(`\u001b[${Math.abs(lines)}${lines < 0 ? "A" : "B"}`),
    hideCursor: () => onWrite("\u001b[?25l"),
    showCursor: () => onWrite("\u001b[?25h"),
    clearLine: () => onWrite("\u001b[K"),
    clearFromCursor: () => onWrite("\u001b[J"),
    clearScreen: () => onWrite("\u001b[2J\u001b[H"),
    setTitle: nothing,
    setProgress: nothing,
  };
  const tui = new TuiMainScreen(terminal);
  const messages = new Container();
  const message = new Markdown("", 1, 0, theme);
  messages.addChild(message);
  tui.addChild(messages);
  tui.addChild(new Editor(tui, { borderColor: plain, selectList: theme }));
  tui.start();
  let text = "";
  return {
    stop: () => tui.stop(),
    say(piece) {
      text += piece;
      message.setText(text);
      tui.requestRender();
    },
  };
}

/** Milliseconds from the start of a program until its screen shows that one can type. */
async function started({ file, args, env, ready }) {
  const home = await mkdtemp(join(tmpdir(), "palimpsest-start-"));
  const begun = performance.now();
  const pty = spawn(file, args, {
    name: "xterm-256color",
    cols: 100,
    rows: 30,
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ANTHROPIC_API_KEY: "any", ...env },
  });
  let raw = "";
  const took = await new Promise((resolve, reject) => {
    pty.onData((data) => {
      raw += data;
      if (ready.test(raw)) resolve(performance.now() - begun);
    });
    pty.onExit(() => reject(new Error(`it ended before it was ready: ${raw.slice(-300)}`)));
  });
  pty.kill("SIGKILL");
  await setTimeout(50);
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
  return took;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

export const screenBench = {
  name: "screen",
  async *run() {
    const pieces = answer();
    let bytes = 0;
    let seen;
    const screen = ours((text) => {
      bytes += Buffer.byteLength(text);
      seen?.();
    });
    const drawn = await timed(pieces, { say: screen.say });
    const written = bytes;
    const press = () =>
      new Promise((resolve) => {
        seen = () => {
          seen = undefined;
          resolve();
        };
        screen.keys.emit("data", "x");
      });
    const { p99 } = await timed(pieces, { say: screen.say, press });
    screen.surface.close();
    let others = 0;
    const other = pis((text) => {
      others += Buffer.byteLength(text);
    });
    const peer = await timed(pieces, { say: (piece) => other.say(piece) });
    other.stop();
    yield { name: "screen.answer.cpu", value: drawn.cpu, unit: "ms" };
    yield { name: "screen.answer.cpu.pi", value: peer.cpu, unit: "ms" };
    yield { name: "screen.answer.cpu-of-pi", value: drawn.cpu / peer.cpu, unit: "ratio" };
    yield { name: "screen.answer.written", value: written / 1000, unit: "KB" };
    yield { name: "screen.answer.written.pi", value: others / 1000, unit: "KB" };
    yield { name: "screen.typing.p99", value: p99, unit: "ms" };
    const own = { file: process.execPath, args: [command], ready: PROMPT };
    const folder = process.env.PALIMPSEST_PI;
    const pi =
      folder !== undefined && existsSync(join(folder, "node_modules/@earendil-works/pi-coding-agent"))
        ? {
            file: join(folder, "node_modules/.bin/node"),
            args: [join(folder, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")],
            env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
            ready: PROMPT,
          }
        : undefined;
    const times = { own: [], pi: [] };
    for (let at = 0; at < STARTS; at += 1) {
      times.own.push(await started(own));
      if (pi !== undefined) times.pi.push(await started(pi));
    }
    yield { name: "screen.start", value: median(times.own), unit: "ms" };
    if (pi === undefined) return;
    yield { name: "screen.start.pi", value: median(times.pi), unit: "ms" };
    yield { name: "screen.start-of-pi", value: median(times.own) / median(times.pi), unit: "ratio" };
  },
};
