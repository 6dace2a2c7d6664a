import { isCompactBoundary, type AssistantMessage, type BilledCall, type Message } from "@palimpsest/core";
import {
  isBilledCallsRecord,
  isMainThread,
  readBilledCalls,
  SYNTHETIC_MODEL,
  type BilledCallsRecord,
} from "@palimpsest/core/engine";
import { isFields } from "./readers/recording.js";

/** The main conversation in a recording: it does not say whose it was. */
const MAIN = "main";
/** A subagent in a recording that does not say of what kind it was. */
const SUBAGENT = "agent";

/**
 * Every call that a recording tells of, once: responses, however many lines they have, subagents' too; calls for
 * summaries, as boundaries of ours tell of them; and what stands in records of its own.
 */
export function recordedCalls(messages: readonly Message[]): readonly BilledCall[] {
  const seen = new Map<string, readonly BilledCall[]>();
  for (const message of messages) {
    const told = callsToldIn(message);
    if (told !== undefined) seen.set(told.key, told.calls);
  }
  return [...seen.values()].flat();
}

export interface ToldCalls {
  /** What is told again under the same key takes the place of what was told before. */
  readonly key: string;
  readonly calls: readonly BilledCall[];
}

/** The calls that one message of a recording tells of. */
export function callsToldIn(message: Message): ToldCalls | undefined {
  const isSidechain = message.isSidechain === true;
  if (message.type === "assistant") return responseIn(message, isSidechain ? SUBAGENT : MAIN);
  const key = `line ${message.uuid}`;
  if (isCompactBoundary(message)) {
    const source = isSidechain ? `${SUBAGENT}/compact` : "compact";
    return { key, calls: readBilledCalls(message.compactMetadata?.["summaryCalls"], source) };
  }
  if (!isBilledCallsRecord(message)) return undefined;
  const { billedCalls } = message as Partial<BilledCallsRecord>;
  const calls = readBilledCalls(billedCalls, isSidechain ? SUBAGENT : MAIN);
  return { key, calls: calls.map((call) => ({ ...call, source: recordedSource(call.source) })) };
}

/** Responses do not say whether a person or a program drove their conversation: what is beside them does not either. */
const recordedSource = (source: string): string =>
  source !== "compact" && isMainThread(source) ? MAIN : source;

/** The last line of a response has its final usage. Recordings may leave anything out. */
function responseIn({ message, uuid }: AssistantMessage, source: string): ToldCalls | undefined {
  const { id, model, usage }: Partial<Record<string, unknown>> = isFields(message) ? message : {};
  if (model === SYNTHETIC_MODEL || !isFields(usage)) return undefined;
  const key = typeof id === "string" && id !== "" ? `response ${id}` : `line ${uuid}`;
  return { key, calls: readBilledCalls([{ model, usage }], source) };
}
