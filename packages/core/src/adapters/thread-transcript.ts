import { asFields } from "../messages/fields.js";
import type { Message } from "../messages/message.js";
import { isCompactBoundary } from "../messages/predicates.js";
import { decodeLine, encodeLine } from "../messages/transcript/line.js";
import { linkLive } from "../messages/transcript/live.js";
import { sha256 } from "../tree/sha-256.js";
import type { StoredChain } from "../tree/stand-in-store.js";
import type { TranscriptWriter } from "../engine/ports/transcript-store.js";
import type { GivenMessage } from "./turn-input.js";

/** What a conversation goes on with beside its messages. */
export interface ThreadFacts {
  readonly session: string;
  readonly model: string;
  readonly maxTokens: number;
}

/** What of a conversation is to be stored next. */
export interface Unsaved {
  readonly value: string;
  /** Undefined where it stands alone. */
  readonly from: string | undefined;
}

/** Says nothing about what the model is sent; the caller hands system prompt and tools in with every request. */
const REQUEST_STATE = "request_state";
/** Records that only tell what was counted and paid. */
const uneventful: ReadonlySet<unknown> = new Set([REQUEST_STATE, "totals", "billed_calls"]);

/**
 * The transcript of a conversation whose messages a framework holds: it refers to those by their place in the framework's list,
 * and holds what the engine added: summaries, boundaries, measures, and answers as the model gave them.
 */
export class ThreadTranscript implements TranscriptWriter {
  #messages: Message[];
  /** How many of them are stored. */
  #stored: number;
  #isWhole: boolean;
  readonly #places = new WeakMap<object, number>();
  readonly #answers = new WeakSet<object>();
  readonly #sizes = new WeakMap<Message, number>();
  characters = 0;

  constructor(messages: readonly Message[] = []) {
    this.#messages = [...messages];
    this.#stored = messages.length;
    this.#isWhole = messages.length === 0;
    this.#count(messages);
  }

  /** The content of this message is that of a place in the list; an answer is kept beside it, as it was given. */
  noteGiven(content: object, place: number, isAnswer = false): void {
    this.#places.set(content, place);
    if (isAnswer) this.#answers.add(content);
  }

  async append(messages: readonly Message[]): Promise<void> {
    const kept = messages.filter(
      (message) => !(message.type === "system" && message.subtype === REQUEST_STATE),
    );
    this.#messages.push(...kept);
    this.#count(kept);
    if (kept.some(isCompactBoundary)) this.#beginAnew();
  }

  async close(): Promise<void> {}

  /** Whether something that is not stored changes what the model is sent, and not only adds to it. */
  get hasChanged(): boolean {
    return this.#messages
      .slice(this.#stored)
      .some((message) => message.type === "system" && !uneventful.has(message.subtype));
  }

  /** What is to be stored under a key, and the key that it goes on from, given what was stored last. */
  unsaved(
    facts: ThreadFacts,
    { key, last }: { readonly key: string; readonly last: string | undefined },
  ): Unsaved {
    const from = this.#isWhole ? undefined : last;
    const lines = this.#messages
      .slice(this.#stored)
      .map((message) => this.#line(message))
      .join("\n");
    const head = JSON.stringify({ ...facts, key, from, check: sha256(lines) });
    return { value: `${head}\n${lines}`, from };
  }

  /** Everything so far is stored. */
  saved(): void {
    this.#stored = this.#messages.length;
    this.#isWhole = false;
  }

  /** What a compaction has replaced is no longer needed: its boundary, what it kept, and what comes after. */
  #beginAnew(): void {
    const live = linkLive(this.#messages).messages;
    const boundary = this.#messages.findLastIndex(isCompactBoundary);
    const since = this.#messages.slice(boundary);
    const after = new Set(since);
    const trimmed = [...live.filter((message) => !after.has(message)), ...since];
    const again = linkLive(trimmed).messages;
    const isSame = again.length === live.length && again.every((message, at) => message === live[at]);
    if (isSame) {
      this.#messages = trimmed;
      this.characters = 0;
      this.#count(trimmed);
    }
    this.#stored = 0;
    this.#isWhole = true;
  }

  #count(messages: readonly Message[]): void {
    for (const message of messages) {
      const size = this.#sizes.get(message) ?? encodeLine(message).length;
      this.#sizes.set(message, size);
      this.characters += size;
    }
  }

  #line(message: Message): string {
    if (message.type !== "user" && message.type !== "assistant") return encodeLine(message);
    const { content } = message.message;
    const given = typeof content === "string" ? undefined : this.#places.get(content);
    if (given === undefined) return encodeLine(message);
    const said = typeof content !== "string" && this.#answers.has(content) ? content : [];
    return JSON.stringify({ ...message, given, message: { ...message.message, content: said } });
  }
}

/** A conversation as it was stored. */
export interface StoredThread {
  readonly facts: ThreadFacts;
  readonly transcript: ThreadTranscript;
  /** What it is resumed from. */
  readonly live: readonly Message[];
}

/**
 * What was stored under a key, for a list that it was stored for; undefined where it cannot be read, or is not what was stored
 * there. It may come from a file.
 */
export function readThread(
  { key, values }: StoredChain,
  list: readonly GivenMessage[],
): StoredThread | undefined {
  const messages: Message[] = [];
  const noted: (readonly [content: object, place: number, isAnswer: boolean])[] = [];
  let head: StoredHead | undefined;
  for (const value of values) {
    const end = value.indexOf("\n");
    const lines = value.slice(end + 1);
    const next = readHead(value.slice(0, Math.max(0, end)));
    if (next === undefined || next.from !== head?.key || next.check !== sha256(lines)) return undefined;
    head = next;
    for (const line of lines === "" ? [] : lines.split("\n")) {
      const read = readLine(line, list);
      if (read === undefined) return undefined;
      messages.push(read.message);
      if (read.noted !== undefined) noted.push(read.noted);
    }
  }
  if (head?.key !== key) return undefined;
  const { session, model, maxTokens } = head;
  const transcript = new ThreadTranscript(messages);
  for (const entry of noted) transcript.noteGiven(...entry);
  const { messages: live, billed = [] } = linkLive(messages);
  return { facts: { session, model, maxTokens }, transcript, live: [...live, ...billed] };
}

/** The first line of what is stored: what it is of, and what it must be. */
interface StoredHead extends ThreadFacts {
  readonly key: string;
  readonly from: string | undefined;
  readonly check: string;
}

function readHead(line: string): StoredHead | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { session, model, maxTokens, key, from, check } = asFields(value);
  const isHead =
    typeof session === "string" &&
    typeof model === "string" &&
    typeof maxTokens === "number" &&
    typeof key === "string" &&
    (from === undefined || typeof from === "string") &&
    typeof check === "string";
  return isHead ? { session, model, maxTokens, key, from, check } : undefined;
}

interface ReadLine {
  readonly message: Message;
  readonly noted?: readonly [content: object, place: number, isAnswer: boolean];
}

function readLine(line: string, list: readonly GivenMessage[]): ReadLine | undefined {
  const decoded = decodeLine(line);
  if (decoded.kind !== "message") return undefined;
  const { given, ...message } = decoded.message as Message & { readonly given?: unknown };
  if (given === undefined) return { message: decoded.message };
  const now = typeof given === "number" ? list[given] : undefined;
  if (message.type !== "user" && message.type !== "assistant") return undefined;
  const { content: said } = message.message;
  const isAnswer = typeof said !== "string" && said.length > 0;
  if (typeof given !== "number" || typeof said === "string") return undefined;
  // The list may be the one that it was an answer to.
  if (now === undefined && !isAnswer) return undefined;
  const content = isAnswer ? said.map((block) => sameBlock(block, now?.content ?? [])) : (now?.content ?? []);
  return {
    message: { ...message, message: { ...message.message, content } } as Message,
    noted: [content, given, isAnswer],
  };
}

/** The framework's own block where it still is what the model said: it knows where it comes from. */
function sameBlock(said: object, given: readonly object[]): object {
  const text = JSON.stringify(said);
  return given.find((block) => JSON.stringify(block) === text) ?? said;
}
