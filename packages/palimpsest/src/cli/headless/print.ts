import { createAttachmentMessage, type Account } from "@palimpsest/core";
import { emptyAccount } from "@palimpsest/core/engine";
import { resolve } from "node:path";
import type { AgentEvent, AgentResult } from "../../agent/base/agent-event.js";
import type { query } from "../../agent/loop/query.js";
import type { Session } from "../../agent/session/session.js";
import { printable, printableJson, printableText, type Terminal } from "../terminal.js";
import { openEventFile, type EventFile } from "./event-file.js";
import { openAgent, type AgentFlags, type OpenedAgent } from "./open-agent.js";
import { promptsOf, type PromptFlags } from "./prompts-of.js";
import type { PipedInput } from "./read-piped.js";
import { InputError, type Prompt } from "./read-prompts.js";
import { StartError } from "./start-error.js";
import type { StreamLine } from "./stream-line.js";
import { costLine, initLine, summaryDocument, type Denial } from "./stream-lines.js";
import { Teller } from "./teller.js";

export interface PrintFlags extends AgentFlags, PromptFlags {
  readonly outputFormat: "text" | "json" | "stream-json";
  readonly maxTurns?: number;
  /** The file that gets all that the engine tells. */
  readonly events?: string;
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
  let prompts: AsyncIterable<Prompt | undefined>;
  let events: EventFile | undefined;
  try {
    if (flags.events !== undefined) events = openEventFile(flags.events, { now: Date.now, complain });
    prompts = await promptsOf(flags, { ...io, complain });
  } catch (error) {
    events?.close();
    if (!(error instanceof StartError)) throw error;
    complain(error.message);
    return ExitCode.usage;
  }
  try {
    return signal.aborted
      ? ExitCode.aborted
      : await work(flags, { ...io, prompts, complain, write, teller, events });
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
}

async function work(flags: PrintFlags, given: Work): Promise<number> {
  const { prompts, complain, teller } = given;
  const loop = await import("../../agent/loop/query.js");
  const opened = await open(flags, given);
  if (typeof opened === "number") return opened;
  const { session, notices } = opened;
  for (const notice of notices) complain(notice);
  teller.listenTo(session);
  const run = new Run({ ...given, flags, io: given, session, query: loop.query });
  try {
    await run.start(opened);
    for await (const prompt of prompts) {
      const { reason } = await run.answer(prompt);
      if (reason !== "done" && reason !== "stopped") break;
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    complain(error.message);
    return ExitCode.usage;
  } finally {
    await run.leave();
    const { message } = await session.agent.hooks.run("SessionEnd", { reason: "other" });
    if (message !== undefined) teller.notice(message);
    await session.close();
  }
  return run.finish();
}

interface RunParts {
  readonly flags: PrintFlags;
  readonly io: PrintIo;
  readonly session: Session;
  readonly complain: (text: string) => void;
  readonly write: (line: StreamLine) => void;
  readonly teller: Teller;
  readonly query: typeof query;
}

/** One run of the command: what was asked, what came of it, and what it has cost so far. */
class Run {
  readonly #parts: RunParts;
  readonly #started = Date.now();
  readonly #steps: Record<string, number> = {};
  readonly #denials: Denial[] = [];
  #inputs = new Map<string, unknown>();
  #last: AgentResult | undefined;
  /** What the last line said it has cost. */
  #toldAccount: Account | undefined;
  #turns = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
    parts.teller.onNativeClearing = () => this.#countStep("api-native");
  }

  #write(line: StreamLine): void {
    this.#parts.write(line);
  }

  #countStep(tier: string): void {
    this.#steps[tier] = (this.#steps[tier] ?? 0) + 1;
  }

  async start({ servers }: OpenedAgent): Promise<void> {
    const { flags, session, io, teller } = this.#parts;
    if (flags.outputFormat === "stream-json") {
      this.#write(initLine(session, { cwd: resolve(flags.cwd ?? process.cwd()), servers: servers() }));
    }
    teller.begin();
    const message = await startHooks(session, io.signal);
    if (message !== undefined) teller.notice(message);
  }

  async answer(prompt: Prompt | undefined): Promise<AgentResult> {
    const { flags, io, session } = this.#parts;
    const events = this.#parts.query(session.agent, prompt, {
      signal: io.signal,
      ...(flags.maxTurns === undefined ? {} : { maxTurns: flags.maxTurns }),
    });
    let next = await events.next();
    while (next.done !== true) {
      this.#hear(next.value);
      next = await events.next();
    }
    this.#turns += next.value.turns;
    this.#last = next.value;
    this.#tell(next.value);
    return next.value;
  }

  #hear(event: AgentEvent): void {
    if (event.kind === "step") this.#countStep(event.step.tier);
    if (event.kind === "tool-start") this.#inputs.set(event.id, event.input);
    if (event.kind === "tool-end") {
      if (event.isDenied)
        this.#denials.push({ id: event.id, name: event.name, input: this.#inputs.get(event.id) });
      this.#inputs.delete(event.id);
    }
    this.#parts.teller.hear(event);
  }

  /** Answers are told as they come; the document of `json` is one, at the end. */
  #tell(result: AgentResult): void {
    const { flags, io, complain } = this.#parts;
    if (flags.outputFormat === "stream-json") this.#write(this.#summary(result));
    if (flags.outputFormat === "stream-json") return;
    const { stdout } = io.terminal;
    if (result.reason !== "done") complain(result.text);
    else if (flags.outputFormat === "text")
      stdout.write(`${stdout.isTTY === true ? printableText(result.text) : result.text}\n`);
  }

  #summary(result: AgentResult): StreamLine {
    const { session } = this.#parts;
    this.#toldAccount = session.conversation.account();
    return summaryDocument({
      result: { ...result, turns: this.#turns },
      sessionId: session.id,
      account: this.#toldAccount,
      steps: this.#steps,
      denials: this.#denials,
      milliseconds: Date.now() - this.#started,
    });
  }

  /** Says what ends with the session before it is done. */
  async leave(): Promise<void> {
    const { session, complain } = this.#parts;
    for (const { id, description, status } of await session.subagents.agents(undefined)) {
      if (status === "running")
        complain(`the subagent ${id} (${description}) was still at work in the background, and is ended`);
    }
  }

  /** The exit code. */
  finish(): number {
    const { flags, io, session } = this.#parts;
    const account = session.conversation.account();
    // Notes and subagents in the background may have come to their end after the last answer.
    if (flags.outputFormat === "stream-json" && account !== (this.#toldAccount ?? emptyAccount)) {
      this.#write(costLine(account, session.id));
    }
    const isAborted = io.signal.aborted;
    const last: AgentResult =
      this.#last ??
      (isAborted
        ? { reason: "aborted", text: "It was interrupted.", turns: 0 }
        : { reason: "done", text: "", turns: 0 });
    if (flags.outputFormat === "json") this.#write(this.#summary(last));
    if (isAborted) return ExitCode.aborted;
    return last.reason === "done" ? ExitCode.done : ExitCode.failed;
  }
}

async function open(
  flags: PrintFlags,
  { terminal, signal, complain, teller, events }: Work,
): Promise<OpenedAgent | number> {
  try {
    return await openAgent(flags, {
      terminal,
      source: "sdk",
      onNotice: (text) => teller.notice(text),
      onCompaction: (progress) => teller.compaction(progress),
      ...(events === undefined ? {} : { onEngineEvent: events.write }),
      signal,
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
  { agent, conversation, isResumed }: Session,
  signal: AbortSignal,
): Promise<string | undefined> {
  const said = await agent.hooks.run(
    "SessionStart",
    { source: isResumed ? "resume" : "startup", model: conversation.model },
    { signal },
  );
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
