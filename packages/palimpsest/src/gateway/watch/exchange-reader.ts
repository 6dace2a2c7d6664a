import { asFields, createCacheWatch, isTooDeep } from "@palimpsest/core/engine";
import type { ModelRequest } from "@palimpsest/core";
import type { RequestOutcome } from "../../recording/request-record.js";
import type { BreakRecord, ConversationRecord, ExchangeRecord } from "../receipt/exchange-record.js";
import { createConversations, type Placed } from "./conversations.js";
import { textOf } from "./decompress.js";
import type { Exchange } from "./exchange.js";
import { laneOf } from "./lane.js";
import { firstDifference } from "./prompt-parts.js";
import { createRecorder, recordingsIn, type Recorder } from "./recorder.js";
import { readExchange } from "./read-exchange.js";
import { betasOf } from "./read-headers.js";
import type { ExchangeReader } from "./watcher.js";
import { playHere, whatIf, type WhatIfPlayer } from "./what-if.js";
import { createWhatIfContents } from "./what-if-contents.js";

type Fields = Readonly<Record<string, unknown>>;

export interface ReaderOptions {
  /** Where conversations are written to, contents and all; undefined for nowhere. */
  readonly recordFolder?: string;
  /** Bytes of contents that are kept for what other policies would have cost. */
  readonly whatIfBytes?: number;
  /** How many conversations there were before this one began. */
  readonly conversationsBefore?: number;
  readonly lanesBefore?: number;
  /** Who plays them. Default: this thread. */
  readonly startPlayer?: () => WhatIfPlayer;
}

/** Reads in the thread that asks, and remembers: which conversation it is, and whether its cache broke. */
export function createExchangeReader(options: ReaderOptions = {}): ExchangeReader {
  const { recordFolder, startPlayer = playHere } = options;
  const recorder = recordFolder === undefined ? undefined : recorderIn(recordFolder);
  const contents = createWhatIfContents(options.whatIfBytes);
  const keeper = createRecorder(contents);
  // Lines are bounded, and the watch knows no others.
  const watch = createCacheWatch({ settings: { cacheBreakSources: 100_000, cacheBreakDiffs: 0 } });
  const conversations = createConversations({
    onForgotten: (line) => watch.forget(line),
    conversationsBefore: options.conversationsBefore ?? 0,
    lanesBefore: options.lanesBefore ?? 0,
  });

  const breakOf = (
    exchange: Exchange,
    call: NonNullable<ExchangeRecord["call"]>,
    { line, request, before, now }: Placed,
  ): BreakRecord | undefined => {
    const endedAt = exchange.at + exchange.milliseconds;
    // One that began before the other was answered could not read what that one wrote.
    const isBeside = exchange.at < line.answeredAt;
    line.answeredAt = Math.max(line.answeredAt, endedAt);
    if (isBeside) return undefined;
    const source = line.id;
    watch.before({
      source,
      request: request as unknown as ModelRequest,
      betas: betasOf(exchange.headers),
      at: exchange.at,
    });
    const found = watch.after({ source, usage: call.usage, at: endedAt, model: call.model });
    if (found === undefined) return undefined;
    const difference = before === undefined ? undefined : firstDifference(before(), now());
    return {
      reasons: found.reasons.map(({ kind }) => kind),
      lostTokens: found.lostTokens,
      cost: found.cost ?? 0,
      gapMs: found.gapMs,
      ...difference,
    };
  };

  const observed = (exchange: Exchange): ExchangeRecord => {
    const record = readExchange(exchange);
    if (record.endpoint !== "messages" || record.call === undefined) return record;
    if (exchange.requestBody === undefined) return { ...record, isUnplaced: true };
    const read = requestOf(exchange);
    if (read === undefined) return record;
    const { request, text } = read;
    const lane = laneOf(exchange.headers, request);
    const key = JSON.stringify([exchange.tenant, lane.key]);
    const placed = conversations.place(request, { ...lane, key, tenant: exchange.tenant });
    const found = breakOf(exchange, record.call, placed);
    const conversation: ConversationRecord = {
      id: placed.line.conversation,
      isNew: placed.isNewConversation,
      isNewLane: placed.isNewLane,
      isSubagent: lane.isSubagent,
      ...(placed.lane === undefined ? {} : { lane: placed.lane }),
      forgotten: placed.forgotten,
    };
    const known = { placed, request, text, outcome: outcomeOf(record) };
    const unrecorded = recordOf(() => recorder?.record(exchange, known));
    recordOf(() => keeper.record(exchange, known));
    return {
      ...record,
      conversation,
      ...(found === undefined ? {} : { found }),
      ...(unrecorded === undefined ? {} : { unrecorded }),
    };
  };

  return {
    read(exchange) {
      try {
        return Promise.resolve(observed(exchange));
      } catch {
        // Whatever a request holds: what it used is known without it.
        return Promise.resolve(readExchange(exchange));
      }
    },
    whatIf: (milliseconds) =>
      whatIf(contents, { start: startPlayer, ...(milliseconds === undefined ? {} : { milliseconds }) }),
    close: () => {},
  };
}

/** A recorder that finds out at its first use whether its folder is one, and says so on every receipt. */
function recorderIn(folder: string): Recorder {
  let opened: Recorder | undefined;
  const open = (): Recorder => (opened ??= createRecorder(recordingsIn(folder, Date.now)));
  try {
    open();
  } catch {
    // Each exchange tries again: what is read of it does not depend on it.
  }
  return { record: (exchange, known) => open().record(exchange, known) };
}

/** What came of a request, for its record. */
const outcomeOf = ({ milliseconds, status, call, error }: ExchangeRecord): RequestOutcome => ({
  milliseconds,
  ...(status === undefined ? {} : { status }),
  ...(call === undefined ? {} : { model: call.model, usage: call.usage }),
  ...(error === undefined ? {} : { error }),
});

/** Why something could not be written; undefined where it could. */
function recordOf(write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  }
}

/** The request as JSON has it, and its text; undefined where it is none, or deeper than anybody writes. */
function requestOf({
  requestBody,
  headers,
}: Exchange): { readonly request: Fields; readonly text: string } | undefined {
  if (requestBody === undefined) return undefined;
  const text = textOf(requestBody, headers["content-encoding"] ?? "");
  const value: unknown = JSON.parse(text);
  const request = asFields(value);
  return isTooDeep(value) || !Array.isArray(request["messages"]) ? undefined : { request, text };
}
