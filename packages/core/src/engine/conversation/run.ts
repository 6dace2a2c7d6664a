import type { BilledCall } from "../../messages/billed-calls.js";
import { createBilledCallsRecord } from "../../messages/billed-calls.js";
import { createAttachmentMessage } from "../../messages/construct.js";
import type { Message } from "../../messages/message.js";
import { findModel } from "../../models/table.js";
import { uncalibrated } from "../measure/calibration.js";
import { emptyAccount, type Account } from "../money/account.js";
import { createLedger } from "../money/ledger.js";
import { createRequestState, headChange } from "../prompt/request-state.js";
import { createTtlPolicy, type TtlPolicy } from "../prompt/ttl/ttl-policy.js";
import type { CompactionFailed } from "../summarise/run/compaction.js";
import { apply } from "./apply.js";
import { lastRequestOf, RequestAssembly } from "./assembly.js";
import type { EngineStep, Held, PreparedRequest } from "./conversation-api.js";
import { afterAction, decide, noProgress, type Action } from "./decide.js";
import { compactionStep } from "./describe-step.js";
import { storedOf, type ConversationEvent } from "./event.js";
import { foldMessages } from "./fold.js";
import { originOf, rememberedWindow, thresholdsOf } from "./facts.js";
import { perform } from "./perform.js";
import type { Running } from "./stages.js";
import type { Setup } from "./stages.js";
import type { ConversationState } from "./state.js";
import type { NotesKeeping } from "./stages.js";

/** Where an action led. */
interface Performed {
  readonly step?: EngineStep | undefined;
  /** Room could not be made. */
  readonly failure?: CompactionFailed;
  /** System prompt and tools. */
  readonly head?: Awaited<ReturnType<RequestAssembly["head"]>>;
}

/** Drives one conversation: decides, performs, stores what came of it, and goes on from there. */
export class Runner implements Running {
  readonly setup: Setup;
  readonly ledger;
  notes: NotesKeeping | undefined;
  /** What it began with and no store has yet: stored with what comes next. */
  unstored: readonly Message[] = [];
  readonly #assembly: RequestAssembly;
  /** The messages of a conversation that was resumed or gone back in, until its last request is known again. */
  #resumed: readonly Message[] | undefined;
  #state: ConversationState;
  /** System prompt and tools of the last request, as thinking is bound to them. */
  promptHead = "";
  #ttl: TtlPolicy;
  /** Models of which nothing is known, once that was told. */
  readonly #noted = new Set<string>();

  constructor(
    setup: Setup,
    state: ConversationState,
    { account, resumed }: { readonly account: Account; readonly resumed: readonly Message[] | undefined },
  ) {
    this.setup = setup;
    this.#state = state;
    this.#resumed = resumed;
    this.#assembly = new RequestAssembly(setup);
    this.#ttl = this.#policy();
    this.ledger = createLedger({
      account,
      events: setup.events,
      store: (calls: readonly BilledCall[]) => {
        const message = createBilledCallsRecord(originOf(this), calls);
        return this.commit({ kind: "billed", calls, message });
      },
    });
  }

  get state(): ConversationState {
    return this.#state;
  }

  async commit(event: ConversationEvent): Promise<void> {
    const { totals, options } = this.setup;
    const records = options.writer && totals ? totals.records(event, this, this.ledger.told) : [];
    const stored = [...storedOf(event), ...records];
    // What has failed (such events say at what time) has failed, whether that can be written down or not: else it
    // would be tried again at once.
    const isSoAnyway = "at" in event;
    if (isSoAnyway) this.note(event);
    if (stored.length > 0) await this.#store(stored);
    if (!isSoAnyway) this.note(event);
    for (const record of records) this.note({ kind: "told", record });
    if (event.kind === "model-switched") this.#ttl = this.#policy();
    // Its last request is another one: that is known again before the next.
    if (event.kind === "rewound") this.#resumed = this.#state.context.live;
  }

  async #store(messages: readonly Message[]): Promise<void> {
    await this.setup.options.writer?.append([...this.unstored, ...messages]);
    this.unstored = [];
  }

  /** Stores what it began with and no store has. */
  async storeRest(): Promise<void> {
    if (this.unstored.length > 0) await this.#store([]);
  }

  /** The lifetimes, as hosts ask for them. */
  get ttl(): TtlPolicy {
    return this.#ttl;
  }

  #policy(): TtlPolicy {
    const { setup } = this;
    return createTtlPolicy({
      source: setup.source,
      facts: () => setup.ttlFacts(this.#state.model),
      cell: { read: () => this.#state.cache.ttl, write: (ttl) => this.note({ kind: "ttl-noted", ttl }) },
      history: setup.options.gapHistory,
    });
  }

  /** What changes nothing that is stored. */
  note(event: ConversationEvent): void {
    this.#state = apply(this.setup, this.#state, event);
  }

  async pickUp(): Promise<void> {
    const resumed = this.#resumed;
    this.#resumed = undefined;
    const last = resumed && lastRequestOf(resumed);
    if (last === undefined) return;
    this.note(this.#assembly.rebuild(this, await this.#assembly.head(this), last));
  }

  resetPrompt(): void {
    this.#assembly.reset();
  }

  /** Makes room where that is needed, and builds the next request. */
  async prepare(steps: EngineStep[], signal: AbortSignal | undefined): Promise<PreparedRequest | Held> {
    let progress = noProgress;
    let head: Performed["head"];
    if (this.#state.context.messages.length > 0) this.#noteModel();
    for (;;) {
      const action = decide(this, progress);
      if (action.do === "hold") {
        const { do: _do, ...held } = action;
        return { kind: "held", ...held, steps };
      }
      if (action.do === "send" && head !== undefined) return this.#request(head, steps);
      const done = await this.#perform(action, signal);
      if (done.step !== undefined) steps.push(done.step);
      head = done.head ?? head;
      progress = afterAction(progress, action, done.failure);
      if (done.head !== undefined) progress = { ...progress, head: done.head.key };
    }
  }

  async #perform(action: Action, signal: AbortSignal | undefined): Promise<Performed> {
    switch (action.do) {
      case "summarise":
        return this.#summarise(action.isLastResort, signal);
      case "resolve-head":
        return { head: await this.#resolveHead() };
      default:
        return { step: await perform(this, action) };
    }
  }

  async #resolveHead(): Promise<NonNullable<Performed["head"]>> {
    await this.pickUp();
    const head = await this.#assembly.head(this);
    await this.#hold(head);
    this.promptHead = head.key;
    if (head.tokens !== this.#state.context.head) {
      await this.commit({ kind: "head-measured", tokens: head.tokens });
    }
    return head;
  }

  /** Requests of this conversation begin like this until a compaction, in whatever process: the transcript says so. */
  async #hold({ held, changed }: NonNullable<Performed["head"]>): Promise<void> {
    if (changed.length > 0) {
      const attachment = { type: "instructions_changed", sections: changed };
      const message = createAttachmentMessage(originOf(this), attachment);
      await this.commit({ kind: "appended", messages: [message] });
    }
    if (this.setup.options.writer === undefined) return;
    const { head, isHeadStored } = this.#state;
    const change = headChange(isHeadStored ? head : undefined, held);
    if (change === undefined) return;
    const record = createRequestState(originOf(this), change);
    await this.commit({ kind: "head-held", head: { ...(isHeadStored ? head : {}), ...change }, record });
  }

  async #summarise(isLastResort: boolean, signal: AbortSignal | undefined): Promise<Performed> {
    const outcome = await this.setup.compaction?.perform(this, {
      trigger: "auto",
      usesNotes: true,
      signal,
      isLastResort,
    });
    if (outcome?.kind === "compacted") return { step: compactionStep(outcome) };
    return outcome === undefined ? {} : { failure: outcome };
  }

  #request(head: NonNullable<Performed["head"]>, steps: readonly EngineStep[]): PreparedRequest {
    const { setup } = this;
    const { built, native, ttl } = this.#assembly.build(this, head);
    this.note({ kind: "requested", native, ttl });
    const at = setup.clock.now();
    const { request, betas } = built;
    setup.watch.before({
      source: setup.source,
      request,
      betas,
      at,
      sections: this.#assembly.sections,
      facts: {
        ...setup.options.watched?.(),
        overage: setup.options.account?.().isInOverage === true,
        edits: this.#state.cache.edits.pinned.length,
      },
    });
    return { kind: "request", call: { request, betas }, built, at, steps };
  }

  /** Tells, once, that the window of a model is assumed. */
  #noteModel(): void {
    const { model } = this.#state;
    const { settings, events } = this.setup;
    const isKnown = findModel(model) !== undefined || rememberedWindow(this.setup, model) !== undefined;
    const isSaid = this.#state.windows.has(model) || settings.window !== undefined;
    if (isKnown || isSaid || this.#noted.has(model)) return;
    this.#noted.add(model);
    events.emit("window_assumed", { model, window: thresholdsOf(this).contextWindow });
  }

  /** A refusal states facts: the size of what was sent, and the window. */
  async learn({ tokens, window }: { tokens: number | undefined; window: number | undefined }): Promise<void> {
    const { setup } = this;
    const { model } = this.#state;
    const before = thresholdsOf(this).contextWindow;
    await this.commit({ kind: "refused", tokens, window });
    if (window === undefined) return;
    const { calibrations } = setup.options;
    if (findModel(model) === undefined) {
      calibrations?.note(model, { ...(calibrations.of(model) ?? uncalibrated), window });
    }
    const now = thresholdsOf(this).contextWindow;
    if (now !== before) setup.events.emit("window_learned", { model, window: now, before });
  }

  /** Cuts what no compaction could make room for. */
  async cutUnanswered(model?: string): Promise<EngineStep | undefined> {
    const { compaction } = this.setup;
    const cuts = compaction?.cuts(this, model === undefined ? undefined : thresholdsOf(this, model));
    return cuts && compaction?.cut(this, cuts);
  }
}

/** A conversation from the messages of its transcript; `account` is what it has cost so far. */
export function startRunner(setup: Setup, messages: readonly Message[], account = emptyAccount): Runner {
  const state = foldMessages(setup, messages, setup.options);
  const resumed = messages.length === 0 ? undefined : state.context.live;
  return new Runner(setup, state, { account, resumed });
}
