import { createAttachmentMessage, type Account } from "@palimpsest/core";
import { resolve } from "node:path";
import type { AgentEvent } from "../../agent/base/agent-event.js";
import { answerPrompt, type AnswerOptions, type PromptResult } from "../../agent/commands/answer-prompt.js";
import { query } from "../../agent/loop/query.js";
import type { Session } from "../../agent/session/session.js";
import { printable, printableJson, printableText, type PipedInput, type Terminal } from "../terminal.js";
import { ClientControl } from "./client-control.js";
import { openEventFile, type EventFile } from "./event-file.js";
import { openAgent, type AgentFlags, type OpenedAgent } from "./open-agent.js";
import { heldAdvice } from "./held-advice.js";
import { keptWarm } from "./kept-warm.js";
import { promptsOf, type PromptFlags } from "./prompts-of.js";
import { InputError, type Prompt } from "./read-prompts.js";
import { StartError } from "./start-error.js";
import type { StreamLine } from "./stream-line.js";
import { costLine, initLine, summaryDocument, type Denial } from "./stream-lines.js";
import { Teller } from "./teller.js";
import { verboseSentence } from "./verbose-sentence.js";

export interface PrintFlags extends AgentFlags, PromptFlags {
  readonly outputFormat: "text" | "json" | "stream-json";
  readonly maxTurns?: number;
  /** The file that gets all that the engine tells. */
  readonly events?: string;
  /** Whom questions for permissions go to: the program at the other end. Default: nobody. */
  readonly permissionPromptTool?: string;
  /** Calls of the agent, and what is done for it, are told on the error output. */
  readonly verbose?: boolean;
}

export interface PrintIo {
  readonly terminal: Terminal;
  readonly stdin: PipedInput;
  /** Aborted by a signal of the system. */
  readonly signal: AbortSignal;
}

const START_FAILURES: ReadonlySet<string> = new Set([
  "StartError",
  "UsageError",
  "SettingsError",
  "PermissionRuleError",
]);

const ExitCode = { done: 0, failed: 1, usage: 2, aborted: 130 } as const;

/** The agent without a screen: one prompt, or one for each line. Gives the exit code. */
export async function print(flags: PrintFlags, io: PrintIo): Promise<number> {
  const { terminal, signal } = io;
  const complain = (text: string): void => void terminal.stderr.write(`palimpsest: ${printable(text)}\n`);
  const write = (line: StreamLine): void => void terminal.stdout.write(`${printableJson(line)}\n`);
  const teller = new Teller({ isStream: flags.outputFormat === "stream-json", write, complain });
  const isSteered = flags.inputFormat === "stream-json" && flags.outputFormat === "stream-json";
  const control = isSteered ? new ClientControl(write) : undefined;
  let prompts: AsyncIterable<Prompt | undefined>;
  let events: EventFile | undefined;
  try {
    if (flags.permissionPromptTool !== undefined) checkPromptTool(flags.permissionPromptTool, isSteered);
    if (flags.events !== undefined) events = openEventFile(flags.events, { now: Date.now, complain });
    prompts = await promptsOf(flags, { ...io, complain, ...(control === undefined ? {} : { control }) });
  } catch (error) {
    events?.close();
    if (!(error instanceof StartError)) throw error;
    complain(error.message);
    return ExitCode.usage;
  }
  try {
    return signal.aborted
      ? ExitCode.aborted
      : await work(flags, { ...io, prompts, complain, write, teller, events, control });
  } finally {
    events?.close();
  }
}

interface Work extends PrintIo {
  readonly prompts: AsyncIterable<Prompt | undefined>;
  readonly complain: (text: string) => void;
  readonly write: (line: StreamLine) => void;
  readonly teller: Teller;
  readonly events: EventFile | undefined;
  readonly control: ClientControl | undefined;
}

async function work(flags: PrintFlags, given: Work): Promise<number> {
  const { prompts, complain, teller, signal, control } = given;
  const opened = await open(flags, given);
  if (typeof opened === "number") return opened;
  let { session } = opened;
  for (const notice of opened.notices) complain(notice);
  const parts = { ...given, flags, answerPrompt, query };
  const run = new Run(parts, opened);
  /** Lets the program at the other end steer the session. */
  const steer = async (to: OpenedAgent): Promise<void> => {
    if (control === undefined) return;
    const { createControlHandler, createUpdatesHandler } = await import("./control-requests.js");
    const steered = { opened: to, control, complain, setModel: (model: string) => run.setModel(model) };
    control.attach(createControlHandler(steered), createUpdatesHandler(steered));
  };
  await steer(opened);
  try {
    await run.start(opened, session.isResumed ? "resume" : "startup");
    for await (const prompt of keptWarm(prompts, (waiting) => session.whileWaiting(waiting))) {
      const result = await run.answer(prompt);
      if (result.startsAnew === true) {
        const next = await open(afresh(flags), given);
        if (typeof next === "number") return next;
        await run.leave();
        await end(session, "clear", teller);
        session = run.goOn(next, result);
        await steer(next);
        await run.start(next, "clear");
      }
      const { reason, command } = result;
      // What a command could not do ends nothing, and what the client interrupts is no failure.
      const isCalledOff = reason === "aborted" || command !== undefined;
      if (reason !== "done" && reason !== "stopped" && (signal.aborted || !isCalledOff)) break;
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    complain(error.message);
    return ExitCode.usage;
  } finally {
    await run.leave();
    await end(session, "other", teller);
  }
  return run.finish();
}

/** The same flags for a new conversation. */
function afresh({
  resume: _resume,
  continue: _continue,
  at: _at,
  branch: _branch,
  sessionId: _id,
  ...rest
}: PrintFlags): PrintFlags {
  return rest;
}

async function end(session: Session, reason: "clear" | "other", teller: Teller): Promise<void> {
  const { message } = await session.agent.hooks.run("SessionEnd", { reason });
  if (message !== undefined) teller.notice(message);
  await session.close();
}

interface RunParts extends Work, Pick<AnswerOptions, "query"> {
  readonly flags: PrintFlags;
  readonly answerPrompt: typeof answerPrompt;
}

/** One run of the command: what was asked, what came of it, and what it has cost so far. */
class Run {
  readonly #parts: RunParts;
  readonly #started = Date.now();
  readonly #steps: Record<string, number> = {};
  readonly #denials: Denial[] = [];
  #inputs = new Map<string, unknown>();
  #last: PromptResult | undefined;
  /** What the last line said the conversation has cost. */
  #toldAccount: Account;
  /** What the conversation had cost before this run. */
  readonly #begun: Account;
  /** What earlier conversations of this run have cost. */
  #earlier: Account["lines"] = [];
  #session: Session;
  /** Who answers. */
  readonly #provider: string;
  #turns = 0;
  #nextModel: string | undefined;

  constructor(parts: RunParts, { session, provider }: OpenedAgent) {
    this.#parts = parts;
    this.#provider = provider;
    this.#toldAccount = session.conversation.account();
    this.#begun = this.#toldAccount;
    parts.teller.onNativeClearing = () => this.#countStep("api-native");
    this.#session = session;
    parts.teller.listenTo(session);
  }

  /** From here on it is another conversation: the answer to the prompt that wanted one. */
  goOn({ session }: OpenedAgent, result: PromptResult): Session {
    const previous = this.#session.id;
    this.#earlier = [...this.#earlier, ...this.#session.conversation.account().lines];
    this.#toldAccount = session.conversation.account();
    this.#session = session;
    this.#parts.teller.listenTo(session);
    this.#last = {
      ...result,
      text: `A new conversation begins: ${session.id}. The earlier one stays: ${previous}.`,
      command: { name: "clear", sessionId: session.id, previousSessionId: previous },
    };
    this.#tell(this.#last);
    return session;
  }

  #write(line: StreamLine): void {
    this.#parts.write(line);
  }

  #countStep(tier: string): void {
    this.#steps[tier] = (this.#steps[tier] ?? 0) + 1;
  }

  /** For the next prompt on. */
  setModel(model: string): void {
    this.#nextModel = model;
  }

  async start(opened: OpenedAgent, source: "startup" | "resume" | "clear"): Promise<void> {
    const { session } = opened;
    const { flags, signal, teller } = this.#parts;
    if (flags.outputFormat === "stream-json") {
      const cwd = resolve(flags.cwd ?? process.cwd());
      this.#write(initLine(session, { ...opened, cwd, servers: opened.servers() }));
    }
    teller.begin();
    const message = await startHooks(session, { source, signal });
    if (message !== undefined) teller.notice(message);
  }

  async answer(prompt: Prompt | undefined): Promise<PromptResult> {
    const { flags, signal, query, control } = this.#parts;
    const session = this.#session;
    const model = this.#nextModel;
    this.#nextModel = undefined;
    if (model !== undefined && model !== session.conversation.model) await session.switchModel(model);
    const own = control?.beginTurn();
    const events = this.#parts.answerPrompt(prompt, {
      session,
      query,
      signal: own === undefined ? signal : AbortSignal.any([signal, own]),
      ...(flags.maxTurns === undefined ? {} : { maxTurns: flags.maxTurns }),
    });
    const answered = await session.turn(async () => {
      let next = await events.next();
      while (next.done !== true) {
        this.#hear(next.value);
        next = await events.next();
      }
      return next.value;
    });
    control?.endTurn();
    const result = { ...answered, text: answered.text + heldAdvice(answered, session) };
    this.#turns += result.turns;
    this.#last = result;
    if (result.startsAnew !== true) this.#tell(result);
    return result;
  }

  #hear(event: AgentEvent): void {
    if (event.kind === "step") this.#countStep(event.step.tier);
    if (event.kind === "tool-start") this.#inputs.set(event.id, event.input);
    if (event.kind === "tool-end") {
      if (event.isDenied)
        this.#denials.push({ id: event.id, name: event.name, input: this.#inputs.get(event.id) });
      this.#inputs.delete(event.id);
    }
    const { teller, flags, complain } = this.#parts;
    teller.hear(event);
    if (flags.verbose !== true || flags.outputFormat === "stream-json") return;
    const sentence = verboseSentence(event);
    if (sentence !== undefined) complain(sentence);
  }

  /** Answers are told as they come; the document of `json` is one, at the end. */
  #tell(result: PromptResult): void {
    const { flags, terminal, complain } = this.#parts;
    if (flags.outputFormat === "stream-json") this.#write(this.#summary(result));
    if (flags.outputFormat === "stream-json") return;
    const { stdout } = terminal;
    if (result.reason !== "done") complain(result.text);
    else if (flags.outputFormat === "text")
      stdout.write(`${stdout.isTTY === true ? printableText(result.text) : result.text}\n`);
  }

  #summary(result: PromptResult): StreamLine {
    this.#toldAccount = this.#session.conversation.account();
    return summaryDocument({
      result: { ...result, turns: this.#turns },
      sessionId: this.#session.id,
      provider: this.#provider,
      account: { lines: [...this.#earlier, ...this.#toldAccount.lines] },
      begun: this.#begun,
      steps: this.#steps,
      denials: this.#denials,
      milliseconds: Date.now() - this.#started,
    });
  }

  /** Says what ends with the session before it is done. */
  async leave(): Promise<void> {
    const { complain } = this.#parts;
    for (const { id, description, status } of await this.#session.subagents.agents(undefined)) {
      if (status === "running")
        complain(`the subagent ${id} (${description}) was still at work in the background, and is ended`);
    }
  }

  /** The exit code. */
  finish(): number {
    const { flags, signal } = this.#parts;
    const session = this.#session;
    const account = session.conversation.account();
    // Notes and subagents in the background may have come to their end after the last answer.
    if (flags.outputFormat === "stream-json" && account !== this.#toldAccount) {
      const all = { lines: [...this.#earlier, ...account.lines] };
      this.#write(costLine(session.id, { account: all, begun: this.#begun }));
    }
    const isAborted = signal.aborted;
    const last: PromptResult =
      this.#last ??
      (isAborted
        ? { reason: "aborted", text: "It was interrupted.", turns: 0 }
        : { reason: "done", text: "", turns: 0 });
    if (flags.outputFormat === "json") this.#write(this.#summary(last));
    if (isAborted) return ExitCode.aborted;
    return last.reason === "done" ? ExitCode.done : ExitCode.failed;
  }
}

function checkPromptTool(tool: string, isSteered: boolean): void {
  if (tool !== "stdio") {
    throw new StartError("--permission-prompt-tool knows stdio alone: the program at the other end is asked");
  }
  if (isSteered) return;
  throw new StartError(
    "--permission-prompt-tool stdio needs --input-format stream-json and --output-format stream-json",
  );
}

async function open(
  flags: PrintFlags,
  { terminal, signal, complain, teller, events, control }: Work,
): Promise<OpenedAgent | number> {
  // Who is asked for permissions.
  const asked = flags.permissionPromptTool === undefined ? undefined : control;
  const more = asked === undefined ? {} : { ask: asked.ask, approvePlan: asked.approvePlan };
  try {
    return await openAgent(flags, {
      terminal,
      source: "sdk",
      onNotice: (text) => teller.notice(text),
      onCompaction: (progress) => teller.compaction(progress),
      ...(events === undefined ? {} : { onEngineEvent: events.write }),
      signal,
      more,
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (!(error instanceof Error) || !START_FAILURES.has(name)) throw error;
    for (const line of error.message.split("\n")) complain(line);
    return name === "UsageError" ? ExitCode.usage : ExitCode.failed;
  }
}

/** What hooks want the model to know from the start. Gives what they want the person to know. */
async function startHooks(
  { agent, conversation }: Session,
  { source, signal }: { readonly source: "startup" | "resume" | "clear"; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const said = await agent.hooks.run("SessionStart", { source, model: conversation.model }, { signal });
  for (const content of said.contexts ?? []) {
    await conversation.append(
      createAttachmentMessage(conversation.origin(), {
        type: "hook_additional_context",
        hookEvent: "SessionStart",
        content,
      }),
    );
  }
  return said.message;
}
