import { findModel, isCompactBoundary, type AssistantMessage, type Message } from "@palimpsest/core";
import { hashValue, isClearingBoundary, isMediaBoundary, SYNTHETIC_MODEL } from "@palimpsest/core/engine";
import { billedTokens, promptTokens } from "../../replay/measures/recorded-bill.js";
import { DEFAULT_REPLAYED_MODEL } from "../../replay/play/playing-conditions.js";
import { asFieldsList, asText, isFields, isRestated, type Fields } from "../../replay/readers/recording.js";
import { commandReads } from "../../shell/command-reads.js";
import { fileCallOf } from "../../replay/world/file-call.js";
import { blockTokens } from "../../simulator/tokens/block-tokens.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import type { AdvisedRequest, ShownFile } from "./advised-request.js";

/** Makes requests of the messages of a recording, which are handed in one by one. */
export interface RequestReader {
  take(message: Message): void;
  /** In the order in which their answers began; once all was handed in. */
  finish(): readonly AdvisedRequest[];
}

/** A call that shows a file, until its result comes. */
interface ReadingCall {
  readonly name: string;
  readonly tokens: number;
}

interface OpenRequest {
  request: AdvisedRequest;
  calls: { readonly id: string; readonly name: string }[];
}

/** One conversation of the file, as far as it was read. */
interface Lane {
  readonly name: string;
  readonly reading: Map<string, ReadingCall>;
  open: OpenRequest | undefined;
  startedAt: number;
  isFresh: boolean;
  forgotten: readonly string[] | "all";
  shown: ShownFile[];
}

const newLane = (name: string): Lane => ({
  name,
  reading: new Map(),
  open: undefined,
  startedAt: Number.NaN,
  isFresh: true,
  forgotten: [],
  shown: [],
});

const MAIN = "main";
/** Results that say less are not worth a word. */
const LEAST_CHARACTERS = 200;

export function createRequestReader(counter: TokenCounter): RequestReader {
  const lanes = new Map<string, Lane>();
  const laneNames = new Map<string, string>();
  const requests: OpenRequest[] = [];
  const seen = new Map<string, OpenRequest>();
  let model = findModel(DEFAULT_REPLAYED_MODEL);

  const laneOf = (message: Message): Lane => {
    const name = message.isSidechain === true ? sidechainOf(message) : MAIN;
    const lane = lanes.get(name) ?? newLane(name);
    lanes.set(name, lane);
    return lane;
  };

  /** A subagent by its id, else by the message that its own begin with. */
  const sidechainOf = (message: Message): string => {
    const { agentId } = message as { readonly agentId?: unknown };
    const above = message.parentUuid === null ? undefined : laneNames.get(message.parentUuid);
    const name = typeof agentId === "string" ? `agent ${agentId}` : (above ?? `agent ${message.uuid}`);
    laneNames.set(message.uuid, name);
    return name;
  };

  const count = (block: unknown): number => (model === undefined ? 0 : blockTokens(block, model, counter));

  const incoming = (lane: Lane, message: Message): void => {
    lane.startedAt = Date.parse(message.timestamp);
    if (message.type !== "user") return;
    for (const block of asFieldsList(message.message?.content)) {
      if (block["type"] !== "tool_result") continue;
      const call = asText(block["tool_use_id"]);
      const reading = lane.reading.get(call);
      lane.reading.delete(call);
      const text = reading === undefined || block["is_error"] === true ? "" : textOf(block["content"]);
      if (reading === undefined || text.length < LEAST_CHARACTERS) continue;
      const { name, tokens: callTokens } = reading;
      lane.shown.push({ call, name, key: hashValue([name, text]), tokens: count(block), callTokens });
    }
  };

  const answered = (lane: Lane, message: AssistantMessage): void => {
    const { id, usage } = message.message;
    let open = seen.get(id);
    if (open === undefined) {
      open = begin(lane, message);
      seen.set(id, open);
      requests.push(open);
    } else if (isFields(usage)) {
      // The last line of a response has its final usage.
      open.request = { ...open.request, usage: billedTokens(usage) };
    }
    for (const block of asFieldsList(message.message.content)) {
      if (block["type"] !== "tool_use") continue;
      const callId = asText(block["id"]);
      const name = asText(block["name"]);
      open.calls.push({ id: callId, name });
      const file = fileShownBy(name, isFields(block["input"]) ? block["input"] : {});
      if (file !== undefined) lane.reading.set(callId, { name: file, tokens: count(block) });
    }
  };

  const begin = (lane: Lane, message: AssistantMessage): OpenRequest => {
    const { id, usage } = message.message;
    const name = asText(message.message.model);
    model = findModel(name) ?? model;
    const calls: OpenRequest["calls"] = [];
    const request: AdvisedRequest = {
      lane: lane.name,
      startedAt: Number.isNaN(lane.startedAt) ? Date.parse(message.timestamp) : lane.startedAt,
      model: name,
      usage: billedTokens(isFields(usage) ? usage : NO_USAGE),
      response: id,
      isFresh: lane.isFresh,
      forgotten: lane.forgotten,
      shown: lane.shown,
      calls,
      prompt: undefined,
    };
    Object.assign(lane, { startedAt: Number.NaN, isFresh: false, forgotten: [], shown: [] });
    return { request, calls };
  };

  return {
    take(message) {
      if (isRestated(message)) return;
      const lane = laneOf(message);
      if (isCompactBoundary(message)) Object.assign(lane, { isFresh: true, forgotten: "all" });
      else if (isClearingBoundary(message)) {
        const { toolUseIds } = message.microcompactMetadata;
        lane.isFresh = true;
        if (lane.forgotten !== "all") lane.forgotten = [...lane.forgotten, ...toolUseIds];
      } else if (isMediaBoundary(message)) lane.isFresh = true;
      else if (message.type === "user" || message.type === "attachment") incoming(lane, message);
      else if (message.type === "assistant" && message.message?.model !== SYNTHETIC_MODEL) {
        answered(lane, message);
      }
    },
    finish: () => requests.map(({ request }) => request).filter(({ usage }) => promptTokens(usage) > 0),
  };
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0 } as const;

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asFieldsList(content)
        .map(({ text }) => asText(text))
        .join("\n");

/** The file that a call asks to see, as it names it; undefined for every other call. */
function fileShownBy(name: string, input: Fields): string | undefined {
  const call = fileCallOf(name, input);
  if (call?.kind === "read") return typeof call.path === "string" ? call.path : undefined;
  if (call?.kind !== "command") return undefined;
  const [read, ...more] = commandReads(call.command.text);
  return more.length === 0 ? read?.path : undefined;
}
