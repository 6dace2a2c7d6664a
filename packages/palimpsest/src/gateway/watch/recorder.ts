import { join } from "node:path";
import { createAssistantMessage, createUserMessage, type Message } from "@palimpsest/core";
import { asFields, hashValue } from "@palimpsest/core/engine";
import { canonicalMessage, type ListedMessage, type PrefixNode } from "@palimpsest/core/tree";
import { redactSecrets } from "../../agent/base/redact-secrets.js";
import type { ConversationRecording } from "../../recording/conversation-recording.js";
import { openRecordingFolder } from "../../recording/recording-folder.js";
import type { RequestOutcome } from "../../recording/request-record.js";
import type { Placed } from "./conversations.js";
import type { Exchange } from "./exchange.js";
import { clientOf } from "./lane.js";
import { messagesOf } from "./prompt-parts.js";
import { betasOf } from "./read-headers.js";
import { RecentMap } from "./recent-map.js";
import { wholeAnswer } from "./whole-answer.js";

type Fields = Readonly<Record<string, unknown>>;

/** What of a conversation is kept somewhere. */
export type Recorded = Pick<ConversationRecording, "has" | "message" | "request">;

/**
 * Where conversations are kept. `onMessage` is told of what is there already, where it has to be read. Undefined for one that is not
 * kept any more.
 */
export interface Recordings {
  file(place: string, session: string, onMessage: (message: Message) => void): Recorded | undefined;
}

/** A folder, private; what looks like a key is taken out. Throws as the disk does. */
export const recordingsIn = (folder: string, now: () => number): Recordings =>
  openRecordingFolder(folder, { now, redact });

export interface Recorder {
  /** Keeps what is new of a conversation, and the request. */
  record(
    exchange: Exchange,
    known: {
      readonly placed: Placed;
      readonly request: Fields;
      /** Of the request's body. */
      readonly text: string;
      readonly outcome: RequestOutcome;
    },
  ): void;
}

/** In place of the first message of a list that has none. */
const NOTHING: ListedMessage = { role: "" };

/** Of conversations the files are remembered by name. */
const MOST_CONVERSATIONS = 50_000;
/** Of a conversation so many ends of paths: a request that goes on from one of them is not walked through from its first message. */
const MOST_ENDS = 16;

/** A conversation as it is kept, and what was answered to which of its messages. */
interface Opened {
  readonly file: Recorded;
  readonly session: string;
  readonly answers: Answers;
  /** Ids of the last messages of lists that were recorded, by their places in the tree. */
  readonly ends: RecentMap<string, string>;
}

const redact = (text: string): string => redactSecrets(text, {});

/** Ids of answers, by the message before them and their print. */
type Answers = Map<string, string>;

/**
 * Keeps each conversation apart, its messages and its requests. A message's id is that of its place in the tree of beginnings, so
 * that nothing is kept twice, by whatever process: a fork is a branch of the same conversation. Throws as what keeps it does.
 */
export function createRecorder(recordings: Recordings): Recorder {
  const opened = new WeakMap<Recorded, Opened>();
  /** By conversation, of this process; and which conversation has a session. */
  const sessions = new RecentMap<string, string>();
  const owners = new Map<string, string>();

  const sessionOf = ({ line }: Placed, request: Fields): string => {
    const known = sessions.get(line.conversation);
    if (known !== undefined) return known;
    const first = canonicalMessage(messagesOf(request)[0] ?? NOTHING);
    const plain = hashValue([line.lane, first]);
    // The same words at the same time in another conversation: it has a file of its own.
    const session = owners.has(plain)
      ? hashValue([line.lane, first, request["model"], request["system"]])
      : plain;
    sessions.set(line.conversation, session);
    owners.set(session, line.conversation);
    const [conversation, oldest] = sessions.oldest() ?? [];
    if (sessions.size > MOST_CONVERSATIONS && conversation !== undefined && oldest !== undefined) {
      sessions.delete(conversation);
      owners.delete(oldest);
    }
    return session;
  };

  const openFor = (placed: Placed, exchange: Exchange, request: Fields): Opened | undefined => {
    const session = sessionOf(placed, request);
    const tenant = exchange.tenant.replaceAll(/[^\w-]/g, "_");
    const answers: Answers = new Map();
    const file = recordings.file(join(tenant, `gateway-${session}`), session, (message) => {
      if (message.type !== "assistant") return;
      noteAnswer(answers, answerKey(message.parentUuid, printOf(message.message.content)), message.uuid);
    });
    if (file === undefined) return undefined;
    const known = opened.get(file) ?? { file, session, answers, ends: new RecentMap() };
    opened.set(file, known);
    return known;
  };

  return {
    record(exchange, { placed, request, text, outcome }) {
      const into = openFor(placed, exchange, request);
      if (into === undefined) return;
      const { file, session, answers, ends } = into;
      const messages = messagesOf(request);
      const { path, end } = pathTo(placed.node, ends);
      let parent = end;
      for (const node of path) {
        const uuid: string = uuidOf(into, parent, node);
        const value = messages[node.depth - 1];
        if (!file.has(uuid)) file.message(messageOf(value, { session, uuid, parent, exchange, request }));
        parent = uuid;
      }
      if (parent !== null) noteEnd(ends, placed.node.key, parent);
      const answer = wholeAnswer(exchange);
      if (answer !== undefined) {
        const { id, model, content, usage, stop_reason: stopReason } = answer;
        const uuid = uuidFor(hashValue(["answer", session, parent, id]), hashValue([id, parent]));
        if (!file.has(uuid)) {
          const origin = originOf({ session, uuid, parent, at: exchange.at + exchange.milliseconds });
          file.message(createAssistantMessage(origin, { id, model, content, usage, stopReason }));
          noteAnswer(answers, answerKey(parent, printOf(content)), uuid);
        }
      }
      file.request({
        at: exchange.at,
        text,
        client: clientOf(exchange.headers, request),
        betas: betasOf(exchange.headers),
        outcome: { ...outcome, ...(answer === undefined ? {} : { response: answer.id }) },
      });
    },
  };
}

/** The beginnings of a list from the longest on that was recorded, and the id of the message at its end. */
function pathTo(
  node: PrefixNode,
  ends: RecentMap<string, string>,
): { readonly path: readonly PrefixNode[]; readonly end: string | null } {
  const path: PrefixNode[] = [];
  for (let at: PrefixNode | undefined = node; at?.message !== undefined; at = at.parent) {
    const end = ends.get(at.key);
    if (end !== undefined) return { path: path.toReversed(), end };
    path.push(at);
  }
  return { path: path.toReversed(), end: null };
}

function noteEnd(ends: RecentMap<string, string>, key: string, uuid: string): void {
  ends.set(key, uuid);
  const [oldest] = ends.oldest() ?? [];
  if (ends.size > MOST_ENDS && oldest !== undefined) ends.delete(oldest);
}

const answerKey = (parent: string | null, print: string): string => `${parent ?? ""} ${print}`;

/** Of several that are the same, the first. */
function noteAnswer(answers: Answers, key: string, uuid: string): void {
  if (!answers.has(key)) answers.set(key, uuid);
}

/** The id of a message after another: that of its place in the tree, and of an answer that was recorded as it came, that one's. */
function uuidOf({ answers }: Opened, parent: string | null, node: PrefixNode): string {
  const { role, content } = node.message ?? NOTHING;
  const answer = role === "assistant" ? answers.get(answerKey(parent, printOf(content))) : undefined;
  return answer ?? uuidFor(node.key);
}

/** What of an answer a client sends back whatever it leaves out: its words and its calls. The same once keys are taken out. */
function printOf(content: unknown): string {
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  return hashValue(
    blocks
      .map(asFields)
      .flatMap(({ type, text, id }) =>
        type === "text" ? [redact(String(text))] : type === "tool_use" ? [id] : [],
      ),
  );
}

/** 32 hex digits in the form of a uuid. */
function uuidFor(...hex: readonly string[]): string {
  const digits = hex.join("");
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digits.slice(from, to))
    .join("-");
}

interface Place {
  readonly session: string;
  readonly uuid: string;
  readonly parent: string | null;
}

const originOf = ({ session, uuid, parent, at }: Place & { readonly at: number }) => ({
  clock: { now: () => at },
  ids: { next: () => uuid },
  sessionId: session,
  parentUuid: parent,
});

type Content = Parameters<typeof createUserMessage>[1]["content"];
type AnswerContent = Parameters<typeof createAssistantMessage>[1]["content"];

function messageOf(
  value: unknown,
  place: Place & { readonly exchange: Exchange; readonly request: Fields },
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
