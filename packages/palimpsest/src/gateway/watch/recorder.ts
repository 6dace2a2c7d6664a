import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createAssistantMessage, createUserMessage, type Message } from "@palimpsest/core";
import { asFields, decodeLine, encodeLine, hashValue } from "@palimpsest/core/engine";
import { redactSecrets } from "../../agent/base/redact-secrets.js";
import type { Placed } from "./conversations.js";
import type { Exchange } from "./exchange.js";
import { comparable } from "./prompt-parts.js";
import { wholeAnswer } from "./whole-answer.js";

export interface Recorder {
  /** Writes what is new of a conversation. Throws as the disk does. */
  record(exchange: Exchange, placed: Placed, request: Readonly<Record<string, unknown>>): void;
}

/** Bytes that a process writes at most; after that nothing more is recorded. */
const MOST_BYTES = 1024 * 1024 * 1024;
const OLDEST_MS = 30 * 24 * 60 * 60 * 1000;
const FILE = /^gateway-[\da-f]{16}\.jsonl$/;

/** A conversation's file: which of its messages are there, and what was answered to which. */
interface Opened {
  readonly path: string;
  readonly session: string;
  readonly known: Set<string>;
  readonly answers: Map<string, { readonly uuid: string; readonly print: string }[]>;
}

/**
 * Writes each conversation to a transcript of its own that every reader here reads. A message's id is made of what it holds and of
 * all before it, so that nothing is written twice, by whatever process: a fork is a branch of the same file. What looks like a key is
 * taken out. Files are private; those of more than thirty days are removed when a recorder begins.
 */
export function createRecorder(folder: string, now: () => number): Recorder {
  const opened = new Map<string, Opened>();
  /** By conversation, of this process. */
  const files = new Map<string, Opened>();
  let bytes = 0;
  removeOld(folder, now() - OLDEST_MS);

  const openFor = (
    { line }: Placed,
    exchange: Exchange,
    request: Readonly<Record<string, unknown>>,
  ): Opened => {
    const mine = files.get(line.conversation);
    if (mine !== undefined) return mine;
    const first = comparable({ kind: "message", value: (request["messages"] as readonly unknown[])[0] });
    const taken = new Set([...files.values()].map(({ session }) => session));
    const plain = hashValue([line.lane, first]);
    // The same words at the same time in another conversation: it has a file of its own.
    const session = taken.has(plain)
      ? hashValue([line.lane, first, request["model"], request["system"]])
      : plain;
    const tenant = join(folder, exchange.tenant.replaceAll(/[^\w-]/g, "_"));
    const file = opened.get(session) ?? openFile(tenant, session);
    opened.set(session, file);
    files.set(line.conversation, file);
    return file;
  };

  const write = (file: Opened, message: Message): void => {
    const text = `${encodeLine(withoutSecrets(message) as Message)}\n`;
    bytes += Buffer.byteLength(text);
    if (bytes > MOST_BYTES) throw new Error("more than 1 GB was recorded");
    appendFileSync(file.path, text, { mode: 0o600 });
    file.known.add(message.uuid);
  };

  return {
    record(exchange, placed, request) {
      const file = openFor(placed, exchange, request);
      let parent: string | null = null;
      for (const value of request["messages"] as readonly unknown[]) {
        const uuid: string = uuidOf(file, parent, value);
        if (!file.known.has(uuid)) write(file, messageOf(value, { file, uuid, parent, exchange, request }));
        parent = uuid;
      }
      const answer = wholeAnswer(exchange);
      if (answer === undefined) return;
      const { id, model, content, usage, stop_reason: stopReason } = answer;
      const uuid = uuidFor(["answer", file.session, parent, id]);
      if (file.known.has(uuid)) return;
      const origin = originOf({ file, uuid, parent, at: exchange.at + exchange.milliseconds });
      write(file, createAssistantMessage(origin, { id, model, content, usage, stopReason }));
      noteAnswer(file, parent, { uuid, print: printOf(content) });
    },
  };
}

function openFile(folder: string, session: string): Opened {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `gateway-${session}.jsonl`);
  appendFileSync(path, "", { mode: 0o600 });
  chmodSync(path, 0o600);
  const file: Opened = { path, session, known: new Set(), answers: new Map() };
  const text = readFileSync(path, "utf8");
  // A line that a crash cut off ends here.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  for (const line of text.split("\n")) {
    const decoded = decodeLine(line);
    if (decoded.kind !== "message") continue;
    const { message } = decoded;
    file.known.add(message.uuid);
    if (message.type !== "assistant") continue;
    noteAnswer(file, message.parentUuid, { uuid: message.uuid, print: printOf(message.message.content) });
  }
  return file;
}

function noteAnswer(
  { answers }: Opened,
  parent: string | null,
  answer: { readonly uuid: string; readonly print: string },
): void {
  answers.set(parent ?? "", [...(answers.get(parent ?? "") ?? []), answer]);
}

/** The id of a message after another: of an answer that was recorded as it came, that one's. */
function uuidOf({ answers, session }: Opened, parent: string | null, value: unknown): string {
  const { role, content } = asFields(value);
  const print = role === "assistant" ? printOf(content) : "";
  const answer =
    role === "assistant" ? answers.get(parent ?? "")?.find((one) => one.print === print) : undefined;
  return answer?.uuid ?? uuidFor(["message", session, parent, comparable({ kind: "message", value })]);
}

/** What of an answer a client sends back whatever it leaves out: its words and its calls. */
function printOf(content: unknown): string {
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  return hashValue(
    blocks
      .map(asFields)
      .flatMap(({ type, text, id }) => (type === "text" ? [text] : type === "tool_use" ? [id] : [])),
  );
}

function uuidFor(value: unknown): string {
  const hex = hashValue(value) + hashValue(["again", value]);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

interface Place {
  readonly file: Opened;
  readonly uuid: string;
  readonly parent: string | null;
}

const originOf = ({ file, uuid, parent, at }: Place & { readonly at: number }) => ({
  clock: { now: () => at },
  ids: { next: () => uuid },
  sessionId: file.session,
  parentUuid: parent,
});

type Content = Parameters<typeof createUserMessage>[1]["content"];
type AnswerContent = Parameters<typeof createAssistantMessage>[1]["content"];

function messageOf(
  value: unknown,
  place: Place & { readonly exchange: Exchange; readonly request: Readonly<Record<string, unknown>> },
): Message {
  const { role, content } = asFields(value);
  const origin = originOf({ ...place, at: place.exchange.at });
  if (role !== "assistant") {
    // What a program says in the system's name among the messages is not a person's.
    return createUserMessage(origin, {
      content: content as Content,
      ...(role === "system" ? { isMeta: true } : {}),
    });
  }
  const blocks = (typeof content === "string" ? [{ type: "text", text: content }] : content) as AnswerContent;
  return createAssistantMessage(origin, {
    id: `msg_${place.uuid}`,
    model: typeof place.request["model"] === "string" ? place.request["model"] : "",
    content: blocks,
  });
}

/** Every text without what looks like a key. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value, {});
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSecrets(part)]));
}

function removeOld(folder: string, before: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const tenant of readdirSync(folder, { withFileTypes: true })) {
    if (!tenant.isDirectory()) continue;
    for (const name of readdirSync(join(folder, tenant.name))) {
      const path = join(folder, tenant.name, name);
      if (FILE.test(name) && statSync(path).mtimeMs < before) rmSync(path, { force: true });
    }
  }
}
