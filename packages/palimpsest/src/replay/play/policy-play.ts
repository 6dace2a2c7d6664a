import { pricesAt, type ApiFailure, type Model, type RequestMessage } from "@palimpsest/core";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import type { Verdict } from "../../simulator/outcome.js";
import type { ContextKinds } from "../measures/context-kinds.js";
import { createContextTexts } from "../measures/context-texts.js";
import { createContextReader, type CountedReference } from "../measures/recall.js";
import type { LargeItem, MissingReference, TurnRecord } from "../measures/policy-result.js";
import { addEdits, addVerdict, emptyTally, isCompaction, type Tally } from "../measures/tally.js";
import { createUserWordsReader, type UserWordsJudge } from "../measures/user-words.js";
import type { Policy, PolicyEdit, PolicyHost, PolicyTtl } from "../policies/policy.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import type { PromptHead } from "./prompt-head.js";
import { createSimulatedModel, type SimulatedModel, type SimulatedOutcome } from "./simulated-model.js";

/** A cache break is more than this share, and more than so many tokens. */
const BREAK_SHARE = 0.05;
const BREAK_TOKENS = 2000;
const MOST_ATTEMPTS = 4;
const LARGEST_ITEMS = 20;

export interface PolicyPlayOptions {
  readonly policy: Policy;
  readonly ttl: PolicyTtl;
  readonly model: Model;
  readonly window: number;
  readonly maxTokens: number;
  readonly head: PromptHead;
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly counter: TokenCounter;
  readonly startTime: number;
  readonly summaryCharacters?: number | undefined;
  readonly userWords: UserWordsJudge;
  /** What is kept beside the figures. */
  readonly kinds?: ContextKinds;
  readonly keepsMissing: boolean;
}

export interface Ending {
  readonly turn: number;
  readonly because: string;
  readonly isOverflow: boolean;
}

/** One policy on its way through a recorded conversation, with a simulated API of its own. */
export class PolicyPlay {
  readonly name: string;
  readonly ttl: PolicyTtl;
  readonly tally: Tally = emptyTally();
  readonly series: TurnRecord[] = [];
  readonly missing: MissingReference[] = [];
  largest: readonly LargeItem[] = [];
  ending: Ending | undefined;
  readonly #options: PolicyPlayOptions;
  readonly #model: SimulatedModel;
  readonly #run: ReturnType<Policy["start"]>;
  readonly #context = createContextTexts();
  readonly #reader = createContextReader(this.#context);
  readonly #words: ReturnType<typeof createUserWordsReader>;
  readonly #cpu: number[] = [];
  #turnCost = 0;
  #cached = 0;
  #sinceCompaction: number | undefined;
  #edits: PolicyEdit[] = [];

  constructor(options: PolicyPlayOptions) {
    const { policy, ttl, model, window, maxTokens, head, thinking, counter, startTime } = options;
    this.#options = options;
    this.name = ttl === policy.ttls[0] ? policy.name : `${policy.name}@${ttl}`;
    this.ttl = ttl;
    this.tally.cpu.push(this.#cpu);
    this.#words = createUserWordsReader(options.userWords, this.#context);
    this.#model = createSimulatedModel({
      startTime,
      window,
      counter,
      summaryCharacters: options.summaryCharacters,
      onSideCall: (verdict) => this.#bill(verdict, true),
    });
    const host: PolicyHost = {
      model: model.id,
      window,
      maxTokens,
      ttl,
      system: head.system,
      tools: head.tools,
      ...(thinking === undefined ? {} : { thinking }),
      now: this.#model.now,
      sessionId: "replay",
      provider: this.#model.provider,
    };
    this.#run = policy.start(host);
  }

  /** Plays one round. A conversation that has ended counts what can no longer be sent. */
  async turn(round: RecordedRound, turn: number, references: readonly CountedReference[]): Promise<void> {
    if (this.ending !== undefined) {
      if (this.ending.isOverflow) this.tally.overflow += 1;
      else this.tally.invalid += 1;
      return;
    }
    this.#turnCost = 0;
    this.#edits = [];
    let cpu = await this.#timed(() => {
      this.#model.reach(round.at);
      return this.#run.append(round.incoming);
    });
    for (let attempt = 1; ; attempt += 1) {
      const [prepared, preparing] = await this.#measured(() => this.#run.prepare());
      cpu += preparing;
      this.#noteEdits(prepared.edits);
      if (prepared.kind === "held") return this.#end(turn, { message: prepared.message, isOverflow: true });
      const outcome = this.#model.send(prepared.call, { content: round.response.content });
      if (outcome.kind === "response") {
        this.#judge(outcome, { round, turn, references });
        this.#model.reach(round.response.at);
        const [after, observing] = await this.#measured(() => this.#run.answered(outcome.response));
        this.#noteEdits(after);
        this.#cpu.push(cpu + observing);
        return this.#record(outcome, { round, turn, references });
      }
      const [reaction, reacting] = await this.#measured(() => this.#run.refused(outcome.failure));
      cpu += reacting;
      this.#noteEdits(reaction.edits);
      const isOverflow = isTooLong(outcome.failure);
      if (isOverflow) this.tally.overflow += 1;
      else this.tally.invalid += 1;
      if (reaction.next === "end" || attempt === MOST_ATTEMPTS) {
        this.ending = { turn, because: outcome.failure.message, isOverflow };
        return;
      }
    }
  }

  #end(
    turn: number,
    { message, isOverflow }: { readonly message: string; readonly isOverflow: boolean },
  ): void {
    this.tally.overflow += 1;
    this.ending = { turn, because: message, isOverflow };
  }

  #noteEdits(edits: readonly PolicyEdit[]): void {
    if (edits.length === 0) return;
    addEdits(this.tally, edits, this.#sinceCompaction);
    if (edits.some(isCompaction)) this.#sinceCompaction = 0;
    this.#edits.push(...edits);
  }

  #bill(verdict: Verdict, isAside: boolean): void {
    addVerdict(this.tally, verdict);
    this.#turnCost += verdict.cost;
    if (!isAside) return;
    this.tally.sideCalls += 1;
    this.tally.sideCost += verdict.cost;
  }

  #missed: readonly CountedReference[] = [];

  #judge({ verdict, seen }: Answered, { round, turn, references }: Turn): void {
    const { tally } = this;
    this.#bill(verdict, false);
    tally.turns += 1;
    tally.peakTokens = Math.max(tally.peakTokens, verdict.promptTokens);
    if (this.#sinceCompaction !== undefined) this.#sinceCompaction += 1;
    this.#missed = this.#reader.missing(references, seen);
    tally.references += references.length;
    tally.missingReferences += this.#missed.length;
    tally.humanMessages += this.#options.userWords.count;
    tally.presentMessages += this.#words.present(seen);
    tally.typedWords += this.#options.userWords.words;
    tally.presentWords += this.#words.presentWords(seen);
    if (!this.#options.keepsMissing) return;
    for (const { tool, kind, text } of this.#missed) {
      this.missing.push({ turn, at: round.at, tool, kind, reference: text });
    }
  }

  #record({ verdict, seen }: Answered, { round, turn, references }: Turn): void {
    const cacheBreak = this.#breakOf(verdict);
    this.#cached = verdict.cacheRead + verdict.cacheWrite5m + verdict.cacheWrite1h;
    const { kinds, head } = this.#options;
    if (kinds === undefined) return;
    if (verdict.promptTokens === this.tally.peakTokens) this.largest = kinds.largest(seen, LARGEST_ITEMS);
    this.series.push({
      turn,
      at: round.at,
      promptTokens: verdict.promptTokens,
      kinds: kinds.kindsOf(seen, head.tokens),
      cost: this.#turnCost,
      cacheReadTokens: verdict.cacheRead,
      cacheWriteTokens: verdict.cacheWrite5m + verdict.cacheWrite1h,
      inputTokens: verdict.input,
      outputTokens: verdict.output,
      references: references.length,
      missing: this.#missed.length,
      edits: this.#edits,
      cacheBreak,
    });
  }

  /** What the cache held and this request did not read; edits of the policy's own explain themselves. */
  #breakOf(verdict: Verdict): TurnRecord["cacheBreak"] {
    const lostTokens = this.#cached - verdict.cacheRead;
    if (lostTokens <= BREAK_TOKENS || lostTokens <= this.#cached * BREAK_SHARE) return null;
    if (this.#edits.length > 0) return null;
    const prices = pricesAt(this.#options.model, verdict.promptTokens);
    const write = verdict.cacheWrite1h > 0 ? prices.cacheWrite1h : prices.cacheWrite5m;
    const reason = verdict.misses[0]?.reason ?? "unknown";
    return { reason, lostTokens, cost: (lostTokens * (write - prices.cacheRead)) / 1e6 };
  }

  async #timed(work: () => Promise<void>): Promise<number> {
    const [, spent] = await this.#measured(work);
    return spent;
  }

  /** Milliseconds of the policy's own work: what its model calls took is not its own. */
  async #measured<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
    const simulatedBefore = this.#model.spentMs();
    const started = performance.now();
    const result = await work();
    const elapsed = performance.now() - started;
    return [result, Math.max(0, elapsed - (this.#model.spentMs() - simulatedBefore))];
  }
}

type Answered = Extract<SimulatedOutcome, { kind: "response" }> & {
  readonly seen: readonly RequestMessage[];
};

interface Turn {
  readonly round: RecordedRound;
  readonly turn: number;
  readonly references: readonly CountedReference[];
}

const isTooLong = ({ kind }: ApiFailure): boolean =>
  kind === "context-overflow" || kind === "request-too-large";
