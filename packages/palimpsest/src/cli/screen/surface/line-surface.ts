import { createInterface, type Interface } from "node:readline";
import { printableText, type TextSink } from "../../terminal.js";
import { blockLines } from "../lines/block-lines.js";
import { itemLines } from "../lines/item-lines.js";
import type { Glyphs } from "../lines/glyphs.js";
import type { Look } from "../lines/look.js";
import { statusLine } from "../lines/status-line.js";
import { reduce } from "../state/reduce.js";
import type { ScreenEvent } from "../state/screen-event.js";
import { createState, type ScreenState, type Verbosity } from "../state/state.js";
import { harmlessLine } from "../text/shown-text.js";
import { cutLine } from "../text/width.js";
import type { Theme } from "../theme.js";
import type { Chosen } from "../views/choice-view.js";
import type { Question, Surface, SurfaceHandlers } from "./surface.js";
import type { KeySource } from "./terminal-mode.js";

export interface LineSurfaceOptions {
  readonly sink: TextSink;
  readonly keys: KeySource;
  readonly width: () => number;
  readonly theme: Theme;
  readonly glyphs: Glyphs;
  readonly verbosity: Verbosity;
  readonly bell: "bell" | "notify" | "none";
  readonly finish: (line: string) => string;
  readonly handlers: SurfaceHandlers;
}

/**
 * A terminal that only gets lines: nothing is drawn twice, nothing moves, and what is typed are lines. For screen readers, and
 * for terminals that understand nothing else.
 */
export class LineSurface implements Surface {
  readonly #options: LineSurfaceOptions;
  readonly #lines: Interface;
  #state: ScreenState;
  #waiting: ((line: string | undefined) => void) | undefined;
  readonly #typed = new Set<string>();
  #isClosed = false;
  #isAtWork = false;

  constructor(options: LineSurfaceOptions) {
    this.#options = options;
    this.#state = createState(options.verbosity);
    options.keys.on("error", () => options.handlers.onLeave());
    this.#lines = createInterface({ input: options.keys, terminal: false });
    this.#lines.on("line", (line) => this.#hear(line));
    this.#lines.on("close", () => {
      this.#waiting?.(undefined);
      if (!this.#isClosed) options.handlers.onLeave();
    });
    this.#showPrompt();
  }

  readonly state = (): ScreenState => this.#state;

  #look(): Look {
    const { theme, glyphs, width } = this.#options;
    return { width: Math.max(20, width()), theme, glyphs };
  }

  #write(lines: readonly string[]): void {
    const { sink, finish } = this.#options;
    if (lines.length > 0 && !this.#isClosed)
      sink.write(`${lines.map((line) => harmlessLine(finish(line))).join("\n")}\n`);
  }

  #showPrompt(): void {
    if (this.#waiting !== undefined || this.#isClosed) return;
    const { status } = this.#state;
    const look = this.#look();
    if (status !== undefined) this.#write([statusLine(status, look)]);
    this.#options.sink.write(`${look.glyphs.prompt} `.replaceAll(/[^ -~]/g, ">"));
  }

  #hear(line: string): void {
    const { handlers } = this.#options;
    if (this.#waiting !== undefined) {
      this.#waiting(line);
      return;
    }
    if (line.trim() === "") this.#showPrompt();
    else {
      this.#typed.add(line);
      handlers.onSubmit(line);
    }
  }

  readonly dispatch = (event: ScreenEvent): void => {
    this.#state = reduce(this.#state, event);
    const look = this.#look();
    const { pending } = this.#state;
    // What was typed stands on the terminal already.
    const isTyped = event.kind === "said" && this.#typed.delete(event.text);
    const shown = pending.filter(({ kind }) => kind !== "prompt" || !isTyped);
    this.#write(shown.flatMap((item) => itemLines(item, look)));
    if (pending.length > 0) this.#state = reduce(this.#state, { kind: "flushed", items: pending.length });
    const isAtWork = this.#state.activity !== undefined;
    if (isAtWork && !this.#isAtWork) this.#write(["(working; ctrl-c interrupts)"]);
    const begun =
      event.kind === "agent" && event.event.kind === "tool-start" ? this.#state.calls.at(-1) : undefined;
    if (begun !== undefined) this.#write([cutLine(`(${begun.name} ${begun.about} …)`, look.width)]);
    const hasEnded = !isAtWork && this.#isAtWork;
    this.#isAtWork = isAtWork;
    if (hasEnded || ((event.kind === "output" || event.kind === "notice") && !isAtWork)) this.#showPrompt();
  };

  #readLine(signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const finish = (line: string | undefined): void => {
        this.#waiting = undefined;
        signal?.removeEventListener("abort", onAbort);
        resolve(line);
      };
      const onAbort = (): void => finish(undefined);
      if (signal?.aborted === true || this.#isClosed) return resolve(undefined);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting = finish;
    });
  }

  readonly ask = async (
    { about, choices, isMultiple = false }: Question,
    signal?: AbortSignal,
  ): Promise<Chosen | undefined> => {
    this.#write(["", ...about(this.#look())]);
    this.#write(
      choices.map(
        ({ label, description = "" }, index) =>
          `${index + 1}. ${label}${description === "" ? "" : ` (${description})`}`,
      ),
    );
    const how = isMultiple ? "numbers with blanks between them" : "a number";
    for (;;) {
      this.#options.sink.write(`Answer with ${how}, or an empty line to call it off: `);
      const line = await this.#readLine(signal);
      if (line === undefined || line.trim() === "") return undefined;
      const chosen = line
        .trim()
        .split(/[\s,]+/)
        .map((word) => choices[Number(word) - 1]);
      const known = chosen.flatMap((choice) => (choice === undefined ? [] : [choice]));
      const [first] = known;
      if (first === undefined || known.length < chosen.length || (!isMultiple && known.length > 1)) continue;
      if (first.words === undefined) return { values: known.map(({ value }) => value) };
      this.#options.sink.write(`${first.words}: `);
      const words = await this.#readLine(signal);
      return words === undefined ? undefined : { values: [first.value], words };
    }
  };

  readonly pick: Surface["pick"] = async ({ title, items }) => {
    const listed = items.slice(0, 50);
    this.#write([
      "",
      printableText(title),
      ...listed.map(
        ({ label }, index) => `${index + 1}. ${printableText(label).replaceAll("\n", " ").slice(0, 200)}`,
      ),
    ]);
    this.#options.sink.write("Which number? An empty line calls it off: ");
    const line = await this.#readLine();
    return listed[Number(line?.trim() || Number.NaN) - 1]?.value;
  };

  readonly edit = async (title: string, text: string): Promise<string | undefined> => {
    this.#write(["", title, ...blockLines({ kind: "raw", source: text }, this.#look())]);
    this.#options.sink.write("1 takes it as it is, 2 calls it off; anything else is taken in its place: ");
    const line = (await this.#readLine())?.trim();
    if (line === undefined || line === "2" || line === "") return undefined;
    return line === "1" ? text : line;
  };

  readonly showDetails = (): void => {
    const detail = this.#state.details.at(-1);
    this.#write(
      detail === undefined
        ? ["There is nothing to open yet."]
        : ["", detail.title, ...detail.text.split("\n")],
    );
    this.#showPrompt();
  };

  readonly setText = (text: string): void => this.#write([`Taken back: ${printableText(text)}`]);

  readonly remember = (): void => {};

  readonly ring = (): void => {
    if (this.#options.bell !== "none") this.#options.sink.write("\u0007");
  };

  readonly cancel = (): void => this.#waiting?.(undefined);

  readonly close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lines.close();
    this.#options.keys.pause();
  };
}
