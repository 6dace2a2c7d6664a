import type { OverflowFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import { createAssistantMessage } from "../../messages/construct.js";
import { isFields } from "../../messages/fields.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
import { isHumanMessage } from "../../messages/predicates.js";
import { findModel } from "../../models/table.js";
import { noteNativeResponse } from "../clear/api-native.js";
import { isThinkingBlock } from "../boundaries/clear-results.js";
import { noteCacheReport } from "../clear/cached-edits.js";
import { accountFor } from "../measure/account-for.js";
import { headTokens } from "../measure/context-meter.js";
import { isBlocked, percentLeft, pressureOf } from "../measure/thresholds.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import { billCall } from "../money/bill-call.js";
import type { SentCall } from "../money/call-meter.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import { checkOptions } from "./check-options.js";
import { cacheReportOf, promptRequestOf, promptTokensOf } from "./cache-report.js";
import { afterResponse } from "./chain.js";
import { createCore, type ConversationCore } from "./conversation-core.js";
import type { ConversationOptions } from "./conversation-options.js";
import type {
  CompactOptions,
  Conversation,
  ConversationSize,
  EngineStep,
  Held,
  Observed,
  Outcome,
  Prepared,
  PreparedRequest,
} from "./conversation.js";
import { failureSentence } from "./failure-sentence.js";
import { compactionStep } from "./describe-step.js";
import { createNoCompactor } from "./no-compactor.js";
import type { ConversationCompactor, FitUnansweredOptions, NotesKeeping } from "./stages.js";
import type { LateAnswer } from "../../messages/late-answer.js";
import { placeAnswers } from "./place-answers.js";
import { clearWhatIsStale, clearWhatWasDeleted, halveMedia } from "./tier-one.js";
import { whyNoRoom } from "./window-room.js";

/** A conversation, new or resumed: `messages` are its live ones, as the store gives them. */
export function createConversation(
  options: ConversationOptions,
  messages: readonly Message[] = [],
): Conversation {
  checkOptions(options);
  const core = createCore(options, messages);
  const exclusive = createQueue();
  const keeper = createKeeper(core, exclusive);
  const { compaction } = options;
  const compactor = compaction === "none" ? createNoCompactor(core) : compaction.create(core, keeper);
  const driver = new Driver(core, keeper, compactor);
  return {
    events: core.events,
    get model() {
      return core.model;
    },
    get live() {
      return core.state.live;
    },
    origin: core.origin,
    append: (...added) => exclusive(() => driver.append(added)),
    prepare: ({ signal } = {}) => exclusive(() => driver.prepare(signal)),
    observe: (prepared, outcome, { signal } = {}) =>
      exclusive(() => driver.observe(prepared, outcome, signal)),
    compact: (given = {}) => exclusive(() => driver.compact(given)),
    plan: (given = {}) => exclusive(() => compactor.plan(given)),
    undo: () => exclusive(() => compactor.undo()),
    switchModel: (model, { maxTokens, signal } = {}) =>
      exclusive(() => driver.switchModel(model, { maxTokens, signal })),
    size: () => driver.size(),
    accounting: () => accountFor(core.state.live, core.estimator),
    account: () => core.ledger.account,
    charge(...calls) {
      core.ledger.add(calls.map((call) => ("request" in call ? billed(core, call) : call)));
      return exclusive(() => core.ledger.save());
    },
    requestMessages: () => core.state.messages,
    cacheSafeParams: () => core.builder.cacheSafeParams(core.source),
    get ttl() {
      return core.ttl;
    },
    notes: keeper,
  };
}

function createKeeper(
  core: ConversationCore,
  inTurn: (task: () => Promise<void>) => Promise<void>,
): NotesKeeping | undefined {
  if (!core.settings.notes) return undefined;
  const { notes } = core.options;
  if (notes === undefined) {
    throw new TypeError(
      "the setting notes needs keepNotes() of @palimpsest/core/notes, handed in as `notes`",
    );
  }
  return notes.create(core, inTurn);
}

/** So often room is made for one answer. */
const MOST_REACTIONS = 3;

const noUsage = { input_tokens: 0, output_tokens: 0 } as const;

const billed = ({ source, estimator }: ConversationCore, call: SentCall): BilledCall =>
  billCall(call, { source, estimator });

/** What a response costs, by what it says or, where it says nothing, by its size. */
const asSent = ({ call: { request } }: PreparedRequest, response: ModelResponse): SentCall => ({
  request,
  model: response.model,
  usage: (response as Partial<ModelResponse>).usage ?? noUsage,
  isComplete: true,
  get text() {
    return JSON.stringify(response.content);
  },
});

const isMessage = (value: unknown): boolean => isFields(value) && typeof value["type"] === "string";

/** Runs one thing after the other; one that fails holds nobody up. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    last = run.catch(() => {});
    return run;
  };
}

class Driver {
  readonly #core: ConversationCore;
  /** How often room was made because the API refused, since the last answer. */
  #reactions = 0;
  /** Of these, without a stated size: since a person said something, or a while ago. */
  #guesses = 0;

  readonly #notes: NotesKeeping | undefined;
  readonly #compactor: ConversationCompactor;
  /** Which list a request was built of. */
  readonly #lists = new WeakMap<
    PreparedRequest,
    { readonly generation: number; readonly last: string | undefined }
  >();

  readonly #accepted = new WeakMap<PreparedRequest, Observed>();
  /** Steps that were taken between two requests; the next one tells of them. */
  #untold: EngineStep[] = [];

  constructor(core: ConversationCore, notes: NotesKeeping | undefined, compactor: ConversationCompactor) {
    this.#core = core;
    this.#notes = notes;
    this.#compactor = compactor;
  }

  async append(messages: readonly Message[]): Promise<void> {
    if (!messages.every(isMessage)) {
      throw new TypeError("append takes messages, as createUserMessage and its siblings make them");
    }
    await this.#core.add(this.#linked(messages));
    if (messages.some(isHumanMessage)) [this.#reactions, this.#guesses] = [0, 0];
    this.#notes?.startIfDue();
  }

  /** A message that was made before a compaction took effect hangs on one that is gone: it follows the last one. */
  #linked(messages: readonly Message[]): readonly Message[] {
    const { state, tip } = this.#core;
    let last = tip ?? state.last?.uuid ?? null;
    return messages.map((message) => {
      const { parentUuid } = message;
      const place = tip === undefined ? state.live.findLastIndex(({ uuid }) => uuid === parentUuid) : -1;
      // What the engine has stored since it was made comes before it.
      const isKnown = place !== -1 && state.live.slice(place + 1).some(({ type }) => type !== "system");
      const isLinked = parentUuid === last || isKnown;
      const linked = isLinked ? message : { ...message, parentUuid: last };
      last = message.uuid;
      return linked;
    });
  }

  size(): ConversationSize {
    const { state, thresholds } = this.#core;
    const { size } = state;
    const compactAt = this.#compactor.dueAt();
    return {
      ...size,
      thresholds,
      compactAt,
      percentLeft: percentLeft(thresholds, size.padded),
      pressure: pressureOf(thresholds, size.padded, compactAt),
    };
  }

  async prepare(signal: AbortSignal | undefined): Promise<Prepared> {
    const core = this.#core;
    const steps = this.#untold.splice(0);
    const hold = (reason: Held["reason"], message: string, failure?: CompactionFailed): Held => ({
      kind: "held",
      reason,
      message,
      steps,
      ...(failure === undefined ? {} : { failure }),
    });
    if (core.state.messages.length === 0) return hold("no-messages", "There is nothing to send yet.");
    core.noteModel();
    const noRoom = whyNoRoom(core);
    if (noRoom !== undefined) return hold("no-room", noRoom);
    for await (const step of clearWhatIsStale(core)) steps.push(step);
    const { thresholds, source } = core;
    const mayCompact = thresholds.isAutoCompactOn && source !== "compact" && source !== "session_memory";
    if (mayCompact) await this.#fitUnanswered();
    steps.push(...this.#untold.splice(0));
    if (core.state.size.padded >= this.#compactor.dueAt()) {
      if (isBlocked(thresholds, core.state.size.padded, source)) {
        const isOff = core.settings.disableCompact;
        const what = isOff ? "compaction is switched off" : "compact the conversation to go on";
        return hold("window-full", `The context window is full: ${what}.`);
      }
      const failure = mayCompact ? await this.#compactor.makeRoom(steps, signal) : undefined;
      if (failure?.reason === "aborted") return hold("aborted", failure.message, failure);
      // Only what is known holds a request up: the API may take what an estimate would not, and what it has refused it
      // may be asked again, for nothing.
      const isKnown = core.state.size.tokens >= core.thresholds.hardAt && !core.state.isRefused;
      if (failure !== undefined && isKnown) {
        const reason = failure.reason === "disabled" ? "window-full" : "compaction-failed";
        return hold(reason, failure.message, failure);
      }
    }
    const built = await core.build();
    const isFull = whyNoRoom(core);
    if (isFull !== undefined) return hold("no-room", isFull);
    const at = core.clock.now();
    core.watch.before({
      source,
      request: built.request,
      betas: built.betas,
      at,
      sections: core.sections,
      facts: { edits: core.edits.pinned.length },
    });
    const prepared = {
      kind: "request",
      call: { request: built.request, betas: built.betas },
      built,
      at,
      steps,
    } as const;
    this.#lists.set(prepared, { generation: core.generation, last: core.state.last?.uuid });
    return prepared;
  }

  /** What no compaction could make room for is cut before one is made. */
  async #fitUnanswered(options?: FitUnansweredOptions): Promise<EngineStep | undefined> {
    const cut = await this.#compactor.fitUnanswered(options);
    if (cut !== undefined) this.#untold.push(cut);
    return cut;
  }

  async compact(given: CompactOptions): Promise<Compacted | CompactionFailed> {
    if (given.scope === undefined || given.scope.kind === "full") await this.#fitUnanswered();
    return this.#compactor.compactNow(given);
  }

  async observe(
    prepared: PreparedRequest,
    outcome: Outcome,
    signal: AbortSignal | undefined,
  ): Promise<Observed> {
    const core = this.#core;
    if (outcome.kind === "failure") {
      const { failure } = outcome;
      const isOverflow = failure.kind === "context-overflow";
      if (isOverflow) this.#learnFrom(prepared, failure);
      const isTooLarge = failure.kind === "request-too-large";
      const step = isTooLarge
        ? ((await halveMedia(core)) ?? (await this.#react(false, signal)))
        : isOverflow
          ? await this.#react(failure.actualTokens !== undefined, signal)
          : undefined;
      if (step !== undefined) return { kind: "retry", step };
      const noRoom = isOverflow ? whyNoRoom(core) : undefined;
      return { kind: "failed", failure, message: noRoom ?? failureSentence(failure) };
    }
    const { response } = outcome;
    // Told twice, it counts once.
    const before = this.#accepted.get(prepared);
    if (before !== undefined) return before;
    const cost = [billed(this.#core, asSent(prepared, response))];
    if (response.stop_reason === "model_context_window_exceeded") {
      const step = await this.#react(false, signal);
      if (step !== undefined) {
        this.#core.ledger.add(cost);
        await this.#core.ledger.save();
        return { kind: "retry", step };
      }
    }
    // The message tells of it, once it is stored and where the usage was reported.
    let isStored = false;
    try {
      const accepted = await this.#accept(prepared, response);
      this.#accepted.set(prepared, accepted);
      isStored = cost.every(({ estimated }) => estimated === undefined);
      return accepted;
    } finally {
      this.#core.ledger.add(cost, { isStored });
      if (!isStored) await this.#core.ledger.save();
    }
  }

  /** A refusal states facts: the size of what was sent, and the window. */
  #learnFrom(prepared: PreparedRequest, refusal: OverflowFailure): void {
    const core = this.#core;
    const { actualTokens, maximumTokens, requestedOutputTokens = 0 } = refusal;
    if (maximumTokens !== undefined && maximumTokens > 0) core.learnWindow(maximumTokens);
    if (actualTokens === undefined || !this.#isAsPrepared(prepared)) return;
    core.state.refused(actualTokens - requestedOutputTokens);
  }

  /** Whether the messages are those that a request was built of. */
  #isAsPrepared(prepared: PreparedRequest): boolean {
    const list = this.#lists.get(prepared);
    return list?.generation === this.#core.generation && list.last === this.#core.state.last?.uuid;
  }

  /**
   * The API says that the window is full: compacts without asking it again, once for what the person said. A refusal
   * that states how much was sent teaches something, and may be answered to a few times for each answer.
   */
  async #react(isStated: boolean, signal: AbortSignal | undefined): Promise<EngineStep | undefined> {
    const { reactiveCompact, disableCompact } = this.#core.settings;
    const isSpent = this.#reactions >= MOST_REACTIONS || (!isStated && this.#guesses >= 1);
    if (isSpent || !reactiveCompact || disableCompact) return undefined;
    this.#reactions += 1;
    if (!isStated) this.#guesses += 1;
    const cut = await this.#fitUnanswered();
    const outcome = await this.#compactor.compact({ trigger: "auto", isRefused: true }, signal);
    if (outcome.kind === "compacted") return compactionStep(outcome);
    if (cut !== undefined) return this.#untold.splice(this.#untold.indexOf(cut), 1)[0];
    // What has failed is not tried again at once.
    this.#reactions = MOST_REACTIONS;
    return undefined;
  }

  async #accept(
    prepared: PreparedRequest,
    response: Extract<Outcome, { kind: "response" }>["response"],
  ): Promise<Observed> {
    const core = this.#core;
    const { id, content, stop_reason: stopReason, model, diagnostics } = response;
    // Servers may leave it out, whatever the types say.
    const usage = (response as Partial<ModelResponse>).usage ?? noUsage;
    const isBound = findModel(core.model)?.capabilities.thinking.boundToPrefix === true;
    const list = this.#lists.get(prepared);
    // Something was compacted since it was asked for: after that its thinking would be refused.
    const isReplaced = list?.generation !== core.generation;
    const kept = isBound && isReplaced ? content.filter((block) => !isThinkingBlock(block)) : content;
    const answer: AssistantMessage = createAssistantMessage(core.origin(), {
      id,
      model,
      content: kept,
      usage,
      stopReason,
    });
    const noted = isReplaced
      ? { ...answer, answersEarlierContext: true }
      : isBound
        ? { ...answer, promptHead: core.promptHead }
        : answer;
    const message = await this.#place(noted, isReplaced ? undefined : list);
    core.builder.answered(prepared.built, { messageId: id, at: prepared.at });
    core.chain = afterResponse(core.chain);
    core.hadImages = core.state.media.totals.images > 0;
    this.#reactions = 0;
    if (core.chain.turns > core.settings.recompactionTurns) this.#guesses = 0;
    this.#compactor.noteResponse();
    core.ttl.noteRequest(promptRequestOf(usage, { at: prepared.at, before: core.lastPromptTokens }));
    core.lastPromptTokens = promptTokensOf(usage);
    const native = noteNativeResponse(core.native, response.context_management, {
      origin: core.origin(),
      events: core.events,
      index: core.state.index,
      ...(core.options.state === undefined ? {} : { readState: core.options.state.readState }),
    });
    core.native = native.state;
    if (native.cleared !== undefined) {
      await core.add([native.cleared.boundary]);
      core.watch.notifyDeletion(core.source, native.cleared.notice);
    }
    const edits = noteCacheReport(core.edits, cacheReportOf(usage));
    core.edits = edits.state;
    core.areEditsStale ||= edits.stale;
    const cacheBreak = core.watch.after({
      source: core.source,
      usage,
      at: core.clock.now(),
      model,
      diagnosis: diagnostics,
    });
    this.#notes?.noteResponse(response);
    this.#notes?.startIfDue();
    return { kind: "accepted", message, ...(cacheBreak === undefined ? {} : { cacheBreak }) };
  }

  /** At the end, or before what was said while it was on its way. */
  async #place(
    answer: AssistantMessage,
    list: { readonly last: string | undefined } | undefined,
  ): Promise<AssistantMessage> {
    const core = this.#core;
    const at = core.state.live.findLastIndex(({ uuid }) => uuid === list?.last);
    const overtakes = at === -1 ? [] : core.state.live.slice(at + 1).map(({ uuid }) => uuid);
    if (overtakes.length === 0) {
      await core.add([answer]);
      return answer;
    }
    const late: LateAnswer = { ...answer, overtakes };
    await core.store([late]);
    core.replace(placeAnswers([...core.state.live, late]));
    core.tip = late.uuid;
    return late;
  }

  async switchModel(
    model: string,
    {
      maxTokens,
      signal,
    }: { readonly maxTokens: number | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<EngineStep | undefined> {
    const core = this.#core;
    const next = core.thresholdsOf(model);
    let step: EngineStep | undefined;
    if (next.isAutoCompactOn && core.state.size.padded >= next.autoCompactAt) {
      await this.#fitUnanswered({ thresholds: next });
      const { size } = core.state;
      const overhead = headTokens(size);
      const outcome = await this.#compactor.compact(
        {
          trigger: "auto",
          size: {
            tokensBefore: size.tokens,
            paddedBefore: size.padded,
            overhead,
            autoCompactAt: next.autoCompactAt,
            contextWindow: core.thresholds.contextWindow,
            hardAt: next.hardAt,
          },
        },
        signal,
      );
      if (outcome.kind === "compacted") step = compactionStep(outcome);
    }
    // Deletions inside the old model's cache mean nothing to the new one.
    if (model !== core.model) await clearWhatWasDeleted(core);
    core.useModel(model, maxTokens);
    return step;
  }
}
