import { parseOsc11BackgroundColor, StdinBuffer } from "@earendil-works/pi-tui";
import { isPressed } from "../input/key-names.js";
import { itemLines } from "../lines/item-lines.js";
import { liveArea } from "../lines/live-lines.js";
import type { Look } from "../lines/look.js";
import { reduce } from "../state/reduce.js";
import type { ScreenEvent } from "../state/screen-event.js";
import { createState, type ScreenState } from "../state/state.js";
import { shownLine } from "../text/shown-text.js";
import { themeOn, type Theme } from "../theme.js";
import { ChoiceView, type Chosen } from "../views/choice-view.js";
import { createEditView } from "../views/edit-view.js";
import { createHistoryView } from "../views/history-view.js";
import { PickView } from "../views/pick-view.js";
import { PromptView } from "../views/prompt-view.js";
import { TextView } from "../views/text-view.js";
import type { View } from "../views/view.js";
import type { Question, Surface } from "./surface.js";
import type { DrawnSurfaceOptions } from "./drawn-surface-options.js";
import { createTerminalMode, type TerminalMode } from "./terminal-mode.js";
import { WatchedTime } from "./watched-time.js";

/** Pieces of an answer come often; so often it is drawn. */
const FRAME_MS = 33;
const SECOND_ESCAPE_MS = 700;
const SECOND_LEAVE_MS = 2000;
const ESC = "\u001b";
const BELL = "\u0007";
const CTRL_C = "\u0003";
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;

/** A terminal that is drawn on. */
export class DrawnSurface implements Surface {
  readonly #options: DrawnSurfaceOptions;
  readonly #mode: TerminalMode;
  readonly #input = new StdinBuffer({ escapeTimeout: 30 });
  readonly #prompt: PromptView;
  #views: readonly View[] = [];
  #state: ScreenState;
  #theme: Theme;
  #frame: NodeJS.Timeout | undefined;
  readonly #time: WatchedTime;
  #isClosed = false;
  #isStopped = false;
  #isReading = false;
  /** Questions that are put before the person. */
  #asking = 0;
  #escapedAt = Number.NEGATIVE_INFINITY;
  #leftAt = Number.NEGATIVE_INFINITY;
  #history: readonly string[] = [];
  /** Keys that came while a paste is looked at. */
  #held: string[] | undefined;
  readonly #stopListening: () => void;
  /** Calls off the views that are shown, the newest last. */
  readonly #cancels = new Set<() => void>();
  readonly #onGone = (): void => this.#options.handlers.onLeave();
  /** Keys that came together are drawn once. */
  readonly #onData = (data: Buffer | string): void => {
    this.#isReading = true;
    this.#input.process(data);
    this.#isReading = false;
    this.draw();
  };

  constructor(options: DrawnSurfaceOptions) {
    this.#options = options;
    this.#state = createState(options.verbosity);
    this.#theme = options.theme;
    this.#time = new WatchedTime({
      now: options.now,
      hasMotion: options.hasMotion,
      onSecond: () => this.#drawSoon(),
      onCold: (status) => this.dispatch({ kind: "status", status: { ...status, isWarm: false } }),
    });
    this.#mode = createTerminalMode(options.sink, options.keys);
    this.#prompt = new PromptView({
      theme: () => this.#theme,
      rows: () => options.size().rows,
      onChange: () => this.#drawSoon(),
      onSubmit: (text) => this.#submit(text),
      ...(options.completions === undefined ? {} : { completions: options.completions }),
    });
    this.#mode.enter();
    if (options.asksBackground === true) options.sink.write(`${ESC}]11;?${BELL}`);
    this.#input.on("data", (data: string) => this.#handle(data));
    this.#input.on("paste", (text: string) => this.#handle(`${PASTE_BEGIN}${text}${PASTE_END}`));
    options.keys.on("data", this.#onData);
    // The terminal has gone away.
    options.keys.on("error", this.#onGone);
    options.keys.on("end", this.#onGone);
    options.keys.resume();
    this.#stopListening = options.onResize(() => this.draw());
    this.draw();
  }

  readonly state = (): ScreenState => this.#state;

  readonly dispatch = (event: ScreenEvent): void => {
    this.#state = reduce(this.#state, event);
    this.#time.see(this.#state);
    this.#drawSoon();
  };

  get #view(): View {
    return this.#views.at(-1) ?? this.#prompt;
  }

  #look(): Look {
    const { glyphs, size } = this.#options;
    return { width: Math.max(8, size().columns), theme: this.#theme, glyphs };
  }

  #drawSoon(): void {
    if (this.#frame !== undefined || this.#isClosed) return;
    this.#frame = setTimeout(() => {
      this.#frame = undefined;
      this.draw();
    }, FRAME_MS);
  }

  /** At once, whatever was to be drawn soon. */
  draw(): void {
    if (this.#isClosed || this.#isStopped || this.#isReading) return;
    clearTimeout(this.#frame);
    this.#frame = undefined;
    const { rows } = this.#options.size();
    const look = this.#look();
    const committed: string[] = [];
    const settle = (): void => {
      const { pending } = this.#state;
      for (const item of pending) committed.push(...itemLines(item, look));
      if (pending.length > 0) this.#state = reduce(this.#state, { kind: "flushed", items: pending.length });
    };
    settle();
    for (;;) {
      const view = this.#view.render(look, Math.max(4, rows - 2));
      // Who waits for a person does not work.
      const shown = this.#asking > 0 ? { ...this.#state, activity: undefined } : this.#state;
      const area = liveArea(shown, view, {
        ...look,
        rows,
        now: this.#options.now(),
        hasMotion: this.#options.hasMotion,
      });
      if (area.spill === undefined) {
        this.#options.drawer.draw(committed, area.lines, area.cursor);
        return;
      }
      committed.push(...area.spill.lines);
      this.#state = reduce(this.#state, { kind: "spilled", characters: area.spill.characters });
    }
  }

  #handle(data: string): void {
    if (this.#isClosed) return;
    if (this.#held !== undefined) return void this.#held.push(data);
    const { bindings, handlers, drawer } = this.#options;
    if (data.startsWith(`${ESC}]11;`)) return this.#takeBackground(data);
    const isPrompt = this.#views.length === 0;
    if (drawer.handleKey?.(data) === true) return this.draw();
    if (isPressed(data, bindings.suspend)) return this.#suspend();
    if (isPressed(data, bindings.redraw)) {
      drawer.leave();
      return this.draw();
    }
    if (!isPrompt) this.#view.handleInput(data);
    else if (data.startsWith(PASTE_BEGIN)) this.#paste(data);
    else if (data === CTRL_C) this.#controlC();
    else if (isPressed(data, bindings.leave) && this.#prompt.text === "") handlers.onLeave();
    else if (isPressed(data, bindings.interrupt) && !this.#prompt.isCompleting) this.#escape();
    // Both came at once.
    else if (data === `${ESC}${ESC}` && bindings.interrupt === "escape") {
      this.#escape();
      this.#escape();
    } else if (isPressed(data, bindings.details)) this.showDetails();
    else if (isPressed(data, bindings.history)) void this.#searchHistory();
    else if (isPressed(data, bindings.mode)) handlers.onMode();
    else if (isPressed(data, "up") && this.#prompt.text === "" && this.#state.queue.length > 0) {
      const queued = handlers.takeQueued();
      if (queued !== undefined) this.#prompt.text = queued;
    } else this.#prompt.handleInput(data);
    this.draw();
  }

  /** A paste may name a picture. What is typed while it is looked at comes after it. */
  #paste(data: string): void {
    const looked = this.#options.handlers.onPaste(data.slice(PASTE_BEGIN.length, -PASTE_END.length));
    if (looked === undefined) return this.#prompt.handleInput(data);
    this.#held = [];
    void looked.then((words) => {
      const held = this.#held ?? [];
      this.#held = undefined;
      if (words === undefined) this.#prompt.handleInput(data);
      else this.#prompt.insert(words);
      for (const key of held) this.#handle(key);
      this.draw();
    });
  }

  /** What the terminal says of its background; from then on lines are drawn with the theme for it. */
  #takeBackground(answer: string): void {
    const colour = parseOsc11BackgroundColor(answer);
    if (colour === undefined || this.#options.asksBackground !== true) return;
    this.#theme = themeOn(colour);
    this.draw();
  }

  #controlC(): void {
    const { handlers, now } = this.#options;
    if (this.#prompt.text !== "") {
      this.#prompt.remember(this.#prompt.text);
      this.#prompt.text = "";
      return;
    }
    if (handlers.onInterrupt()) return;
    if (now() - this.#leftAt < SECOND_LEAVE_MS) return handlers.onLeave();
    this.#leftAt = now();
    this.dispatch({ kind: "notice", text: "Press ctrl-c again to leave.", tone: "plain" });
  }

  #escape(): void {
    const { handlers, now } = this.#options;
    if (handlers.onInterrupt()) {
      this.#escapedAt = Number.NEGATIVE_INFINITY;
      return;
    }
    if (now() - this.#escapedAt > SECOND_ESCAPE_MS) {
      this.#escapedAt = now();
      return;
    }
    this.#escapedAt = Number.NEGATIVE_INFINITY;
    if (this.#prompt.text === "") return handlers.onRewind();
    this.#prompt.remember(this.#prompt.text);
    this.#prompt.text = "";
  }

  #submit(text: string): void {
    if (text.trim() === "") return;
    this.#prompt.remember(text);
    this.#history = [...this.#history.filter((one) => one !== text), text];
    this.#options.handlers.onSubmit(text);
  }

  async #searchHistory(): Promise<void> {
    const own = this.#history.toReversed();
    const others = this.#options.handlers.earlierPrompts();
    const picked = await this.#show<string>((onPicked) =>
      createHistoryView({
        theme: () => this.#theme,
        own,
        others,
        onChange: () => this.#drawSoon(),
        onPicked,
      }),
    );
    if (picked === undefined) return;
    this.#prompt.text = picked;
    this.draw();
  }

  #suspend(): void {
    this.#options.drawer.leave();
    this.#mode.leave();
    this.#isStopped = true;
    this.#options.suspend(() => {
      this.#isStopped = false;
      if (this.#isClosed) return;
      this.#mode.enter();
      this.#options.drawer.forget();
      this.draw();
    });
  }

  /** Shows a view until it says what came of it, or the signal calls it off. */
  #show<T>(
    create: (finish: (result: T | undefined) => void) => View,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    return new Promise((resolve) => {
      let view: View | undefined;
      const finish = (result: T | undefined): void => {
        signal?.removeEventListener("abort", onAbort);
        this.#cancels.delete(onAbort);
        this.#views = this.#views.filter((one) => one !== view);
        this.#drawSoon();
        resolve(result);
      };
      const onAbort = (): void => finish(undefined);
      if (signal?.aborted === true) return resolve(undefined);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#cancels.add(onAbort);
      view = create(finish);
      this.#views = [...this.#views, view];
      this.draw();
    });
  }

  readonly ask = async (
    { about, choices, isMultiple = false }: Question,
    signal?: AbortSignal,
  ): Promise<Chosen | undefined> => {
    this.#asking += 1;
    const chosen = await this.#show<Chosen>(
      (onChosen) =>
        new ChoiceView({
          theme: () => this.#theme,
          rows: () => this.#options.size().rows,
          onChange: () => this.#drawSoon(),
          about,
          choices,
          isMultiple,
          onChosen,
        }),
      signal,
    );
    this.#asking -= 1;
    return chosen;
  };

  readonly pick: Surface["pick"] = (list) =>
    this.#show<string>((onPicked) => new PickView({ theme: () => this.#theme, ...list, onPicked }));

  readonly edit = (title: string, text: string): Promise<string | undefined> =>
    this.#show<string>((onEdited) =>
      createEditView({
        theme: () => this.#theme,
        rows: () => this.#options.size().rows * 2,
        onChange: () => this.#drawSoon(),
        title,
        text,
        onEdited,
      }),
    );

  readonly showDetails = (): void => {
    const { details } = this.#state;
    if (details.length === 0) {
      this.dispatch({ kind: "notice", text: "There is nothing to open yet.", tone: "plain" });
      return;
    }
    void this.#show<void>(
      (finish) => new TextView({ theme: () => this.#theme, details, onClosed: () => finish(undefined) }),
    );
  };

  readonly setText = (text: string): void => {
    this.#prompt.text = text;
    this.#drawSoon();
  };

  readonly remember = (prompts: readonly string[]): void => {
    this.#history = prompts;
    for (const text of prompts) this.#prompt.remember(text);
  };

  readonly ring = (words: string): void => {
    const { bell, sink } = this.#options;
    if (bell === "bell") sink.write("\u0007");
    if (bell === "notify") sink.write(`${ESC}]9;${shownLine(words.slice(0, 200))}\u0007`);
  };

  readonly cancel = (): void => {
    for (const cancel of this.#cancels) cancel();
  };

  readonly close = (): void => {
    if (this.#isClosed) return;
    try {
      // What is finished is written; what is live goes away.
      this.#views = [];
      const look = this.#look();
      const committed = this.#state.pending.flatMap((item) => itemLines(item, look));
      if (!this.#isStopped) this.#options.drawer.draw(committed, [], undefined);
      this.#options.drawer.leave();
    } catch {
      // The terminal may be gone.
    }
    this.#isClosed = true;
    clearTimeout(this.#frame);
    this.#time.stop();
    this.#stopListening();
    this.#options.keys.removeListener("data", this.#onData);
    this.#options.keys.removeListener("end", this.#onGone);
    this.#options.keys.pause();
    this.#input.destroy();
    this.#mode.leave();
  };
}
