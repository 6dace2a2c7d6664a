import type { Model } from "@palimpsest/core";
import { priceOf } from "../../simulator/core/pricing.js";
import { textTokens } from "../../simulator/tokens/block-tokens.js";
import { createContextKinds } from "../measures/context-kinds.js";
import type { FileResult, PolicyResult } from "../results/policy-result.js";
import { figuresOf, withBreakEven, type Tally } from "../results/tally.js";
import { createUserWordsJudge } from "../measures/user-words.js";
import { NOTHING_NEEDED } from "../forgetting/needs.js";
import type { Policy } from "../policies/policy.js";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import type { SummaryWriter } from "../summaries/summary-writer.js";
import { createPlayableRounds } from "./playable-round.js";
import { playingConditions } from "./playing-conditions.js";
import type { PlayedWith } from "./policy-conversation.js";
import { PolicyPlay } from "./policy-play.js";
import { createRecordedSources } from "./recorded-sources.js";
import { createRecordedTokens } from "./recorded-tokens.js";
import { playRereads } from "./play-rereads.js";
import { RegainPlay } from "./regain-play.js";
import { studyConversation, type StudiedConversation } from "./study-conversation.js";

export interface PlayOptions {
  readonly policies: readonly Policy[];
  /** For conversations whose own model has no known prices. */
  readonly model?: string;
  /** Default: the model's own. */
  readonly window?: number;
  /** About how long the simulated model's summaries get, in characters. */
  readonly summaryCharacters?: number;
  /** Who answers calls beside the conversation, where it is not the simulator's player. */
  readonly summaries?: SummaryWriter;
  /** Keeps every turn, for charts. */
  readonly series?: boolean;
  /** Keeps what was missing. */
  readonly missing?: boolean;
  readonly onProgress?: (round: number, rounds: number) => void;
}

export interface Played {
  readonly result: Omit<FileResult, "file">;
  readonly tallies: Readonly<Record<string, Tally>>;
  /** Dollars of each turn with what was forgotten read again, by policy: they add up to its `fullCost`. */
  readonly fullCosts: Readonly<Record<string, readonly number[]>>;
}

/** Plays a recorded conversation through every policy side by side, reading it once. */
export async function playConversation(
  conversation: RecordedConversation,
  options: PlayOptions,
): Promise<Played> {
  const { overview } = conversation;
  const conditions = await playingConditions(conversation, options);
  const { model, window, head, counter } = conditions;
  const studied = await studyConversation(conversation);
  const userWords = createUserWordsJudge((text) => textTokens(text, model, counter));
  const kinds = options.series === true ? createContextKinds(model, counter) : undefined;
  const unlimited = new UnlimitedCost(model, head.tokens);
  const recorded = createRecordedTokens(model, counter);
  let plays: readonly Side[] | undefined;
  const start = (startTime: number): readonly Side[] =>
    options.policies.flatMap((policy) =>
      policy.ttls.map((ttl) => {
        const playedWith: PlayedWith = {
          ...conditions,
          policy,
          ttl,
          startTime,
          summaryCharacters: options.summaryCharacters,
          summaries: options.summaries,
        };
        const play = new PolicyPlay({
          ...playedWith,
          userWords,
          finder: studied.finder,
          ...(kinds === undefined ? {} : { kinds }),
          keepsMissing: options.missing === true,
        });
        return { playedWith, play, regainingEndedAtTurn: null, fullCosts: [] };
      }),
    );
  const playable = createPlayableRounds();
  let turn = 0;
  for await (const recordedRound of conversation.rounds()) {
    const round = playable.next(recordedRound);
    plays ??= start(round.at);
    kinds?.note(round.incoming);
    userWords.note(round.incoming);
    unlimited.add(recorded.next(round));
    for (const { play } of plays) await play.turn(round, turn, studied.needs[turn] ?? NOTHING_NEEDED);
    turn += 1;
    options.onProgress?.(turn, 2 * overview.rounds);
  }
  plays ??= start(0);
  await playRegaining(conversation, { sides: plays, studied, onProgress: options.onProgress });
  for (const { play, playedWith } of plays) {
    if (play.bill !== undefined) play.tally.rereads = await playRereads(conversation, playedWith);
  }
  const policies = withBreakEven(
    Object.fromEntries(
      plays.map((side) => [side.play.name, resultOf(side, { unlimitedCost: unlimited.dollars, options })]),
    ),
  );
  return {
    result: {
      format: overview.format,
      repository: overview.repository,
      model: model.id,
      window,
      rounds: turn,
      humanMessages: userWords.count,
      undoneCompactions: overview.undoneCompactions,
      keptCompactions: overview.keptCompactions,
      damagedLines: overview.damagedLines,
      head: { tokens: head.tokens, from: head.from },
      unlimitedCost: unlimited.dollars,
      policies,
    },
    tallies: Object.fromEntries(plays.map(({ play }) => [play.name, play.tally])),
    fullCosts: Object.fromEntries(plays.map(({ play, fullCosts }) => [play.name, fullCosts])),
  };
}

/** A policy that was played, and what it takes to play it again. */
interface Side {
  readonly playedWith: PlayedWith;
  readonly play: PolicyPlay;
  regainingEndedAtTurn: number | null;
  fullCosts: readonly number[];
}

/**
 * Plays the policies that forgot something once more, with an agent that reads it again. Up to the first such turn a
 * conversation is the one that was played already: it is not judged again, and a policy that forgot nothing is not
 * played again at all.
 */
async function playRegaining(
  conversation: RecordedConversation,
  {
    sides,
    studied,
    onProgress,
  }: {
    readonly sides: readonly Side[];
    readonly studied: StudiedConversation;
    readonly onProgress: PlayOptions["onProgress"];
  },
): Promise<void> {
  const { finder, needs } = studied;
  const sources = createRecordedSources(studied.blocks);
  const again = sides.flatMap((side) => {
    const {
      playedWith,
      play: { tally, firstForgotten },
    } = side;
    tally.fullCost = tally.cost;
    tally.beforeRecordedCompaction.fullCost = tally.beforeRecordedCompaction.cost;
    side.fullCosts = side.play.turnCosts;
    if (firstForgotten === undefined) return [];
    return [{ side, play: new RegainPlay({ ...playedWith, finder, sources, firstForgotten }) }];
  });
  const { rounds } = conversation.overview;
  const playable = createPlayableRounds();
  let turn = 0;
  if (again.length > 0) {
    for await (const recordedRound of conversation.rounds()) {
      sources.incoming(recordedRound);
      const round = playable.next(recordedRound);
      for (const { play } of again) await play.turn(round, turn, needs[turn] ?? NOTHING_NEEDED);
      sources.answered(recordedRound);
      turn += 1;
      onProgress?.(rounds + turn, 2 * rounds);
    }
  }
  for (const { side, play } of again) {
    const { tally } = side.play;
    side.regainingEndedAtTurn = play.endedAtTurn ?? null;
    side.fullCosts = costsOfSameTurns(side.play.turnCosts, play);
    Object.assign(tally, play.all, { fullCost: sumOf(side.fullCosts) });
    const before = tally.beforeRecordedCompaction;
    const fullCost = sumOf(side.fullCosts.slice(0, before.turns));
    Object.assign(before, play.beforeRecordedCompaction, { fullCost });
  }
}

/**
 * What each of the turns that were played without reading again costs with it. Where reading again filled the window sooner,
 * the turns that it did not get to cost what they did without: else a conversation that ends early would be the cheaper one.
 */
function costsOfSameTurns(costs: readonly number[], again: RegainPlay): readonly number[] {
  const end = again.endedAtTurn ?? Infinity;
  return costs.map((cost, turn) => (again.turnCosts[turn] ?? 0) + (turn >= end ? cost : 0));
}

const sumOf = (costs: readonly number[]): number => costs.reduce((sum, cost) => sum + cost, 0);

function resultOf(
  { play, regainingEndedAtTurn }: Side,
  { unlimitedCost, options }: { readonly unlimitedCost: number; readonly options: PlayOptions },
): PolicyResult {
  const { tally, ttl, ending, series, missing, forgotten, largest, bill } = play;
  return {
    ...figuresOf(tally, unlimitedCost),
    ttl,
    endedAtTurn: ending?.turn ?? null,
    endedBecause: ending?.because ?? null,
    regainingEndedAtTurn,
    ...(bill === undefined ? {} : { recordedBill: bill }),
    ...(options.series === true ? { series, largest } : {}),
    ...(options.missing === true ? { missing, forgotten } : {}),
  };
}

/** An unlimited window with a perfect cache: everything is written once and then read. */
class UnlimitedCost {
  dollars = 0;
  readonly #model: Model;
  #cached = 0;
  #unwritten: number;

  constructor(model: Model, headTokens: number) {
    this.#model = model;
    this.#unwritten = headTokens;
  }

  add({ incoming, response }: { readonly incoming: number; readonly response: number }): void {
    const write = this.#unwritten + incoming;
    this.dollars += priceOf(this.#model, {
      input: 0,
      cacheRead: this.#cached,
      cacheWrite5m: write,
      cacheWrite1h: 0,
      output: response,
    });
    this.#cached += write;
    this.#unwritten = response;
  }
}
