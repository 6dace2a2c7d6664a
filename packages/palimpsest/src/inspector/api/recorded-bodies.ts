import { type RequestEntry, type RequestPart } from "../../replay/requests/request-index.js";
import { readRecordedRequests, type RecordedRequests } from "../../replay/requests/recorded-requests.js";
import { isFields, type Fields } from "../../replay/readers/recording.js";
import type { TracedRequest } from "../index/trace-requests.js";
import type { OpenConversation } from "./conversations.js";

/** A request as it was sent. */
export interface RecordedBody {
  readonly entry: RequestEntry;
  readonly body: Fields;
  readonly parts: readonly RecordedPart[];
}

/** A part of a body in the order in which it is cached, with its value. */
export interface RecordedPart extends RequestPart {
  readonly value: unknown;
}

const read = new WeakMap<OpenConversation["index"], Promise<ByResponse>>();

interface ByResponse {
  readonly requests: RecordedRequests;
  readonly entries: ReadonlyMap<string, RequestEntry>;
}

/** The body of a request, where it stands in the recording. */
export async function recordedBody(
  conversation: OpenConversation,
  { responseId }: Pick<TracedRequest, "responseId">,
): Promise<RecordedBody | undefined> {
  const { index, path } = conversation;
  if (!index.scanned.heads.requests.some(({ response }) => response === responseId)) return undefined;
  let known = read.get(index);
  if (known === undefined) read.set(index, (known = readByResponse(path)));
  const { requests, entries } = await known;
  const entry = entries.get(responseId);
  if (entry === undefined) return undefined;
  const { body } = await requests.rebuild(entry);
  return {
    entry,
    body,
    parts: requests.parts(entry).map((part) => ({ ...part, value: valueOf(body, part) })),
  };
}

async function readByResponse(path: string): Promise<ByResponse> {
  const requests = await readRecordedRequests(path);
  const entries = new Map(
    requests.requests.flatMap((entry) =>
      entry.record.response === undefined ? [] : [[entry.record.response, entry] as const],
    ),
  );
  return { requests, entries };
}

/** What stands at the place of a part. */
function valueOf(body: Fields, { kind, index, block }: RequestPart): unknown {
  if (kind === "tool") return listOf(body["tools"])[index];
  if (kind === "system") {
    const { system } = body;
    return typeof system === "string" ? { type: "text", text: system } : listOf(system)[index];
  }
  const message = listOf(body["messages"])[index];
  const content = isFields(message) ? message["content"] : undefined;
  if (block !== undefined) return listOf(content)[block];
  return typeof content === "string" ? { type: "text", text: content } : message;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
