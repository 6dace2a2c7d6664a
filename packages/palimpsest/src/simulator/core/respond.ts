import type { AssistantBlock, ModelResponse, ResponseUsage } from "@palimpsest/core";
import type { Delivery } from "../player.js";
import type { Outcome, SimulatedCall, Verdict } from "../outcome.js";
import { deletedTokens } from "./cache-edits.js";
import { diagnose } from "./diagnostics.js";
import { editsOf } from "./edits.js";
import type { Environment } from "./environment.js";
import { explainMisses, type MissContext } from "./explain-miss.js";
import { amountOf, asText, isFields, type Fields } from "../fields.js";
import { isThinking, START, blocksOf } from "./message-chain.js";
import { prepare, refuse, type PreparedRequest } from "./prepare.js";
import { geoFactor, priceOf, type BilledTokens } from "./pricing.js";
import { readCache, writeCache, type Cache, type CacheReading } from "./prompt-cache.js";
import { layOutPrompt, type Prompt } from "./prompt.js";
import { recordOf } from "./request-record.js";
import { sealCompaction, thinkingId } from "./seals.js";
import { remember, type SimulatorState } from "./state.js";
import { blockTokens } from "../tokens/block-tokens.js";
import { addBilled, billedOf, iterationOf, nothingBilled, usageOf, withoutDeleted } from "./usage.js";
import { writeAnswer, type WrittenAnswer } from "./write-answer.js";

export interface Responded {
  readonly state: SimulatorState;
  readonly outcome: Outcome;
}

/** The simulated API: a call at a time against a state gives an outcome and the state after it. */
export function respond(
  state: SimulatorState,
  call: SimulatedCall,
  { now, environment }: { readonly now: number; readonly environment: Environment },
): Responded {
  const prepared = prepare(call, environment);
  if ("kind" in prepared) return { state, outcome: prepared };
  if (call.endpoint === "count_tokens") return { state, outcome: countOutcome(prepared) };
  const deleted = environment.cacheEdits === true ? deletedFrom(state, prepared, now) : 0;
  const tooLong = checkWindow(prepared, deleted);
  if (tooLong !== undefined) return { state, outcome: tooLong };
  return new Exchange(state, call, prepared, now, environment).run();
}

function countOutcome({ request, prompt, originalTokens }: PreparedRequest): Outcome {
  const hasEdits = isFields(request["context_management"]);
  return {
    kind: "count",
    body: {
      input_tokens: prompt.totalTokens,
      ...(hasEdits ? { context_management: { original_input_tokens: originalTokens } } : {}),
    },
  };
}

/** What edits take out of the cached prefix: it fills the window no more. */
function deletedFrom(state: SimulatorState, { model, prompt, seen }: PreparedRequest, now: number): number {
  const { hit } = readCache(state.cache, prompt, { now, minimum: model.minimumCachePrefix });
  return deletedTokens(seen, (hit?.index ?? -1) - prompt.headPositions);
}

function checkWindow({ request, model, prompt }: PreparedRequest, deleted: number): Outcome | undefined {
  const totalTokens = prompt.totalTokens - deleted;
  if (totalTokens > model.contextWindow) {
    return refuse(`prompt is too long: ${totalTokens} tokens > ${model.contextWindow} maximum`);
  }
  if (
    model.capabilities.refusesInputPlusMaxTokens &&
    totalTokens + request.max_tokens > model.contextWindow
  ) {
    return refuse(
      `input length and \`max_tokens\` exceed context limit: ${totalTokens} + ${request.max_tokens} > ${model.contextWindow}, decrease input length or \`max_tokens\` and try again`,
    );
  }
  return undefined;
}

/** One prompt that the model reads, as it is billed. */
interface Reading {
  readonly prompt: Prompt;
  readonly cache: CacheReading;
}

/** One accepted request on its way to an answer. */
class Exchange {
  readonly #state: SimulatorState;
  readonly #call: SimulatedCall;
  readonly #prepared: PreparedRequest;
  readonly #now: number;
  readonly #environment: Environment;
  /** Tokens that edits inside the cache took out of the prompt. */
  readonly #deletedBefore: number;
  #memory: unknown;

  constructor(
    state: SimulatorState,
    call: SimulatedCall,
    prepared: PreparedRequest,
    now: number,
    environment: Environment,
  ) {
    this.#state = state;
    this.#call = call;
    this.#prepared = prepared;
    this.#now = now;
    this.#environment = environment;
    this.#memory = state.playerMemory;
    this.#deletedBefore = environment.cacheEdits === true ? deletedFrom(state, prepared, now) : 0;
  }

  run(): Responded {
    const { request } = this.#prepared;
    if (isFields(request["compaction"])) return this.#compactOnDemand(request["compaction"]);
    const edit = this.#compactionEdit();
    if (edit !== undefined) return this.#compactAtThreshold(edit);
    return this.#answer();
  }

  /** The server's own summary, if its threshold is reached. */
  #compactionEdit(): Fields | undefined {
    const edit = editsOf(this.#prepared.request).find(({ type }) => type === "compact_20260112");
    if (edit === undefined) return undefined;
    return this.#prepared.prompt.totalTokens >= amountOf(edit["trigger"], 150_000) ? edit : undefined;
  }

  #read(prompt: Prompt, cache: Cache): Reading {
    const minimum = this.#prepared.model.minimumCachePrefix;
    return { prompt, cache: readCache(cache, prompt, { now: this.#now, minimum }) };
  }

  #write(reading: Reading, cache: Cache, delivery: Delivery): Cache {
    const beginsAt = this.#now + Math.max(delivery.delayMs ?? 0, this.#call.delayMs ?? 0);
    const minimum = this.#prepared.model.minimumCachePrefix;
    return writeCache(cache, reading.prompt, { now: this.#now, beginsAt, minimum, hit: reading.cache.hit });
  }

  #ask(
    kind: "message" | "compaction",
    more: { messages?: PreparedRequest["messages"]; instructions?: string } = {},
  ) {
    const { request, messages } = this.#prepared;
    const { answer, memory } = this.#environment.player.answer(
      { request, messages, kind, now: this.#now, sequence: this.#state.sequence, ...more },
      this.#memory,
    );
    this.#memory = memory;
    return answer;
  }

  /** A summary by whoever plays the model; null for none. */
  #summarise(instructions: string): { readonly text: string | null; readonly tokens: number } {
    const answer = this.#ask("compaction", instructions === "" ? {} : { instructions });
    const text = answer.content
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join("\n")
      .trim();
    if (answer.error !== undefined || text === "") return { text: null, tokens: 1 };
    const tokens = blockTokens({ type: "text", text }, this.#prepared.model, this.#environment.counter);
    return { text, tokens };
  }

  get #binding(): string {
    return this.#prepared.sent.entries.at(-1)?.binding ?? START;
  }

  #compactOnDemand(asked: Fields): Responded {
    const reading = this.#read(this.#prepared.prompt, this.#state.cache);
    const { text, tokens } = this.#summarise(asText(asked["instructions"]));
    const billed = billedOf(reading.cache, tokens);
    const content: AssistantBlock[] =
      text === null
        ? []
        : [{ type: "compaction", content: text, signature: sealCompaction(text, this.#binding) }];
    return this.#finish({
      reading,
      cache: this.#write(reading, this.#state.cache, {}),
      content,
      stopReason: text === null ? "end_turn" : "compaction",
      usage: { ...usageOf(nothingBilled), iterations: [iterationOf("compaction", billed)] },
      billed: [billed],
      delivery: {},
    });
  }

  #compactAtThreshold(edit: Fields): Responded {
    const reading = this.#read(this.#prepared.prompt, this.#state.cache);
    const { text, tokens } = this.#summarise(asText(edit["instructions"]));
    const billed = billedOf(reading.cache, tokens);
    const cache = this.#write(reading, this.#state.cache, {});
    const block: AssistantBlock = {
      type: "compaction",
      content: text,
      encrypted_content: text === null ? null : sealCompaction(text, this.#binding),
    };
    if (edit["pause_after_compaction"] === true && text !== null) {
      return this.#finish({
        reading,
        cache,
        content: [block],
        stopReason: "compaction",
        usage: { ...usageOf(nothingBilled), iterations: [iterationOf("compaction", billed)] },
        billed: [billed],
        delivery: {},
      });
    }
    return this.#answer({ cache, before: [block], billed, summarised: text !== null });
  }

  #answer(compacted?: {
    readonly cache: Cache;
    readonly before: readonly AssistantBlock[];
    readonly billed: BilledTokens;
    readonly summarised: boolean;
  }): Responded {
    const { request, model } = this.#prepared;
    const seen = compacted?.summarised === true ? this.#behindSummary(compacted.before) : this.#prepared;
    const reading = this.#read(seen.prompt, compacted?.cache ?? this.#state.cache);
    const answer =
      request.max_tokens === 0 ? { content: [] } : this.#ask("message", { messages: seen.messages });
    const delivery = answer.delivery ?? {};
    if (answer.error !== undefined) {
      const state = { ...this.#state, sequence: this.#state.sequence + 1, playerMemory: this.#memory };
      return { state, outcome: { kind: "error", ...answer.error, delivery } };
    }
    const written: WrittenAnswer =
      request.max_tokens === 0
        ? { content: [], stopReason: "max_tokens", stopSequence: null, tokens: 0, thinkingTokens: 0 }
        : writeAnswer(answer, {
            request,
            model,
            counter: this.#environment.counter,
            blocks: this.#environment.blocks,
            head: () => this.#environment.headBinding(request),
            binding: () => this.#binding,
            lastThinking: this.#lastThinking(),
            sequence: this.#state.sequence,
            idTag: (this.#prepared.sent.entries.at(-1)?.digest ?? "").slice(0, 8),
            room: model.contextWindow - seen.prompt.totalTokens + this.#deletedBefore,
          });
    const billed = billedOf(reading.cache, written.tokens);
    const iterations =
      compacted === undefined
        ? {}
        : { iterations: [iterationOf("compaction", compacted.billed), iterationOf("message", billed)] };
    return this.#finish({
      reading,
      cache: this.#write(reading, compacted?.cache ?? this.#state.cache, delivery),
      content: [...(compacted?.before ?? []), ...written.content],
      stopReason: written.stopReason,
      stopSequence: written.stopSequence,
      usage: { ...usageOf(billed, written.thinkingTokens), ...iterations },
      billed: compacted === undefined ? [billed] : [compacted.billed, billed],
      delivery,
    });
  }

  /** What the model reads once its own summary has replaced everything. */
  #behindSummary(before: readonly AssistantBlock[]): Pick<PreparedRequest, "prompt" | "messages"> {
    const { request, model } = this.#prepared;
    const messages = [{ role: "assistant" as const, content: before }];
    const seen = this.#environment.seenMessages(model).read(messages);
    const { workspace, betas } = this.#call;
    const { blocks } = this.#environment;
    return { messages, prompt: layOutPrompt({ request, chain: seen, model, workspace, betas, blocks }) };
  }

  #lastThinking(): string | undefined {
    const { entries } = this.#prepared.sent;
    if (entries.at(-1)?.hasThinking !== true) return undefined;
    const entry = entries.findLast((item) => item.blocks.some((block) => isThinking(block.type)));
    const block =
      entry && blocksOf(entry.message).findLast((item) => isFields(item) && isThinking(asText(item["type"])));
    return isFields(block) ? thinkingId(asText(block["signature"]) || asText(block["data"])) : undefined;
  }

  #finish(done: {
    readonly reading: Reading;
    readonly cache: Cache;
    readonly content: readonly AssistantBlock[];
    readonly stopReason: string;
    readonly stopSequence?: string | null;
    readonly usage: ResponseUsage;
    readonly billed: readonly BilledTokens[];
    readonly delivery: Delivery;
  }): Responded {
    const { request, model, seen, appliedEdits, transformations } = this.#prepared;
    const { prompt, cache } = done.reading;
    const speed = typeof request["speed"] === "string" ? request["speed"] : "standard";
    const context: MissContext = {
      cache: this.#state.cache,
      prompt: this.#prepared.prompt,
      chain: seen,
      reading: cache,
      minimum: model.minimumCachePrefix,
      now: this.#now,
      records: this.#state.records,
      workspace: this.#call.workspace,
      model: model.id,
      speed,
    };
    const diagnostics = diagnose(request, context);
    const readBlocks = (cache.hit?.index ?? -1) - prompt.headPositions;
    const deleted = this.#environment.cacheEdits === true ? deletedTokens(seen, readBlocks) : 0;
    const message: ModelResponse = {
      id: `${this.#environment.idPrefix ?? "msg_sim_"}${String(this.#state.sequence).padStart(6, "0")}`,
      type: "message",
      role: "assistant",
      model: request.model,
      content: done.content,
      stop_reason: done.stopReason,
      stop_sequence: done.stopSequence ?? null,
      stop_details: null,
      container: null,
      usage: {
        ...(deleted === 0 ? done.usage : withoutDeleted(done.usage, deleted)),
        inference_geo: typeof request["inference_geo"] === "string" ? request["inference_geo"] : "global",
        speed,
      },
      ...(isFields(request["context_management"])
        ? { context_management: { applied_edits: appliedEdits } }
        : {}),
      ...(diagnostics === undefined ? {} : { diagnostics }),
      ...(transformations.length === 0 ? {} : { input_transformations: transformations }),
    };
    const cost = done.billed.reduce((sum, tokens) => sum + priceOf(model, tokens), 0) * geoFactor(request);
    const billed = done.billed.reduce(addBilled, nothingBilled);
    const verdict: Verdict = {
      model: model.id,
      promptTokens: prompt.totalTokens - deleted,
      ...billed,
      cacheRead: Math.max(0, billed.cacheRead - deleted),
      cost,
      hit: cache.hit === undefined ? null : { path: cache.hit.path, tokens: cache.hit.tokens },
      misses: explainMisses(context),
      cached: prompt.breakpoints
        .map(({ index }) => prompt.at(index))
        .filter(({ tokens }) => tokens >= model.minimumCachePrefix)
        .map(({ path, tokens }) => ({ path, tokens })),
    };
    const record = recordOf(this.#prepared.prompt, seen, {
      messageId: message.id,
      workspace: this.#call.workspace,
      model: model.id,
      speed,
      cachedTokens: cache.read + cache.write5m + cache.write1h,
    });
    const state = remember(
      { ...this.#state, sequence: this.#state.sequence + 1, playerMemory: this.#memory },
      { cache: done.cache, record, now: this.#now },
    );
    return { state, outcome: { kind: "message", message, delivery: done.delivery, verdict } };
  }
}
