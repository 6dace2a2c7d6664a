import { findModel, type Model, type ModelRequest } from "@palimpsest/core";
import type { Player } from "../player.js";
import type { TokenCounter } from "../tokens/bpe-counter.js";
import { createBlockReader, type BlockReader } from "./block-facts.js";
import { canonicalJson, digest } from "./digest.js";
import { MessageEditor } from "./edits.js";
import { isFields } from "../fields.js";
import { ChainReader } from "./message-chain.js";
import { ThinkingVerifier } from "./thinking-rules.js";

export interface SimulatorSettings {
  readonly player: Player;
  readonly counter: TokenCounter;
  /** The window of every model, for observing limits on short conversations. */
  readonly window?: number;
  /** Accepts the private `cache_edits` and `cache_reference`. */
  readonly cacheEdits?: boolean;
  /** Accepts thinking that was signed elsewhere, as recordings have it. Default false, as the API. */
  readonly acceptForeignSignatures?: boolean;
  /** How ids of responses begin. Default `msg_sim_`: two simulators that answer one conversation need two. */
  readonly idPrefix?: string;
}

/**
 * What a call is answered with besides the state: settings, and memory of what immutable objects were found
 * to be. Two environments with the same settings answer alike, whatever they have seen.
 */
export interface Environment extends SimulatorSettings {
  readonly blocks: BlockReader;
  readonly editor: MessageEditor;
  readonly verifier: ThinkingVerifier;
  modelOf(name: string): Model | undefined;
  /** Reads messages as they were sent. */
  sentMessages(model: Model): ChainReader;
  /** Reads messages as edits and summaries left them. */
  seenMessages(model: Model): ChainReader;
  /** What thinking is bound to at the start of a conversation: tools and system prompt. */
  headBinding(request: ModelRequest): string;
}

export function createEnvironment(settings: SimulatorSettings): Environment {
  const blocks = createBlockReader(settings.counter);
  const models = new Map<string, Model>();
  let lastHead: { readonly head: Head; readonly binding: string } | undefined;
  const readers = () => {
    const known = new Map<string, ChainReader>();
    return (model: Model): ChainReader => {
      let reader = known.get(model.id);
      if (reader === undefined) known.set(model.id, (reader = new ChainReader(blocks, model)));
      return reader;
    };
  };
  return {
    ...settings,
    blocks,
    editor: new MessageEditor(),
    verifier: new ThinkingVerifier(),
    modelOf(name) {
      const found = findModel(name);
      if (found === undefined) return undefined;
      let model = models.get(found.id);
      if (model === undefined) {
        model = settings.window === undefined ? found : { ...found, contextWindow: settings.window };
        models.set(found.id, model);
      }
      return model;
    },
    sentMessages: readers(),
    seenMessages: readers(),
    headBinding(request) {
      const tools = (request.tools ?? []).filter((tool) => tool["defer_loading"] !== true);
      const system =
        typeof request.system === "string" ? [{ type: "text", text: request.system }] : request.system;
      const head = [tools.map(withoutMarker), (system ?? []).map(withoutMarker)];
      // A conversation sends the same head with every request, and it is often most of it.
      if (lastHead === undefined || !isSameHead(lastHead.head, head)) {
        lastHead = { head, binding: digest(canonicalJson(head)) };
      }
      return lastHead.binding;
    },
  };
}

type Head = readonly (readonly unknown[])[];

/** Whether the parts are equal as far as can be told without looking into what they hold. */
const isSameHead = (before: Head, now: Head): boolean =>
  now.every((parts, at) => {
    const known = before[at] ?? [];
    return parts.length === known.length && parts.every((part, index) => isSamePart(known[index], part));
  });

function isSamePart(before: unknown, now: unknown): boolean {
  if (!isFields(before) || !isFields(now)) return before === now;
  const keys = Object.keys(now);
  return keys.length === Object.keys(before).length && keys.every((key) => before[key] === now[key]);
}

function withoutMarker(block: unknown): unknown {
  if (!isFields(block)) return block;
  const { cache_control: _marker, ...rest } = block;
  return rest;
}
