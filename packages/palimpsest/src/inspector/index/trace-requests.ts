import { isCompactBoundary, type BilledCall, type Message } from "@palimpsest/core";
import { priceCalls, SYNTHETIC_MODEL } from "@palimpsest/core/engine";
import { billedUsage } from "@palimpsest/core/protocols";
import { callsToldIn } from "../../replay/recorded-calls.js";
import { asText } from "../../replay/readers/recording.js";
import { isPiece, isResponse, responseIdOf } from "../../replay/rounds/skeleton.js";
import type { TokenSums } from "../contract.js";
import type { IndexedMessage } from "./indexed-message.js";
import { LaneTracer, type Standing } from "./trace-lane.js";

/** One request of a recording. */
export interface TracedRequest {
  /** Counted from 0, in the order of the file. */
  readonly number: number;
  /** Index into the lanes. */
  readonly lane: number;
  /** Milliseconds since 1970; null where no time was recorded. */
  readonly at: number | null;
  readonly model: string;
  readonly usage: TokenSums;
  /** Whether the recording tells what it has used. */
  readonly isReported: boolean;
  /** Whether its output is what was billed: without a reason to stop it is a placeholder, as older recordings have. */
  readonly isOutputKnown: boolean;
  /** Null where a price is not known. */
  readonly cost: number | null;
  /** What it holds; absent for a call of which only the bill is recorded. */
  readonly context?: Standing;
  /** The messages of its answer. */
  readonly pieces: readonly number[];
  /** Of its answer; empty for a call of which only the bill is recorded. */
  readonly responseId: string;
}

/** A conversation within a recording: the main one, a subagent's, or the calls that somebody made beside it. */
interface TracedLane {
  readonly id: string;
  readonly name: string;
}

export interface TracedConversation {
  readonly requests: readonly TracedRequest[];
  /** The first is the main one. */
  readonly lanes: readonly TracedLane[];
  /** Where each lane stands at the end. */
  readonly standings: readonly Standing[];
  /** Where the main lane stood before each of its boundaries, by their ordinals. */
  readonly beforeBoundary: ReadonlyMap<number, Standing>;
  /** Messages by the number of the request that is the next after them in their lane; -1 where none came. */
  readonly requestAfter: readonly number[];
}

const noTokens: TokenSums = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

type OpenRequest = { -readonly [Name in keyof TracedRequest]: TracedRequest[Name] } & {
  readonly pieces: number[];
};

/** Goes through the messages of a recording once, and says which requests were made, and what each of them held. */
export function traceRequests(messages: readonly IndexedMessage[]): TracedConversation {
  const lanes = new Lanes(messages, !messages.some(isOfMain));
  const requests: OpenRequest[] = [];
  const ended = new Set<OpenRequest>();
  const byResponse = new Map<string, OpenRequest>();
  const asides = new Map<string, OpenRequest[]>();
  const requestAfter: number[] = [];
  const beforeBoundary = new Map<number, Standing>();
  /** Of each lane, the messages that no request has followed. */
  const waiting = new Map<number, number[]>();
  const add = (request: Omit<OpenRequest, "number">): OpenRequest => {
    const added = { ...request, number: requests.length };
    requests.push(added);
    return added;
  };
  for (const [ordinal, { message }] of messages.entries()) {
    const lane = lanes.of(message);
    const tracer = lanes.tracer(lane);
    const told = callsToldIn(message);
    if (isPiece(message) && isResponse(message)) {
      const key = `${lane} ${responseIdOf(message)}`;
      let request = byResponse.get(key);
      if (request === undefined) {
        tracer.settle();
        request = add({
          lane,
          at: timeOf(message),
          model: asText(message.message.model),
          usage: noTokens,
          isReported: false,
          isOutputKnown: false,
          cost: null,
          context: tracer.standing,
          pieces: [],
          responseId: responseIdOf(message),
        });
        byResponse.set(key, request);
        for (const before of waiting.get(lane) ?? []) requestAfter[before] = request.number;
        waiting.set(lane, []);
      }
      request.pieces.push(ordinal);
      requestAfter[ordinal] = request.number;
      const call = told?.calls[0];
      if (call !== undefined) Object.assign(request, billOf(call), { isReported: true });
      if (typeof message.message.stop_reason === "string") ended.add(request);
      request.isOutputKnown = request.isReported && ended.has(request);
    } else {
      const known = told === undefined ? [] : (asides.get(told.key) ?? []);
      const now = (told?.calls ?? []).map((call, index) => {
        const bill = { ...billOf(call), model: call.model, isReported: true, isOutputKnown: true };
        const before = known[index];
        if (before !== undefined) return Object.assign(before, bill);
        return add({
          ...bill,
          lane: lanes.aside(call.source, lane),
          at: timeOf(message),
          pieces: message.type === "assistant" ? [ordinal] : [],
          responseId: "",
        });
      });
      if (told !== undefined) asides.set(told.key, now);
      requestAfter[ordinal] = -1;
      const before = waiting.get(lane);
      if (before === undefined) waiting.set(lane, [ordinal]);
      else before.push(ordinal);
    }
    if (lane === 0 && isCompactBoundary(message)) beforeBoundary.set(ordinal, tracer.standing);
    tracer.take(ordinal);
  }
  return { requests, lanes: lanes.all, standings: lanes.standings(), beforeBoundary, requestAfter };
}

function billOf(call: BilledCall): Pick<TracedRequest, "usage" | "cost"> {
  const billed = billedUsage(call.usage);
  const { dollars, unpricedCalls } = priceCalls([call]);
  return {
    usage: {
      input: billed.input_tokens,
      cacheRead: billed.cache_read_input_tokens,
      cacheWrite5m: billed.cache_creation.ephemeral_5m_input_tokens,
      cacheWrite1h: billed.cache_creation.ephemeral_1h_input_tokens,
      output: billed.output_tokens,
    },
    cost: unpricedCalls > 0 ? null : dollars,
  };
}

const timeOf = ({ timestamp }: Message): number | null => {
  const time = Date.parse(timestamp);
  return Number.isFinite(time) && time > 0 ? time : null;
};

/** Which lane a message belongs to. */
class Lanes {
  readonly all: TracedLane[] = [{ id: "main", name: "main" }];
  readonly #messages: readonly IndexedMessage[];
  readonly #tracers: (LaneTracer | undefined)[];
  readonly #isAgentAlone: boolean;
  readonly #byKey = new Map<string, number>();
  readonly #byMessage = new Map<string, number>();

  /** `isAgentAlone`: the recording is that of a subagent and nobody else, which is its main conversation. */
  constructor(messages: readonly IndexedMessage[], isAgentAlone: boolean) {
    this.#messages = messages;
    this.#isAgentAlone = isAgentAlone;
    this.#tracers = [new LaneTracer(messages)];
  }

  of(message: Message): number {
    if (message.isSidechain !== true || this.#isAgentAlone) return 0;
    const agent = asText((message as { readonly agentId?: unknown }).agentId);
    const parent = this.#byMessage.get(message.parentUuid ?? "");
    const lane =
      agent === ""
        ? (parent ?? this.#open(`chain ${message.uuid}`, ""))
        : this.#open(`agent ${agent}`, agent);
    this.#byMessage.set(message.uuid, lane);
    return lane;
  }

  /** The calls that were made beside a conversation, by who made them. */
  aside(source: string, lane: number): number {
    if (source === "main" && lane === 0) return 0;
    return this.#open(`aside ${source}`, source);
  }

  tracer(lane: number): LaneTracer {
    return (this.#tracers[lane] ??= new LaneTracer(this.#messages));
  }

  standings(): readonly Standing[] {
    return this.all.map((_, lane) => this.tracer(lane).standing);
  }

  #open(key: string, name: string): number {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const lane = this.all.length;
    this.#byKey.set(key, lane);
    this.all.push({ id: `lane-${lane}`, name: name === "" ? `subagent ${lane}` : name });
    return lane;
  }
}

const isOfMain = ({ message }: IndexedMessage): boolean =>
  message.isSidechain !== true && (message.type === "user" || message.type === "assistant");

/** An answer that no model gave: a failure that the program wrote down. */
export const isFailure = (message: Message): boolean =>
  message.type === "assistant" &&
  (message.isApiErrorMessage === true || message.message.model === SYNTHETIC_MODEL);
