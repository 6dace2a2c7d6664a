import { appendFileSync, chmodSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { randomUUID } from "node:crypto";
import type { Message } from "@palimpsest/core";
import { decodeLine } from "@palimpsest/core/engine";
import { idOf, markedLast, requestParts, textBlock, type PartKeeper } from "./request-parts.js";
import {
  requestLineTypes,
  type RequestLine,
  type RequestOutcome,
  type RequestRecord,
} from "./request-record.js";

/** A request as it went out. */
interface SentRequest extends Pick<RequestRecord, "client" | "betas"> {
  readonly at: number;
  /** The body. */
  readonly text: string;
  readonly outcome: RequestOutcome;
}

/** A recording of one conversation: its transcript, and its requests. */
export interface ConversationRecording {
  readonly path: string;
  /** How much is remembered of it: grows with what it holds. */
  readonly size: () => number;
  has(uuid: string): boolean;
  /** Writes a message that it does not have yet. Throws as the disk does. */
  message(message: Message): void;
  /** Writes what is new of a request. Throws as the disk does, and for a body that is not JSON. */
  request(request: SentRequest): void;
}

export interface ConversationRecordingOptions {
  readonly sessionId: string;
  /** A text without what must not be written. */
  readonly redact: (text: string) => string;
  /** Told of bytes before they are written; throws where there is no room for them. */
  readonly account?: (bytes: number) => void;
  /** Told of every message that is in it at the start. */
  readonly onMessage?: (message: Message) => void;
}

/** Opens a recording, new or old, for this user alone. A line that a crash cut off ends here. */
export function openConversationRecording(
  path: string,
  { sessionId, redact, account = () => {}, onMessage = () => {} }: ConversationRecordingOptions,
): ConversationRecording {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  appendFileSync(path, "", { mode: 0o600 });
  chmodSync(path, 0o600);
  const uuids = new Set<string>();
  /** Lines that it has, by kind and id: a list of nothing and a part that is an empty list have the same id. */
  const known = new Set<string>();
  /** Ids of values that something was taken out of, by the id that they would have had. */
  const redacted = new Map<string, string>();
  /** Where in the transcript a value stands, by its id. */
  const places = new Map<string, readonly [uuid: string, block?: number]>();

  /** A line that the disk had no room for may stand there in part: the next one does not go on from it. */
  let isTorn = false;
  const write = (line: Message | RequestLine): void => {
    const text = `${isTorn ? "\n" : ""}${JSON.stringify(line)}\n`;
    account(Buffer.byteLength(text));
    isTorn = true;
    appendFileSync(path, text, { mode: 0o600 });
    isTorn = false;
  };

  const note = (message: Message): void => {
    uuids.add(message.uuid);
    if (message.type !== "user" && message.type !== "assistant") return;
    const { content } = message.message;
    const place = (block: unknown, ...at: [] | [number]): void =>
      void places.set(idOf(JSON.stringify(block) ?? ""), [message.uuid, ...at]);
    if (typeof content === "string") return place(textBlock(content));
    for (const [index, block] of content.entries()) place(markedLast(block)?.bare ?? block, index);
  };

  const before = readFileSync(path, "utf8");
  if (before !== "" && !before.endsWith("\n")) appendFileSync(path, "\n");
  for (const line of before.split("\n")) {
    const decoded = decodeLine(line);
    if (decoded.kind === "message") {
      note(decoded.message);
      onMessage(decoded.message);
    } else if (decoded.kind === "foreign" && isRequestLine(decoded.entry)) known.add(keyOf(decoded.entry));
  }

  const clean = (value: unknown): unknown => withoutSecrets(value, redact);

  const keep = (line: RequestLine): void => {
    if (known.has(keyOf(line))) return;
    write(line);
    known.add(keyOf(line));
  };

  const keepPart = (value: unknown): { readonly id: string; readonly isRedacted: boolean } => {
    const own = idOf(JSON.stringify(value) ?? "null");
    const other = redacted.get(own);
    if (other !== undefined) return { id: other, isRedacted: true };
    if (known.has(keyOf({ type: requestLineTypes.part, id: own }))) return { id: own, isRedacted: false };
    const cleaned = clean(value);
    const isRedacted = cleaned !== value;
    const id = isRedacted ? idOf(JSON.stringify(cleaned)) : own;
    if (isRedacted) redacted.set(own, id);
    const of = places.get(id);
    keep(of === undefined ? { type: "request_part", id, value: cleaned } : { type: "request_part", id, of });
    return { id, isRedacted };
  };

  return {
    path,
    size: () => uuids.size + known.size + places.size,
    has: (uuid) => uuids.has(uuid),
    message(message) {
      if (uuids.has(message.uuid)) return;
      const written = clean(message) as Message;
      write(written);
      note(written);
    },
    request({ at, text, outcome, client, betas = [] }) {
      const body: unknown = JSON.parse(text);
      let isRedacted = false;
      const keeper: PartKeeper = {
        part(value) {
          const kept = keepPart(value);
          isRedacted ||= kept.isRedacted;
          return kept.id;
        },
        line: keep,
        clean(value) {
          const cleaned = clean(value);
          isRedacted ||= cleaned !== value;
          return cleaned;
        },
      };
      const parts = requestParts(body as Readonly<Record<string, unknown>>, keeper);
      write({
        type: "request",
        id: randomUUID(),
        timestamp: new Date(at).toISOString(),
        sessionId,
        ...(client === undefined ? {} : { client }),
        ...(betas.length === 0 ? {} : { betas }),
        ...parts,
        bytes: Buffer.byteLength(text),
        exact: JSON.stringify(body) === text,
        ...(isRedacted ? { redacted: true as const } : {}),
        ...outcome,
      });
    },
  };
}

const keyOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type} ${id}`;

const types: ReadonlySet<string> = new Set(Object.values(requestLineTypes));

const isRequestLine = (entry: {
  readonly type: string;
  readonly id?: unknown;
}): entry is RequestLine & typeof entry => types.has(entry.type) && typeof entry.id === "string";

/** Every text without what must not be written; the same value where there is nothing. */
function withoutSecrets(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutSecrets(item, redact));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let isChanged = false;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    const cleaned = withoutSecrets(field, redact);
    isChanged ||= cleaned !== field;
    return [name, cleaned];
  });
  return isChanged ? Object.fromEntries(fields) : value;
}
