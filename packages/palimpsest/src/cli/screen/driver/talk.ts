import { createAttachmentMessage, createUserMessage, isHumanMessage } from "@palimpsest/core";
import type { AgentEvent } from "../../../agent/base/agent-event.js";
import { answerPrompt, type PromptResult } from "../../../agent/commands/answer-prompt.js";
import { findMentions } from "../../../agent/commands/find-mentions.js";
import { parseCommand } from "../../../agent/commands/parse-command.js";
import { query } from "../../../agent/loop/query.js";
import type { PermissionMode } from "../../../agent/permissions/mode.js";
import type { Session } from "../../../agent/session/session.js";
import { heldAdvice } from "../../headless/held-advice.js";
import type { AgentFlags, OpenedAgent } from "../../headless/open-agent.js";
import { Teller } from "../../headless/teller.js";
import { version } from "../../version.js";
import { screenCommands } from "../commands/screen-commands.js";
import { compactInScreen } from "../commands/compact-in-screen.js";
import { runTyped } from "../commands/run-typed.js";
import { rewindInScreen } from "../commands/rewind-in-screen.js";
import type { GridPart, Tone } from "../state/item.js";
import type { Status } from "../state/status.js";
import type { Surface } from "../surface/surface.js";
import type { KeptCopies } from "../talk/kept-copies.js";
import { createPictures, type Pictures } from "../talk/pictures.js";
import { saidText } from "../talk/said-text.js";
import { isPriceFine } from "./price-warning.js";
import { showEarlier } from "./show-earlier.js";
import { compactingOf, statusOf } from "../talk/status-of.js";
import type { TalkHandle, TalkParts } from "../talk/talk-handle.js";

const LONG_TURN_MS = 30_000;
const MODES: readonly PermissionMode[] = ["default", "acceptEdits", "plan"];

/** A conversation of a person with the agent: takes what is typed, has it answered, and tells the surface what happens. */
export class Talk implements TalkHandle {
  readonly parts: TalkParts;
  readonly pictures: Pictures;
  opened: OpenedAgent;
  copies: KeptCopies;
  #inbox: string[] = [];
  #wake: (() => void) | undefined;
  #turn: AbortController | undefined;
  #hasLeft = false;
  #compacting: Status["compacting"];
  /** Calls of the last answer that have no result yet. */
  #openCalls = new Set<string>();

  constructor(
    parts: TalkParts,
    { opened, copies }: { readonly opened: OpenedAgent; readonly copies: KeptCopies },
  ) {
    this.parts = parts;
    this.opened = opened;
    this.copies = copies;
    this.pictures = createPictures({
      guard: () => this.session.guard,
      notice: (text, tone) => this.notice(text, tone),
    });
  }

  get session(): Session {
    return this.opened.session;
  }

  get surface(): Surface {
    return this.parts.surface;
  }

  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  notice(text: string, tone: Tone = "plain"): void {
    this.surface.dispatch({ kind: "notice", text, tone });
  }

  output(text: string): void {
    this.surface.dispatch({ kind: "output", text });
  }

  /** What the person typed. While something is under way it waits, unless it is done beside that. */
  submit(text: string): void {
    const command = parseCommand(text);
    const own = command === undefined ? undefined : screenCommands.find(({ name }) => name === command.name);
    if (this.#turn !== undefined && own?.isBeside === true) {
      void this.#perform(text, new AbortController().signal);
      return;
    }
    if (this.#turn !== undefined) {
      this.surface.dispatch({ kind: "queued", text });
      return;
    }
    this.#inbox.push(text);
    this.#wake?.();
  }

  takeQueued(): string | undefined {
    const { queue } = this.surface.state();
    if (queue.length === 0) return undefined;
    this.surface.dispatch({ kind: "unqueued", all: true });
    return queue.join("\n\n");
  }

  interrupt(): boolean {
    if (this.#turn === undefined || this.#turn.signal.aborted) return this.#turn !== undefined;
    this.#turn.abort();
    return true;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#turn?.abort();
    this.#wake?.();
  }

  nextMode(): void {
    const at = MODES.indexOf(this.session.agent.permissionMode() as PermissionMode);
    this.session.setPermissionMode(MODES[(at + 1) % MODES.length] ?? "default");
    this.showStatus();
  }

  showStatus(): void {
    const status = statusOf(this.session, { now: this.parts.now(), compacting: this.#compacting });
    this.surface.dispatch({ kind: "status", status });
  }

  /** Until the person leaves. `first` is what they said before it began. */
  async run(first: readonly string[]): Promise<void> {
    this.#inbox.push(...first);
    await this.greet(this.session.isResumed ? "resume" : "startup");
    while (!this.#hasLeft) {
      const text = await this.#next();
      if (text !== undefined) await this.#answer(text);
    }
  }

  async #next(): Promise<string | undefined> {
    const { queue } = this.surface.state();
    const [queued] = queue;
    if (queued !== undefined) {
      this.surface.dispatch({ kind: "unqueued", all: false });
      return queued;
    }
    const back = new AbortController();
    const kept = this.session.whileWaiting(back.signal);
    if (this.#inbox.length === 0 && !this.#hasLeft) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
    back.abort();
    await kept;
    return this.#hasLeft ? undefined : this.#inbox.shift();
  }

  async #answer(text: string): Promise<void> {
    const turn = new AbortController();
    this.#turn = turn;
    const begun = this.parts.now();
    try {
      await this.#perform(text, turn.signal);
    } catch (error) {
      this.surface.dispatch({
        kind: "turn-ended",
        text: error instanceof Error ? error.message : String(error),
        tone: "bad",
      });
    } finally {
      this.#turn = undefined;
      // Nobody looks at it any more.
      if (this.parts.now() - begun > LONG_TURN_MS) this.surface.ring("The agent is done");
      await this.#weigh();
    }
  }

  /** What compacting now would cost is worked out when nothing else is under way. */
  async #weigh(): Promise<void> {
    if (this.#hasLeft) return;
    this.showStatus();
    try {
      const { live } = this.session.conversation;
      this.#compacting =
        live.length === 0 || !this.session.canCompact
          ? undefined
          : compactingOf(await this.session.conversation.plan({ instructions: "" }));
    } catch {
      this.#compacting = undefined;
    }
    this.showStatus();
  }

  async #perform(text: string, signal: AbortSignal): Promise<void> {
    const command = parseCommand(text);
    const own = command === undefined ? undefined : screenCommands.find(({ name }) => name === command.name);
    this.surface.dispatch({ kind: "said", text });
    if (own !== undefined && command !== undefined) return own.run(command.args, this, signal);
    if (command?.name === "compact") {
      const given = await compactInScreen(command.args, this, signal);
      if (given !== undefined) await this.say(given, signal);
      return;
    }
    if (text.startsWith("!") && text.length > 1) return runTyped(text.slice(1).trim(), this, signal);
    if (command === undefined && !(await isPriceFine(this))) {
      this.surface.setText(text);
      return;
    }
    await this.say(text, signal);
  }

  async say(
    text: string,
    signal: AbortSignal,
    options: { readonly isPinned?: boolean } = {},
  ): Promise<PromptResult> {
    const { surface, session } = this;
    surface.dispatch({ kind: "turn-began", at: this.parts.now() });
    const otherCommands = screenCommands.map(({ name }) => name);
    const content = this.pictures.contentOf(text);
    const events = answerPrompt({ content, ...options }, { session, query, signal, otherCommands });
    const result = await session.turn(async () => {
      let next = await events.next();
      while (next.done !== true) {
        await this.#hear(next.value, signal);
        next = await events.next();
      }
      return next.value;
    });
    const isAnswer = result.command === undefined;
    const words = result.text + heldAdvice(result, session);
    if (result.startsAnew === true) {
      surface.dispatch({ kind: "turn-ended", text: "", tone: "plain" });
      await this.switchTo({}, "clear");
    } else if (result.reason === "done" && !isAnswer) {
      surface.dispatch({ kind: "turn-ended", text: "", tone: "plain" });
      this.#showGrid(result);
      // What a compaction did is told by the line that it leaves.
      const isTold = result.command?.name === "compact" && result.command["boundary"] !== undefined;
      const left = isTold ? words.split("\n").slice(1).join("\n") : words;
      if (left !== "") surface.dispatch({ kind: "output", text: left });
    } else {
      const tone = result.reason === "aborted" ? "warn" : "bad";
      surface.dispatch({ kind: "turn-ended", text: result.reason === "done" ? "" : words, tone });
    }
    return result;
  }

  /** What `/context` tells, as a picture. */
  #showGrid({ command }: PromptResult): void {
    if (command?.name !== "context") return;
    const { categories, compactAt } = command as {
      readonly categories?: readonly GridPart[];
      readonly compactAt?: number;
    };
    if (categories === undefined || compactAt === undefined) return;
    this.surface.dispatch({ kind: "grid", parts: categories, limit: compactAt });
  }

  async #hear(event: AgentEvent, signal: AbortSignal): Promise<void> {
    this.surface.dispatch({ kind: "agent", event });
    if (event.kind !== "message") return;
    this.showStatus();
    const { message } = event;
    const blocks = message.type === "user" || message.type === "assistant" ? message.message.content : [];
    if (typeof blocks === "string") return;
    for (const block of blocks) {
      if (block.type === "tool_use") this.#openCalls.add(block.id);
      if (block.type === "tool_result") this.#openCalls.delete(block.tool_use_id);
    }
    const isSafe =
      message.type === "user" &&
      this.#openCalls.size === 0 &&
      blocks.some(({ type }) => type === "tool_result");
    if (isSafe && !signal.aborted) await this.#sendQueued(signal);
  }

  /** All calls have their results: what was typed meanwhile goes along with the next request. Commands wait for the end. */
  async #sendQueued(signal: AbortSignal): Promise<void> {
    const { agent, conversation } = this.session;
    for (;;) {
      const [text] = this.surface.state().queue;
      const isPlain =
        text !== undefined &&
        parseCommand(text) === undefined &&
        !text.startsWith("!") &&
        findMentions(text).length === 0;
      if (!isPlain || signal.aborted) return;
      this.surface.dispatch({ kind: "unqueued", all: false });
      const said = await agent.hooks.run(
        "UserPromptSubmit",
        { prompt: text, permissionMode: agent.permissionMode() },
        { signal },
      );
      if (said.message !== undefined) this.notice(said.message);
      const refusal = said.block ?? said.endTurn;
      if (refusal !== undefined) {
        this.notice(refusal.trim() === "" ? "A hook kept the message from the model." : refusal, "warn");
        continue;
      }
      const content = this.pictures.contentOf((agent.hide ?? ((words: string) => words))(text));
      await conversation.append(createUserMessage(conversation.origin(), { content }));
      await this.#attach("UserPromptSubmit", said.contexts);
      this.surface.dispatch({ kind: "said", text });
    }
  }

  /** What hooks want the model to know. */
  async #attach(
    hookEvent: "SessionStart" | "UserPromptSubmit",
    contexts: readonly string[] = [],
  ): Promise<void> {
    const { conversation } = this.session;
    for (const content of contexts) {
      const attachment = { type: "hook_additional_context", hookEvent, content };
      await conversation.append(createAttachmentMessage(conversation.origin(), attachment));
    }
  }

  /** The conversation begins, or goes on. */
  async greet(source: "startup" | "resume" | "clear"): Promise<void> {
    const { session, opened } = this;
    this.listen();
    if (source === "startup")
      this.notice(`palimpsest ${version} in ${this.parts.cwd} · /help shows what there is`);
    for (const notice of opened.notices) this.notice(notice);
    const said = await session.agent.hooks.run(
      "SessionStart",
      { source, model: session.conversation.model },
      { signal: new AbortController().signal },
    );
    if (said.message !== undefined) this.notice(said.message);
    await this.#attach("SessionStart", said.contexts);
    if (source === "resume") showEarlier(this.surface, session.conversation.live);
    const prompts = session.conversation.live.filter(isHumanMessage).map(saidText);
    this.surface.remember(prompts.filter((text) => text !== "").slice(-200));
    await this.#weigh();
  }

  /** Failed compactions and the like are told as everywhere. */
  listen(): void {
    const teller = new Teller({
      isStream: false,
      write: () => {},
      complain: (text) => this.notice(text, "warn"),
    });
    teller.begin();
    teller.listenTo(this.session);
  }

  async switchTo(flags: Partial<AgentFlags>, source: "clear" | "resume"): Promise<void> {
    const before = this.session;
    const isSame = flags.resume === before.id && flags.branch !== true;
    if (isSame) return this.notice("That is this conversation.");
    const { opened, copies } = await this.parts.open(flags);
    const { message } = await before.agent.hooks.run("SessionEnd", {
      reason: source === "clear" ? "clear" : "other",
    });
    if (message !== undefined) this.notice(message);
    await before.close();
    this.opened = opened;
    this.copies = copies;
    this.#compacting = undefined;
    this.notice(
      source === "clear"
        ? `A new conversation begins. The earlier one stays: palimpsest --resume ${before.id}`
        : `This is ${opened.session.id} now. The other one stays: palimpsest --resume ${before.id}`,
    );
    await this.greet(source);
  }

  rewind(): void {
    void this.between((signal) => rewindInScreen(this, signal));
  }

  async between<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (this.#turn !== undefined || this.#hasLeft) return undefined;
    const turn = new AbortController();
    this.#turn = turn;
    try {
      return await run(turn.signal);
    } catch (error) {
      this.notice(error instanceof Error ? error.message : String(error), "bad");
      return undefined;
    } finally {
      this.#turn = undefined;
      await this.#weigh();
      this.#wake?.();
    }
  }

  /** Ends the conversation in good order. */
  async end(): Promise<void> {
    await this.parts.inspector.close();
    for (const { id, description, status } of await this.session.subagents.agents(undefined)) {
      if (status === "running")
        this.notice(`The subagent ${id} (${description}) was still at work, and is ended.`, "warn");
    }
    const { message } = await this.session.agent.hooks.run("SessionEnd", { reason: "other" });
    if (message !== undefined) this.notice(message);
    await this.session.close();
  }
}
