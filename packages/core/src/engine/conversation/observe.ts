import type { BilledCall } from "../../messages/billed-calls.js";
import type { OverflowFailure } from "../../messages/call/failure.js";
import type { ModelResponse } from "../../messages/call/response.js";
import { createAssistantMessage } from "../../messages/construct.js";
import { asFields } from "../../messages/fields.js";
import type { LateAnswer } from "../../messages/late-answer.js";
import { fitInputs } from "../../messages/normalise/fit-inputs.js";
import type { AssistantMessage } from "../../messages/message.js";
import { bindsThinkingOf } from "../../models/table.js";
import { noteNativeResponse } from "../clear/api-native.js";
import { isThinkingBlock } from "../../messages/predicates.js";
import { billCall } from "../money/bill-call.js";
import type { SentCall } from "../money/call-meter.js";
import { noUsage } from "./cache-report.js";
import { demand } from "./check-options.js";
import type { EngineStep, Observed, Outcome, PreparedRequest } from "./conversation-api.js";
import { compactionStep } from "./describe-step.js";
import { estimatorOf, originOf } from "./facts.js";
import type { Moment } from "./stages.js";
import { failureSentence } from "./failure-sentence.js";
import { halveMedia } from "./perform.js";
import type { Runner } from "./run.js";
import { whyNoRoom } from "./window-room.js";

/** So often room is made for one answer. */
const MOST_REACTIONS = 3;

/** What a call costs. */
export const billed = (moment: Moment, call: SentCall): BilledCall =>
  billCall(call, { source: moment.setup.source, estimator: estimatorOf(moment) });

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

/** Throws for what did not come from `prepare`, and for what is no outcome. */
function checkObserved(prepared: PreparedRequest, outcome: Outcome): void {
  const { kind, response, failure } = asFields(outcome);
  const isOutcome =
    kind === "failure" ? "retryable" in asFields(failure) : Array.isArray(asFields(response)["content"]);
  demand(
    isOutcome && "built" in asFields(prepared),
    'observe: takes a request of `prepare()`, and `{ kind: "response", response }` or `{ kind: "failure", failure }`',
  );
}

/** The list that a request was built of. */
export interface SentList {
  readonly generation: number;
  readonly last: string | undefined;
  /** System prompt and tools. */
  readonly head: string;
}

/** Takes in what became of requests. */
export class Observer {
  readonly #runner: Runner;
  readonly #lists = new WeakMap<PreparedRequest, SentList>();
  readonly #accepted = new WeakMap<PreparedRequest, Observed>();
  /** Steps that were taken between two requests; the next one tells of them. */
  readonly untold: EngineStep[] = [];

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  sent(prepared: PreparedRequest): void {
    const { state, promptHead: head } = this.#runner;
    const { generation, context } = state;
    this.#lists.set(prepared, { generation, last: context.last?.uuid, head });
  }

  async observe(
    prepared: PreparedRequest,
    outcome: Outcome,
    signal: AbortSignal | undefined,
  ): Promise<Observed> {
    const runner = this.#runner;
    checkObserved(prepared, outcome);
    if (outcome.kind === "failure") return this.#failed(prepared, outcome, signal);
    const { response } = outcome;
    // Told twice, it counts once.
    const before = this.#accepted.get(prepared);
    if (before !== undefined) return before;
    const cost = [billed(runner, asSent(prepared, response))];
    if (response.stop_reason === "model_context_window_exceeded") {
      const step = await this.#react(false, signal);
      if (step !== undefined) {
        runner.ledger.add(cost);
        await runner.ledger.save();
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
      runner.ledger.add(cost, { isStored });
      if (!isStored) await runner.ledger.save();
    }
  }

  async #failed(
    prepared: PreparedRequest,
    { failure }: Extract<Outcome, { kind: "failure" }>,
    signal: AbortSignal | undefined,
  ): Promise<Observed> {
    const isOverflow = failure.kind === "context-overflow";
    if (isOverflow) await this.#learnFrom(prepared, failure);
    const isTooLarge = failure.kind === "request-too-large";
    const step = isTooLarge
      ? ((await halveMedia(this.#runner)) ?? (await this.#react(false, signal)))
      : isOverflow
        ? await this.#react(failure.actualTokens !== undefined, signal)
        : undefined;
    if (step !== undefined) return { kind: "retry", step };
    const noRoom = isOverflow ? whyNoRoom(this.#runner) : undefined;
    return { kind: "failed", failure, message: noRoom ?? failureSentence(failure) };
  }

  /** A refusal states facts: the size of what was sent, and the window. */
  #learnFrom(prepared: PreparedRequest, refusal: OverflowFailure): Promise<void> {
    const { actualTokens, maximumTokens, requestedOutputTokens = 0 } = refusal;
    const isSize = actualTokens !== undefined && this.#isAsPrepared(prepared);
    return this.#runner.learn({
      window: maximumTokens !== undefined && maximumTokens > 0 ? maximumTokens : undefined,
      tokens: isSize ? actualTokens - requestedOutputTokens : undefined,
    });
  }

  /** Whether the messages are those that a request was built of. */
  #isAsPrepared(prepared: PreparedRequest): boolean {
    const list = this.#lists.get(prepared);
    const { generation, context } = this.#runner.state;
    return list?.generation === generation && list.last === context.last?.uuid;
  }

  /**
   * The API says that the window is full: compacts without asking it again, once for what the person said. A refusal
   * that states how much was sent teaches something, and may be answered to a few times for each answer.
   */
  async #react(isStated: boolean, signal: AbortSignal | undefined): Promise<EngineStep | undefined> {
    const runner = this.#runner;
    const { reactiveCompact, disableCompact } = runner.setup.settings;
    const { reactions, guesses } = runner.state.room;
    const isSpent = reactions >= MOST_REACTIONS || (!isStated && guesses >= 1);
    if (isSpent || !reactiveCompact || disableCompact) return undefined;
    runner.note({ kind: "reacting", isStated });
    const cut = await runner.cutUnanswered();
    const outcome = await runner.setup.compaction?.perform(runner, {
      trigger: "auto",
      isRefused: true,
      signal,
    });
    if (outcome?.kind === "compacted") {
      if (cut !== undefined) this.untold.push(cut);
      return compactionStep(outcome);
    }
    // What has failed is not tried again at once.
    if (cut === undefined) runner.note({ kind: "reacted-in-vain" });
    return cut;
  }

  async #accept(prepared: PreparedRequest, response: ModelResponse): Promise<Observed> {
    const runner = this.#runner;
    const { setup } = runner;
    const { id, content, stop_reason: stopReason, model, diagnostics } = response;
    // Servers may leave it out, whatever the types say.
    const usage = (response as Partial<ModelResponse>).usage ?? noUsage;
    const isBound = bindsThinkingOf(runner.state.model) === true;
    const list = this.#lists.get(prepared);
    // Something was compacted since it was asked for: after that its thinking would be refused.
    const isReplaced = list?.generation !== runner.state.generation;
    const kept = isBound && isReplaced ? content.filter((block) => !isThinkingBlock(block)) : content;
    // Mended here or never: what was sent once stays as it was. Thinking may be bound to what the model wrote.
    const fitted =
      (bindsThinkingOf(runner.state.model) ?? content.some(isThinkingBlock))
        ? kept
        : fitInputs(kept, prepared.call.request.tools);
    const origin = originOf(runner);
    const answer = createAssistantMessage(origin, { id, model, content: fitted, usage, stopReason });
    const noted = isReplaced
      ? { ...answer, answersEarlierContext: true }
      : isBound
        ? { ...answer, promptHead: runner.promptHead }
        : answer;
    const message = this.#overtaking(noted, isReplaced ? undefined : list);
    const request = { built: prepared.built, at: prepared.at, isCurrent: !isReplaced };
    await runner.commit({ kind: "answered", message, request });
    await this.#noteNative(response);
    const cacheBreak = setup.watch.after({
      source: setup.source,
      usage,
      at: setup.clock.now(),
      model,
      diagnosis: diagnostics,
    });
    runner.notes?.noteResponse(response);
    runner.notes?.startIfDue();
    return { kind: "accepted", message, ...(cacheBreak === undefined ? {} : { cacheBreak }) };
  }

  /** An answer to less than is there by now says what it has overtaken. */
  #overtaking(answer: AssistantMessage, list: SentList | undefined): AssistantMessage {
    const { live } = this.#runner.state.context;
    const at = live.findLastIndex(({ uuid }) => uuid === list?.last);
    const overtakes = at === -1 ? [] : live.slice(at + 1).map(({ uuid }) => uuid);
    const late: LateAnswer = { ...answer, overtakes };
    return overtakes.length === 0 ? answer : late;
  }

  /** What the provider has cleared by itself. */
  async #noteNative({ context_management: report }: ModelResponse): Promise<void> {
    const runner = this.#runner;
    const { setup, state } = runner;
    const { native } = state.cache;
    const noted = noteNativeResponse(native, report, {
      origin: originOf(runner),
      events: setup.events,
      index: state.context.index,
      readState: setup.options.state?.readState,
    });
    if (noted.state !== native) runner.note({ kind: "native-noted", native: noted.state });
    if (noted.cleared === undefined) return;
    const { boundary, notice } = noted.cleared;
    await runner.commit({ kind: "cleared", boundary });
    setup.watch.notifyDeletion(setup.source, notice);
  }
}
