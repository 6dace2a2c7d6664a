import { EventEmitter } from "node:events";
import { glyphs } from "../packages/palimpsest/dist/cli/screen/lines/glyphs.js";
import { screenKeys } from "../packages/palimpsest/dist/cli/screen/input/key-names.js";
import { DrawnSurface } from "../packages/palimpsest/dist/cli/screen/surface/drawn-surface.js";
import { harmlessLine, shownText } from "../packages/palimpsest/dist/cli/screen/text/shown-text.js";
import { cutLine } from "../packages/palimpsest/dist/cli/screen/text/width.js";
import { themeNamed } from "../packages/palimpsest/dist/cli/screen/theme.js";
import { ScreenWriter } from "../packages/palimpsest/dist/cli/screen/writer/screen-writer.js";
import { createVirtualTerminal } from "./virtual-terminal.mjs";

const SEQUENCES = 100;
const MOST_EVENTS = 40;
const STYLES = /\u001b\[[\d;]*m/g;
const MINUTE = 60_000;

/** Texts of every kind that a model, a tool or a person may say. */
const WORDS = [
  "plain words",
  "日本語のテキスト",
  "emoji 👩‍👩‍👧‍👦 and 🇩🇪",
  "e\u0301e\u0301",
  "ﷺ wide",
  "한국어",
  "\u001b]52;c;x\u0007",
  "\u001b[2J",
  "\u009b3J",
  "\ud83d",
  `z${"\u0300".repeat(60)}`,
  "\u202eright to left",
  "a\tb",
  "long".repeat(60),
  "- item",
  "1. first",
  "# heading",
  "```js",
  "```",
  "| a | b |",
  "|---|---|",
  "> quoted",
  "**bold",
  "**",
  "`code`",
  "$x^2$",
  "&#27;[31m",
  "***",
  "   indented",
  "\r",
  "~~~",
  "[link](http://x.test)",
];
const ENDS = ["\n", "\n\n", " ", " ", " ", ""];
const KEYS = [
  "a",
  "日",
  "👍",
  "\r",
  "\u001b[A",
  "\u001b[B",
  "\u001b[D",
  "\u007f",
  "\u0001",
  "\u000b",
  "\u0019",
  "\n",
  "/",
  "@",
  "\t",
  "\u000f",
  "\u0012",
  "q",
  "1",
  "2",
  " ",
  "\u001b",
  "\u001b[200~one\ntwo\u001b[201~",
];

const messageOf = (type, content) => ({
  type,
  uuid: "u",
  parentUuid: null,
  sessionId: "s",
  timestamp: "2026-11-16T00:00:00.000Z",
  isSidechain: false,
  message: type === "assistant" ? { id: "m", role: type, model: "m", content } : { role: type, content },
});

const agent = (event) => ({ kind: "agent", event });

/** A screen with a terminal of its own, and a judge that knows what it has committed. */
class Stage {
  #written = "";
  #all = "";
  #committed = [];
  #rests = [];
  #mayHaveRests = false;
  #live = [];
  #cursor;
  #clock = 1_000_000;
  #calls = [];
  #count = 0;
  #questions = [];

  constructor(random) {
    this.random = random;
    this.terminal = createVirtualTerminal({ columns: 20 + random.below(100), rows: 6 + random.below(40) });
    const sink = {
      write: (text) => {
        this.#written += text;
        this.#all += text;
      },
    };
    const size = () => ({ columns: this.terminal.columns(), rows: this.terminal.rows() });
    const writer = new ScreenWriter({ sink, size, reflows: true });
    const drawer = {
      draw: (committed, live, cursor) => {
        const fit = (line) => cutLine(harmlessLine(line), size().columns).replaceAll(STYLES, "").trimEnd();
        this.#committed.push(...committed.map(fit));
        if (live.length > Math.max(1, size().rows - 1))
          throw new Error("the live area is taller than the screen less one line");
        this.#live = live.map(fit);
        this.#cursor = cursor;
        writer.draw(committed, live, cursor);
      },
      forget: () => writer.forget(),
      leave: () => writer.leave(),
    };
    this.keys = new EventEmitter();
    this.keys.resume = () => {};
    this.keys.pause = () => {};
    const nothing = () => {};
    this.resized = nothing;
    this.surface = new DrawnSurface({
      sink,
      keys: this.keys,
      size,
      onResize: (listener) => {
        this.resized = listener;
        return nothing;
      },
      drawer,
      theme: themeNamed("dark", { env: {}, hasColours: random.below(4) > 0 }),
      glyphs,
      bindings: screenKeys,
      verbosity: random.pick(["quiet", "normal", "verbose"]),
      hasMotion: random.below(2) === 0,
      bell: "none",
      handlers: {
        onSubmit: (text) => this.surface.dispatch({ kind: "said", text }),
        onInterrupt: () => false,
        onRewind: nothing,
        onMode: nothing,
        onLeave: nothing,
        takeQueued: () => undefined,
        onPaste: () => undefined,
        earlierPrompts: async () => [],
      },
      now: () => this.#clock,
      suspend: nothing,
    });
  }

  text() {
    const { random } = this;
    return Array.from({ length: 1 + random.below(6) }, () => random.pick(WORDS) + random.pick(ENDS)).join("");
  }

  /** Something happens. */
  async step() {
    const { random, surface } = this;
    this.#clock += random.below(3000);
    const kind = random.below(18);
    if (kind < 5) surface.dispatch(agent({ kind: "text", text: this.text() }));
    else if (kind === 5) surface.dispatch(agent({ kind: "thinking", text: this.text() }));
    else if (kind === 6) {
      const id = `call ${(this.#count += 1)}`;
      this.#calls.push(id);
      surface.dispatch(
        agent({
          kind: "tool-start",
          id,
          name: random.pick(["Bash", "Edit", "Write"]),
          input: {
            command: this.text(),
            old_string: this.text(),
            new_string: this.text(),
            content: this.text(),
          },
        }),
      );
    } else if (kind === 7 && this.#calls.length > 0) {
      const [id] = this.#calls.splice(random.below(this.#calls.length), 1);
      if (random.below(3) > 0)
        surface.dispatch(
          agent({
            kind: "tool-end",
            id,
            name: "Bash",
            isError: random.below(2) === 0,
            isDenied: random.below(4) === 0,
            milliseconds: random.below(5000),
          }),
        );
      const content = [
        {
          type: "tool_result",
          tool_use_id: id,
          content: Array.from({ length: random.below(30) }, () => this.text()).join("\n"),
        },
      ];
      surface.dispatch(agent({ kind: "message", message: messageOf("user", content) }));
    } else if (kind === 8)
      surface.dispatch(
        agent({ kind: "message", message: messageOf("assistant", [{ type: "text", text: this.text() }]) }),
      );
    else if (kind === 9)
      surface.dispatch(
        random.pick([
          { kind: "turn-began", at: this.#clock },
          { kind: "turn-ended", text: random.pick(["", this.text()]), tone: "bad" },
        ]),
      );
    else if (kind === 10) {
      const progress = {
        phase: "summarising",
        text: "Compacting conversation",
        milliseconds: 10,
        contextTokens: 90_000,
        summaryTokens: random.below(2000),
        isSignOfLife: false,
      };
      surface.dispatch({ kind: "compaction", progress: random.pick([progress, undefined]), at: this.#clock });
    } else if (kind === 11)
      surface.dispatch(
        random.pick([
          { kind: "queued", text: this.text() },
          { kind: "unqueued", all: random.below(2) === 0 },
          { kind: "output", text: this.text() },
          { kind: "notice", text: this.text(), tone: "warn" },
        ]),
      );
    else if (kind === 12) surface.dispatch({ kind: "status", status: this.#status() });
    else if (kind === 13) this.#resize();
    else if (kind === 14 && this.#questions.length < 2) {
      const off = new AbortController();
      this.#questions.push(off);
      const about = this.text();
      void surface.ask(
        {
          about: () => shownText(about).split("\n"),
          choices: [
            { value: "a", label: this.text() },
            { value: "b", label: "no", words: "why?" },
          ],
          isMultiple: random.below(4) === 0,
        },
        off.signal,
      );
    } else if (kind === 15 && this.#questions.length > 0) this.#questions.pop().abort();
    else
      this.keys.emit("data", Array.from({ length: 1 + random.below(8) }, () => random.pick(KEYS)).join(""));
    surface.draw();
    await this.check();
  }

  #status() {
    const { random } = this;
    return {
      model: "claude-sonnet-5",
      mode: random.pick(["default", "plan"]),
      tokens: random.below(200_000),
      limit: 167_000,
      percentLeft: random.below(100),
      pressure: random.pick(["none", "warn", "error"]),
      warmUntil: this.#clock + MINUTE * 300,
      isWarm: true,
      next: { warm: 0.02, cold: 0.3 },
      compacting: { dollars: 0.1, dropped: 90_000 },
      spent: random.next(),
    };
  }

  #resize() {
    const columns = 12 + this.random.below(110);
    const rows = 5 + this.random.below(45);
    const isSmaller = columns < this.terminal.columns() || rows < this.terminal.rows();
    if (isSmaller) {
      this.#mayHaveRests = true;
      this.#rests.push(...this.#live);
    }
    this.terminal.resize(columns, rows);
    this.resized();
  }

  async check() {
    // Keys that may be the beginning of others are heard a little later.
    while (this.#written !== "") {
      const text = this.#written;
      this.#written = "";
      if (/\u001b\[[23]J/.test(text)) throw new Error("the screen or the scrollback was cleared");
      await this.terminal.write(text);
    }
    this.#checkLines();
    this.#checkCursor();
    // A minute in which nothing happens: nothing is written but the seconds of work that is under way.
    const { activity, compaction } = this.surface.state();
    if (activity === undefined && compaction === undefined) {
      this.#clock += MINUTE;
      this.surface.draw();
      if (this.#written !== "")
        throw new Error(`something was written while nothing happened: ${JSON.stringify(this.#written)}`);
    }
  }

  /** What was committed is there, in order and once; after the terminal got smaller, rests of the live area may be among it. */
  #checkLines() {
    const seen = this.terminal.logicalLines();
    while (seen.at(-1) === "") seen.pop();
    const live = [...this.#live];
    while (live.at(-1) === "") live.pop();
    const above = seen.slice(0, seen.length - live.length);
    const below = seen.slice(seen.length - live.length);
    const show = (lines) => JSON.stringify(lines.slice(-12), undefined, 1);
    if (below.join("\n") !== live.join("\n"))
      throw new Error(`the live area is not what it should be: ${show(below)} instead of ${show(live)}`);
    let at = 0;
    for (const line of above) {
      if (at < this.#committed.length && line === this.#committed[at]) {
        at += 1;
        continue;
      }
      const isRest = this.#mayHaveRests && this.#isOfRests(line);
      if (!isRest)
        throw new Error(
          `${JSON.stringify(line)} is above the live area and was not committed there; next is ${JSON.stringify(this.#committed[at])}; ${show(above)}`,
        );
    }
    const missing = this.#committed.slice(at);
    if (missing.some((line) => line !== ""))
      throw new Error(`what was committed is not there: ${show(missing)} after ${show(above)}`);
  }

  /** A terminal that wraps anew may put what was in two rows of the live area into one. */
  #isOfRests(line) {
    return line.split(/\s+/).every((word) => word === "" || this.#rests.some((rest) => rest.includes(word)));
  }

  #checkCursor() {
    if (this.#cursor === undefined) return;
    const { row, column } = this.terminal.cursor();
    const wanted = Math.min(this.#cursor.column, this.terminal.columns() - 1);
    const line = this.terminal.screen()[row]?.trimEnd();
    if (column !== wanted || line !== this.#live[this.#cursor.row]) {
      throw new Error(
        `the cursor stands at column ${column} of ${JSON.stringify(line)}, not at ${wanted} of ${JSON.stringify(this.#live[this.#cursor.row])}`,
      );
    }
  }

  async close() {
    for (const off of this.#questions) off.abort();
    this.surface.close();
    const rest = this.#written;
    await this.terminal.write(rest);
    if (!this.#all.endsWith("\u001b[?2004l\u001b[?25h\u001b[0m"))
      throw new Error("the terminal was not given back as it was");
    this.terminal.dispose();
  }
}

export const screenRun = {
  name: "screen",
  about:
    "whatever happens on the screen: what is committed is in the scrollback once and in order, the rest stays within the screen",
  passes: 100,
  async pass({ random, step, isOver }) {
    for (let sequence = 0; sequence < SEQUENCES; sequence += 1) {
      const stage = new Stage(random);
      const events = 1 + random.below(MOST_EVENTS);
      for (let event = 0; event < events; event += 1) await stage.step();
      await stage.close();
      await step({ sequences: 1, events });
      if (isOver()) return;
    }
  },
};
