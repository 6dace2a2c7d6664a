import { isMainThread, type QuerySource } from "../../messages/call/query-source.js";
import { createBilledCallsRecord } from "../../messages/billed-calls.js";
import type { Clock, Ids, MessageOrigin } from "../../messages/construct.js";
import type { Message } from "../../messages/message.js";
import { findModel } from "../../models/table.js";
import type { Model } from "../../models/model.js";
import { noNativeClearing, type NativeClearing } from "../clear/api-native.js";
import { noCachedEdits, restoreCachedEdits, type CachedEdits } from "../clear/cached-edits.js";
import { createCompactableTools, type CompactableTools } from "../tools/compactable-tools.js";
import type { CostFacts } from "../money/cost-rule.js";
import { pricesAt } from "../money/cost-rule.js";
import type { ClearContext, ClearDecision } from "../clear/decision.js";
import { createEventEmitter, type EventEmitter } from "../events/emitter.js";
import { headTokens } from "../measure/context-meter.js";
import type { Estimator } from "../ports/estimator.js";
import { uncalibrated } from "../measure/calibration.js";
import { createDefaultEstimator } from "../measure/default-estimator.js";
import { createMeasuredSizes } from "../measure/measured-sizes.js";
import { thresholdsFor, type Thresholds } from "../measure/thresholds.js";
import { createLedger, type Ledger } from "../money/ledger.js";
import { ttlMilliseconds } from "../prompt/cache-writes.js";
import { messagesApiCapabilities, type ProviderCapabilities } from "../ports/capabilities.js";
import { createRequestBuilder, type BuiltRequest, type RequestBuilder } from "../prompt/request-builder.js";
import type { ResolvedSection } from "../prompt/sections.js";
import { relativePrices } from "../prompt/ttl/expected-cost.js";
import { resumedTtlState } from "../prompt/ttl/resumed-ttl.js";
import type { TtlState } from "../prompt/ttl/ttl-state.js";
import { createTtlPolicy, type TtlPolicy } from "../prompt/ttl/ttl-policy.js";
import { matchesPattern } from "../settings/matches-pattern.js";
import type { Settings } from "../settings/settings.js";
import { createCacheWatch, type CacheWatch } from "../watch/cache-watch.js";
import { checkedSettings } from "./check-options.js";
import { startChain, type Chain } from "./chain.js";
import type { ConversationOptions } from "./conversation-options.js";
import { createLiveState, type LiveState } from "./live-state.js";
import { resolveIn } from "../../messages/paths.js";
import { earlyThreshold } from "./early-threshold.js";
import { applyBoundaries } from "./apply-boundaries.js";
import { isLateAnswer } from "../../messages/late-answer.js";
import { RequestAssembly } from "./request-assembly.js";
import { sharedBeginning } from "./shared-beginning.js";

/** Everything that one conversation consists of, and the few ways in which it changes. */
export interface ConversationCore {
  readonly options: ConversationOptions;
  readonly source: QuerySource;
  readonly isMainThread: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
  readonly events: EventEmitter;
  /** What it has cost. */
  readonly ledger: Ledger;
  readonly compactable: CompactableTools;
  readonly builder: RequestBuilder;
  readonly watch: CacheWatch;
  readonly state: LiveState;
  readonly model: string;
  /** Tokens that an answer may have. */
  readonly maxTokens: number;
  /** In the model's own tokens: measured where responses have shown them, else as far as it has learned. */
  readonly estimator: Estimator;
  readonly capabilities: ProviderCapabilities;
  readonly thresholds: Thresholds;
  /** Where it is compacted now: at the window's threshold, or before that where it costs less. */
  readonly compactAt: number;
  readonly ttl: TtlPolicy;
  /** As the last request was built of them. */
  readonly sections: readonly ResolvedSection[];
  /** Another number whenever the list was replaced. */
  readonly generation: number;
  chain: Chain;
  edits: CachedEdits;
  areEditsStale: boolean;
  native: NativeClearing;
  /** Whether the last request held pictures. */
  hadImages: boolean;
  /** What was decided last on clearing, by variant, so that asking again costs nothing. */
  lastDecision: ClearDecision | undefined;
  lastPromptTokens: number;
  /** What was stored last, where that is not the last of the list: the next message hangs on it. */
  tip: string | undefined;
  readonly origin: () => MessageOrigin;
  readonly thresholdsOf: (model: string) => Thresholds;
  /** Stores messages and takes them in. */
  add(messages: readonly Message[]): Promise<void>;
  /** Stores messages that become part of the conversation in another way. */
  store(messages: readonly Message[]): Promise<void>;
  /** The live list is another one from here on. */
  replace(live: readonly Message[]): void;
  forgetClearings(): void;
  resetPrompt(): void;
  useModel(model: string, maxTokens: number | undefined): void;
  /** The API has said how many tokens the window of the model has. */
  learnWindow(tokens: number): void;
  /** Tells, once, that the window of a model is assumed. */
  noteModel(): void;
  clearContext(): ClearContext;
  /** Whether the next request cannot read what the last one left: its time is over, or the first picture came. */
  isCacheLost(): boolean;
  isCachingOn(): boolean;
  /** Of a resumed conversation: knows from here on what its last request left in the cache. */
  pickUp(): Promise<void>;
  build(): Promise<BuiltRequest>;
  /** System prompt and tools of the last built request, as thinking is bound to them. */
  readonly promptHead: string;
}

export function createCore(options: ConversationOptions, messages: readonly Message[]): ConversationCore {
  return new Core(options, messages);
}

/** A model that nobody knows: large enough to be left alone, priced by ratios. */
const unknownWindow = { contextWindow: 200_000, maxOutputTokens: 32_000 } as const;

class Core implements ConversationCore {
  readonly options: ConversationOptions;
  readonly source: QuerySource;
  readonly isMainThread: boolean;
  readonly settings: Settings;
  readonly events: EventEmitter;
  readonly ledger: Ledger;
  readonly compactable: CompactableTools;
  readonly builder = createRequestBuilder();
  readonly watch: CacheWatch;
  state: LiveState;
  model: string;
  estimator: Estimator;
  capabilities: ProviderCapabilities;
  ttl: TtlPolicy;
  chain: Chain;
  edits: CachedEdits;
  areEditsStale = false;
  native: NativeClearing = noNativeClearing;
  lastDecision: ClearDecision | undefined;
  lastPromptTokens = 0;
  tip: string | undefined;
  generation = 0;
  hadImages = false;
  maxTokens: number;
  readonly #assembly: RequestAssembly;
  /** What the API has said of a model's window. */
  readonly #windows = new Map<string, number>();
  /** Models of which nothing is known, once that was told. */
  readonly #noted = new Set<string>();

  constructor(options: ConversationOptions, messages: readonly Message[]) {
    this.options = options;
    this.source = options.source ?? "sdk";
    this.isMainThread = isMainThread(this.source);
    const isCompacted = options.compaction !== "none";
    const settings = checkedSettings(options.settings);
    this.settings = isCompacted ? settings : { ...settings, compactEarly: false };
    this.events = options.events ?? createEventEmitter();
    this.ledger = createLedger({
      events: this.events,
      store: (calls) => this.store([createBilledCallsRecord(this.origin(), calls)]),
    });
    this.compactable = options.compactableTools ?? createCompactableTools();
    this.watch = createCacheWatch({
      settings: this.settings,
      events: this.events,
      ...(options.diffs === undefined ? {} : { diffs: options.diffs }),
    });
    this.maxTokens = options.maxTokens;
    this.model = options.model;
    this.estimator = this.#estimatorFor(options.model);
    this.capabilities = this.#capabilitiesOf(options.model);
    this.ttl = this.#ttlFor(options.model);
    this.chain = startChain(options.ids.next());
    this.state = this.#newState(this.#estimatedOverhead());
    const live = applyBoundaries(messages);
    const asStored = new Set(messages);
    const stored = messages.at(-1);
    if (live !== messages && stored !== undefined && isLateAnswer(stored)) this.tip = stored.uuid;
    this.state.resume(live, (message) => !asStored.has(message));
    this.edits = restoreCachedEdits(live);
    this.hadImages = this.state.media.totals.images > 0;
    if (live.length > 0) {
      const { source, settings } = this;
      this.ttl = this.#ttlFor(options.model, resumedTtlState(live, { source, settings }));
    }
    this.#assembly = new RequestAssembly(this, live);
  }

  get clock(): Clock {
    return this.options.clock;
  }

  get compactAt(): number {
    const { size, stretch } = this.state;
    return earlyThreshold({
      thresholds: this.thresholds,
      settings: this.settings,
      cost: this.#costFacts(),
      tokens: size.reported,
      overhead: headTokens(size),
      stretch,
    });
  }

  get ids(): Ids {
    return this.options.ids;
  }

  readonly origin = (): MessageOrigin => ({
    clock: this.options.clock,
    ids: this.options.ids,
    sessionId: this.options.sessionId,
    parentUuid: this.tip ?? this.state.last?.uuid ?? null,
  });

  get thresholds(): Thresholds {
    return this.thresholdsOf(this.model);
  }

  readonly thresholdsOf = (model: string): Thresholds => {
    const stated = this.#windows.get(model) ?? this.#rememberedWindow(model);
    const known = findModel(model) ?? {
      ...unknownWindow,
      capabilities: { refusesInputPlusMaxTokens: false } as Model["capabilities"],
    };
    const { window } = this.settings;
    return thresholdsFor(
      stated === undefined ? known : { ...known, contextWindow: stated },
      stated === undefined || window === undefined
        ? this.settings
        : { ...this.settings, window: Math.min(window, stated) },
      headTokens(this.state.size),
    );
  };

  /** Of a model that is in no table: others may have another window today. */
  #rememberedWindow(model: string): number | undefined {
    return findModel(model) === undefined ? this.options.calibrations?.of(model)?.window : undefined;
  }

  learnWindow(tokens: number): void {
    const before = this.thresholds.contextWindow;
    const { calibrations } = this.options;
    this.#windows.set(this.model, tokens);
    if (findModel(this.model) === undefined) {
      calibrations?.note(this.model, { ...(calibrations.of(this.model) ?? uncalibrated), window: tokens });
    }
    const window = this.thresholds.contextWindow;
    if (window !== before) this.events.emit("window_learned", { model: this.model, window, before });
  }

  noteModel(): void {
    const { model } = this;
    const isKnown = findModel(model) !== undefined || this.#rememberedWindow(model) !== undefined;
    if (isKnown || this.#noted.has(model) || this.settings.window !== undefined) return;
    this.#noted.add(model);
    this.events.emit("window_assumed", { model, window: this.thresholds.contextWindow });
  }

  async store(messages: readonly Message[]): Promise<void> {
    if (messages.length > 0) await this.options.writer?.append(messages);
  }

  async add(messages: readonly Message[]): Promise<void> {
    await this.store(messages);
    if (messages.length > 0) this.tip = undefined;
    this.state.append(messages);
  }

  replace(live: readonly Message[]): void {
    const before = this.state.messages;
    this.generation += 1;
    this.tip = undefined;
    this.state.replace(live);
    this.builder.keepPrefix(this.source, sharedBeginning(before, this.state.messages));
    this.lastDecision = undefined;
  }

  forgetClearings(): void {
    this.edits = noCachedEdits;
    this.areEditsStale = false;
    this.native = noNativeClearing;
    this.lastDecision = undefined;
    this.lastPromptTokens = this.state.size.shownOverhead;
  }

  resetPrompt(): void {
    this.#assembly.reset();
  }

  useModel(model: string, maxTokens: number | undefined): void {
    if (maxTokens !== undefined) this.maxTokens = maxTokens;
    if (model === this.model) return;
    const { shownOverhead } = this.state.size;
    const { live } = this.state;
    this.model = model;
    this.estimator = this.#estimatorFor(model);
    this.capabilities = this.#capabilitiesOf(model);
    this.ttl = this.#ttlFor(model);
    this.state = this.#newState(shownOverhead);
    this.state.replace(live);
    this.forgetClearings();
  }

  clearContext(): ClearContext {
    const { recallHint } = this.options;
    const cost = this.#costFacts();
    return {
      index: this.state.index,
      estimator: this.estimator,
      settings: this.settings,
      model: findModel(this.model),
      ...(cost === undefined ? {} : { cost }),
      ...(recallHint === undefined ? {} : { recallHint }),
      ...(this.lastDecision === undefined ? {} : { previous: this.lastDecision }),
    };
  }

  isCacheLost(): boolean {
    const hasImages = this.state.media.totals.images > 0;
    return this.#costFacts()?.cache.state !== "warm" || hasImages !== this.hadImages;
  }

  pickUp(): Promise<void> {
    return this.#assembly.pickUp();
  }

  build(): Promise<BuiltRequest> {
    return this.#assembly.build();
  }

  get sections(): readonly ResolvedSection[] {
    return this.#assembly.sections;
  }

  get promptHead(): string {
    return this.#assembly.promptHead;
  }

  isCachingOn(): boolean {
    const { disablePromptCaching, disablePromptCachingModels } = this.settings;
    return (
      !disablePromptCaching &&
      !disablePromptCachingModels.some((pattern) => matchesPattern(this.model, pattern))
    );
  }

  #costFacts(): CostFacts | undefined {
    const model = findModel(this.model);
    if (model === undefined) return undefined;
    const { ttl } = this.ttl.decision();
    const last = this.state.index.lastResponseAt;
    const isWarm = last !== undefined && this.clock.now() < last + ttlMilliseconds[ttl];
    const isOff = this.capabilities.caching === "none" || !this.isCachingOn();
    return {
      prices: pricesAt(model, this.state.size.tokens),
      cache: { state: isOff ? "off" : isWarm ? "warm" : "cold", ttl },
    };
  }

  #estimatorFor(model: string): Estimator {
    const { estimator, calibrations } = this.options;
    if (estimator !== undefined) return createMeasuredSizes(estimator);
    const calibration = calibrations?.of(model);
    return createMeasuredSizes(
      createDefaultEstimator({
        model,
        events: this.events,
        ...(calibration === undefined ? {} : { calibration }),
        ...(calibrations === undefined ? {} : { onLearned: (learned) => calibrations.note(model, learned) }),
      }),
    );
  }

  #capabilitiesOf(model: string): ProviderCapabilities {
    return this.options.capabilities ?? this.options.provider?.capabilities(model) ?? messagesApiCapabilities;
  }

  #ttlFor(model: string, state?: TtlState): TtlPolicy {
    const { account = { isEligible: false, isInOverage: false }, gapHistory } = this.options;
    return createTtlPolicy({
      source: this.source,
      facts: () => ({
        account,
        settings: this.settings,
        capabilities: this.capabilities,
        prices: findModel(model)?.prices ?? relativePrices,
      }),
      ...(gapHistory === undefined ? {} : { history: gapHistory }),
      ...(state === undefined ? {} : { state }),
    });
  }

  /** System prompt and tools, as far as they are known before the first request. */
  #estimatedOverhead(): number {
    const { system = {}, tools } = this.options;
    const custom = system.custom ?? "";
    const head = custom === "" ? 0 : this.estimator.block({ type: "text", text: custom });
    return (tools?.() ?? []).reduce((sum, { definition }) => sum + this.estimator.block(definition), head);
  }

  #resolvePath(): ((path: string) => string) | undefined {
    const { resolvePath, workingDirectory } = this.options.state ?? {};
    if (resolvePath !== undefined || workingDirectory === undefined) return resolvePath;
    return (path) => resolveIn(workingDirectory, path);
  }

  #newState(overhead: number): LiveState {
    const { estimator, compactable: tools } = this;
    const { compaction } = this.options;
    const see = compaction === "none" ? undefined : compaction.see;
    return createLiveState({ estimator, tools, overhead, see, resolvePath: this.#resolvePath() });
  }
}
