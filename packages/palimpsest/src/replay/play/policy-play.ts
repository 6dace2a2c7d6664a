import { pricesAt } from "@palimpsest/core/engine";
import type { Verdict } from "../../simulator/outcome.js";
import { judgeTurn, type BlindTurn } from "../forgetting/blind-turn.js";
import { createContextLines, type LineFinder } from "../forgetting/context-lines.js";
import type { TurnNeeds } from "../forgetting/needs.js";
import type { ContextKinds, LargeItem } from "../measures/context-kinds.js";
import { createContextTexts } from "../measures/context-texts.js";
import { createContextReader, type CountedReference } from "../measures/recall.js";
import type { RecordedBill } from "../measures/recorded-bill.js";
import type { ForgottenSource, MissingReference, TurnRecord } from "../results/policy-result.js";
import { addEdits, addVerdict, emptyTally, isCompaction, type Tally } from "../results/tally.js";
import { createUserWordsReader, type UserWordsJudge } from "../measures/user-words.js";
import type { PolicyEdit, PolicyTtl } from "../policies/policy.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { PolicyConversation, type Answered, type Ending, type PlayedWith } from "./policy-conversation.js";
import { systemTexts } from "./system-texts.js";

/** A cache break is more than this share, and more than so many tokens. */
const BREAK_SHARE = 0.05;
const BREAK_TOKENS = 2000;
const LARGEST_ITEMS = 20;
const SHOWN_LINES = 5;

export interface PolicyPlayOptions extends PlayedWith {
  readonly userWords: UserWordsJudge;
  readonly finder: LineFinder;
  /** What is kept beside the figures. */
  readonly kinds?: ContextKinds;
  readonly keepsMissing: boolean;
}

/** One policy on its way through a recorded conversation that stays as it was recorded, whatever was forgotten. */
export class PolicyPlay {
  readonly name: string;
  readonly ttl: PolicyTtl;
  readonly tally: Tally = emptyTally();
  /** Dollars of each turn, up to the one at which it could not go on. */
  readonly turnCosts: number[] = [];
  readonly series: TurnRecord[] = [];
  readonly missing: MissingReference[] = [];
  readonly forgotten: ForgottenSource[] = [];
  largest: readonly LargeItem[] = [];
  ending: (Ending & { readonly turn: number }) | undefined;
  /** The first turn at which an agent would have had to read again. */
  firstForgotten: number | undefined;
  readonly #options: PolicyPlayOptions;
  readonly #conversation: PolicyConversation;
  readonly #context = createContextTexts();
  readonly #reader = createContextReader(this.#context);
  readonly #lines: ReturnType<typeof createContextLines>;
  readonly #words: ReturnType<typeof createUserWordsReader>;
  readonly #cpu: number[] = [];
  #turnCost = 0;
  #cached = 0;
  #sinceCompaction: number | undefined;
  #edits: PolicyEdit[] = [];

  constructor(options: PolicyPlayOptions) {
    const { policy, ttl } = options;
    this.#options = options;
    this.name = ttl === policy.ttls[0] ? policy.name : `${policy.name}@${ttl}`;
    this.ttl = ttl;
    this.tally.cpu.push(this.#cpu);
    this.#lines = createContextLines(options.finder);
    this.#words = createUserWordsReader(options.userWords, this.#context);
    this.#conversation = new PolicyConversation(options, {
      billed: (verdict, isAside) => this.#bill(verdict, isAside),
      edited: (edits) => this.#noteEdits(edits),
      refused: (isOverflow) => this.#noteRefusal(isOverflow),
    });
  }

  get bill(): RecordedBill | undefined {
    return this.#conversation.bill;
  }

  /** Plays one round. A conversation that has ended counts what can no longer be sent. */
  async turn(round: RecordedRound, turn: number, needs: TurnNeeds): Promise<void> {
    if (this.ending !== undefined) return this.#noteRefusal(this.ending.isOverflow);
    const conversation = this.#conversation;
    this.#turnCost = 0;
    this.#edits = [];
    conversation.cpu = 0;
    await conversation.append(round.incoming, round.at, round);
    let system: readonly string[] = [];
    const answered = await conversation.ask((_, call) => {
      system = systemTexts(call);
      return { content: round.response.content };
    });
    if (answered === undefined) {
      if (conversation.ending !== undefined) this.ending = { ...conversation.ending, turn };
      this.turnCosts.push(this.#turnCost);
      return;
    }
    const judged = this.#judge(answered, { round, turn, needs, system });
    await conversation.answered(answered, round.response.at);
    this.#cpu.push(conversation.cpu);
    this.turnCosts.push(this.#turnCost);
    if (round.isAfterCompaction !== true) this.tally.beforeRecordedCompaction.cost = this.tally.cost;
    this.#record(answered, { round, turn, needs, ...judged });
  }

  #noteRefusal(isOverflow: boolean): void {
    if (isOverflow) this.tally.overflow += 1;
    else this.tally.invalid += 1;
  }

  #noteEdits(edits: readonly PolicyEdit[]): void {
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

  #judge({ verdict, seen }: Answered, turn: Turn & { readonly system: readonly string[] }): Judged {
    const { tally } = this;
    const { references } = turn.needs;
    tally.peakTokens = Math.max(tally.peakTokens, verdict.promptTokens);
    if (this.#sinceCompaction !== undefined) this.#sinceCompaction += 1;
    const missed = this.#reader.missing(references, seen);
    tally.references += references.length;
    tally.missingReferences += missed.length;
    tally.humanMessages += this.#options.userWords.count;
    tally.presentMessages += this.#words.present(seen);
    tally.typedWords += this.#options.userWords.words;
    tally.presentWords += this.#words.presentWords(seen);
    const missingPaths = new Set(missed.flatMap(({ kind, text }) => (kind === "path" ? [text] : [])));
    const blind = judgeTurn(turn.needs, {
      lines: this.#lines.of(seen, turn.system),
      isPathMissing: (path) => missingPaths.has(path),
      holdsFile: this.#conversation.holdsFile,
    });
    this.#count(blind, turn.round);
    if (blind.missing.length > 0) this.firstForgotten ??= turn.turn;
    if (this.#options.keepsMissing) this.#keep({ missed, blind }, turn);
    return { missed, blind };
  }

  #count(blind: BlindTurn, { isAfterCompaction }: RecordedRound): void {
    const { tally } = this;
    for (const sums of isAfterCompaction === true ? [tally] : [tally, tally.beforeRecordedCompaction]) {
      sums.turns += 1;
      sums.edits += blind.edits;
      sums.blindEdits += blind.blindEdits;
      sums.unreadEdits += blind.unreadEdits;
      sums.neededTurns += blind.isNeeded ? 1 : 0;
      sums.blindTurns += blind.isBlind ? 1 : 0;
    }
  }

  #keep({ missed, blind }: Judged, { round: { at }, turn }: Turn): void {
    for (const { tool, kind, text } of missed) this.missing.push({ turn, at, tool, kind, reference: text });
    for (const source of blind.missing) {
      const { tool, class: kind, label, lines, paths, isUnread } = source;
      this.forgotten.push({
        turn,
        at,
        tool,
        class: kind,
        source: label,
        roundsAgo: source.turn < 0 ? null : turn - source.turn,
        lines: lines.slice(0, SHOWN_LINES).map(({ line }) => line),
        missingLines: lines.length,
        paths,
        isUnread,
      });
    }
  }

  #record({ verdict, seen }: Answered, { round, turn, needs, missed, blind }: Turn & Judged): void {
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
      references: needs.references.length,
      missing: missed.length,
      isBlind: blind.isBlind,
      blindEdits: blind.blindEdits,
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
}

interface Turn {
  readonly round: RecordedRound;
  readonly turn: number;
  readonly needs: TurnNeeds;
}

interface Judged {
  readonly missed: readonly CountedReference[];
  readonly blind: BlindTurn;
}
