import { hashValue } from "@palimpsest/core/engine";
import type { RequestEntry, RequestPart } from "../../replay/requests/request-index.js";
import { readRecordedRequests, type RecordedRequests } from "../../replay/requests/recorded-requests.js";
import { isFields, type Fields } from "../../replay/readers/recording.js";
import type { TracedRequest } from "../index/trace-requests.js";
import type { OpenConversation, RememberedBody } from "./conversations.js";

/** A request as it was sent. */
export interface RecordedBody extends RememberedBody {
  readonly parts: readonly RecordedPart[];
}

/** A part of a body in the order in which it is cached, with its value. */
export interface RecordedPart extends Omit<RequestPart, "uuid"> {
  readonly value: unknown;
}

const read = new WeakMap<OpenConversation["index"], Promise<ByResponse>>();

/** Bodies that were made last: block after block of one request is asked for, and each request beside the one before it. */
const MOST_KEPT_BODIES = 4;

interface ByResponse {
  /** By their responses; the last is the one that was asked for last. */
  readonly kept: Map<string, Promise<RecordedBody>>;
  readonly entries: ReadonlyMap<string, FoundEntry>;
}

interface FoundEntry {
  /** Of the file that it is in. */
  readonly requests: RecordedRequests;
  readonly entry: RequestEntry;
}

/** The body of a request, where a running program remembers it or it stands in the recording. */
export async function recordedBody(
  conversation: OpenConversation,
  { responseId }: Pick<TracedRequest, "responseId">,
): Promise<RecordedBody | undefined> {
  const { index, files, remembered } = conversation;
  const live = remembered?.(responseId);
  if (live !== undefined) return { ...live, parts: partsOfBody(live.body) };
  if (!index.scanned.heads.requests.some(({ response }) => response === responseId)) return undefined;
  let known = read.get(index);
  if (known === undefined) read.set(index, (known = readByResponse(files.map(({ path }) => path))));
  const { entries, kept } = await known;
  const found = entries.get(responseId);
  if (found === undefined) return undefined;
  const body = kept.get(responseId) ?? rebuild(found);
  kept.delete(responseId);
  kept.set(responseId, body);
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT_BODIES) kept.delete(oldest);
  // What could not be read is read again when it is asked for again.
  body.catch(() => kept.delete(responseId));
  return body;
}

async function rebuild({ requests, entry }: FoundEntry): Promise<RecordedBody> {
  const { body } = await requests.rebuild(entry);
  return { body, betas: entry.record.betas ?? [], parts: partsOfBody(body) };
}

async function readByResponse(paths: readonly string[]): Promise<ByResponse> {
  const entries = new Map<string, FoundEntry>();
  for (const path of paths) {
    const requests = await readRecordedRequests(path);
    for (const entry of requests.requests) {
      const { response } = entry.record;
      if (response !== undefined) entries.set(response, { requests, entry });
    }
  }
  return { entries, kept: new Map() };
}

/** The parts of a body that is at hand, with their markers; a part's id says what it is without its marker. */
function partsOfBody(body: Fields): readonly RecordedPart[] {
  const part = (place: Omit<RecordedPart, "id" | "marker" | "value">, given: unknown): RecordedPart => {
    const { cache_control: marker, ...bare } = isFields(given) ? given : { value: given };
    const value = isFields(given) ? bare : given;
    return {
      ...place,
      id: hashValue([place.kind, place.role, value]),
      value,
      ...(marker === undefined ? {} : { marker }),
    };
  };
  return [
    ...listOf(body["tools"]).map((tool, index) => part({ kind: "tool", index }, tool)),
    ...blocksIn(body["system"]).map((block, index) => part({ kind: "system", index }, block)),
    ...listOf(body["messages"]).flatMap((message, index) => {
      if (!isFields(message)) return [];
      const { role } = message;
      const of = { kind: "message" as const, index, ...(typeof role === "string" ? { role } : {}) };
      return blocksIn(message["content"]).map((value, block) => part({ ...of, block }, value));
    }),
  ];
}

const textBlock = (text: string): Fields => ({ type: "text", text });

const blocksIn = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [textBlock(content)] : listOf(content);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
