import { createUserMessage, isHumanMessage } from "@palimpsest/core";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { firstDifference } from "../../simulator/breaks/first-difference.js";
import { partsOf } from "../../simulator/breaks/prompt-parts.js";
import { settingsOf } from "../../simulator/breaks/prompt-settings.js";
import { asText, isFields } from "../../replay/readers/recording.js";
import type { BlockRow, PartKind, RequestDifference } from "../contract.js";
import { blockText } from "../index/block-text.js";
import { beginningOf } from "../index/shortened.js";
import { inputOf } from "../index/scale-parts.js";
import type { TracedRequest } from "../index/trace-requests.js";
import type { OpenConversation } from "./conversations.js";
import { blockPreview } from "./block-words.js";
import { fatesOf } from "./cache-fates.js";
import type { RecordedBody, RecordedPart } from "./recorded-bodies.js";

interface Recorded {
  readonly request: TracedRequest;
  readonly body: RecordedBody;
}

const ORIGIN = { clock: { now: () => 0 }, ids: { next: () => "" }, sessionId: "", parentUuid: null };

/** The blocks of a body as it was sent, in the order in which they are cached. */
export function recordedRows(
  { index }: OpenConversation,
  { request, body }: Recorded,
  before: RecordedBody | undefined,
): readonly BlockRow[] {
  const estimator = createDefaultEstimator({ model: request.model });
  const estimates = body.parts.map(({ kind, value }) =>
    estimator.block(kind === "tool" ? JSON.stringify(value) : value),
  );
  const estimated = estimates.reduce((sum, tokens) => sum + tokens, 0);
  const input = inputOf(request);
  const sizes = sumTo(estimates, request.isReported && input > 0 ? input / Math.max(1, estimated) : 1);
  const known = new Set(before?.parts.map(({ id }) => id) ?? []);
  const isNew = (at: number): boolean => before !== undefined && !known.has(body.parts[at]?.id ?? "");
  const fates = fatesOf({ index, request, sizes, isNew });
  const names = new Map<string, string>();
  return body.parts.map((part, at) => {
    const text = partText(part);
    const marker = markerOf(part.marker);
    const name = nameOf(part, names);
    return {
      id: `r${request.number}-${at}`,
      index: at,
      kind: kindOf(part),
      role: part.kind === "tool" ? "tools" : part.kind === "system" ? "system" : roleOf(part),
      type: part.kind === "tool" ? "tool" : typeOf(part.value),
      ...(name === undefined ? {} : { name }),
      tokens: sizes[at] ?? 0,
      estimated: true,
      characters: text.length,
      ...(marker === undefined ? {} : { marker }),
      cache: fates[at] ?? "unknown",
      preview: blockPreview(typeOf(part.value), toolWords(part) ?? text),
      isNew: isNew(at),
      ...(part.kind === "message" ? { message: part.index } : {}),
    };
  });
}

/** Rounded so that the sum of each and all before it stays true. */
function sumTo(estimates: readonly number[], factor: number): readonly number[] {
  let exact = 0;
  let given = 0;
  return estimates.map((estimate) => {
    exact += estimate * factor;
    const tokens = Math.max(0, Math.round(exact) - given);
    given += tokens;
    return tokens;
  });
}

/** The words of a part, or what it is as JSON. */
export const partText = ({ kind, value }: RecordedPart): string =>
  kind === "tool" ? JSON.stringify(value, null, 2) : blockText(value);

/** What a tool says of itself: its name is told beside it. */
const toolWords = ({ kind, value }: RecordedPart): string | undefined =>
  kind === "tool" && isFields(value) ? asText(value["description"]) || undefined : undefined;

const typeOf = (value: unknown): string =>
  isFields(value) ? beginningOf(asText(value["type"]), 60) || "text" : "text";

const roleOf = ({ role }: RecordedPart): BlockRow["role"] =>
  role === "assistant" ? "assistant" : role === "system" ? "system" : "user";

function kindOf(part: RecordedPart): PartKind {
  if (part.kind === "tool") return "tools";
  if (part.kind === "system" || part.role === "system") return "system";
  if (part.role === "assistant") return "assistant";
  if (isFields(part.value) && part.value["type"] === "tool_result") return "results";
  const text = isFields(part.value) ? part.value["text"] : part.value;
  if (typeof text !== "string") return "people";
  return isHumanMessage(createUserMessage(ORIGIN, { content: text })) ? "people" : "attachments";
}

function nameOf({ kind, value }: RecordedPart, names: Map<string, string>): string | undefined {
  if (!isFields(value)) return undefined;
  const { name, id, tool_use_id: answered } = value;
  if (typeof answered === "string") return names.get(answered);
  if (typeof name !== "string" || (kind !== "tool" && typeof id !== "string")) return undefined;
  const short = beginningOf(name, 200);
  if (typeof id === "string") names.set(id, short);
  return short;
}

function markerOf(marker: unknown): "5m" | "1h" | undefined {
  if (!isFields(marker)) return undefined;
  return marker["ttl"] === "1h" ? "1h" : "5m";
}

/** Where a body departs from the one before it, to the byte. */
export function recordedDifference(
  { index }: OpenConversation,
  { request, body }: Recorded,
  before: Recorded,
): RequestDifference {
  const found = index.breakOf.get(request.number);
  const difference = firstDifference(compared(before.body), compared(body), null);
  const loss = {
    against: before.request.number,
    lostTokens: found?.lostTokens ?? 0,
    dollars: found === undefined ? 0 : found.cost,
  };
  if (difference === undefined) {
    const reason = found?.detail ?? null;
    return {
      ...loss,
      reason,
      what: "appended",
      firstByte: null,
      owner: null,
      block: null,
      before: "",
      after: "",
    };
  }
  const { owner, byte, path } = difference;
  const at = body.parts.findIndex((part) => pathOf(part) === path);
  return {
    ...loss,
    what: "changed",
    firstByte: byte,
    owner,
    block: at < 0 ? null : at,
    reason: found === undefined ? null : `${owner} ${difference.what}`,
    before: difference.before,
    after: difference.now,
  };
}

const compared = ({ body, betas }: RecordedBody): Parameters<typeof firstDifference>[0] => ({
  parts: partsOf(body),
  settings: settingsOf(body, betas),
});

const pathOf = ({ kind, index, block }: RecordedPart): string =>
  kind === "tool"
    ? `tools.${index}`
    : kind === "system"
      ? `system.${index}`
      : `messages.${index}.content.${block ?? 0}`;
