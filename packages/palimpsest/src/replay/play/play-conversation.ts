import { findModel, type Model } from "@palimpsest/core";
import { priceOf } from "../../simulator/core/pricing.js";
import { textTokens } from "../../simulator/tokens/block-tokens.js";
import { createContextKinds } from "../measures/context-kinds.js";
import type { FileResult, PolicyResult } from "../measures/policy-result.js";
import { createRecallJudge } from "../measures/recall.js";
import { figuresOf, type Tally } from "../measures/tally.js";
import { createUserWordsJudge } from "../measures/user-words.js";
import type { Policy } from "../policies/policy.js";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import { createPlayableRounds } from "./playable-round.js";
import { PolicyPlay } from "./policy-play.js";
import { promptHead } from "./prompt-head.js";
import { createRecordedTokens } from "./recorded-tokens.js";
import { createSharedCounter } from "./shared-counter.js";

/** What conversations are played as where their own model is not known. */
export const DEFAULT_REPLAYED_MODEL = "claude-opus-4-5";

export interface PlayOptions {
  readonly policies: readonly Policy[];
  /** For conversations whose own model has no known prices. */
  readonly model?: string;
  /** Default: the model's own. */
  readonly window?: number;
  /** About how long the simulated model's summaries get, in characters. */
  readonly summaryCharacters?: number;
  /** Keeps every turn, for charts. */
  readonly series?: boolean;
  /** Keeps what was missing. */
  readonly missing?: boolean;
  readonly onProgress?: (round: number, rounds: number) => void;
}

export interface Played {
  readonly result: Omit<FileResult, "file">;
  readonly tallies: Readonly<Record<string, Tally>>;
}

/** Tokens that an answer may have: more than recorded ones ever had. */
const MAX_TOKENS = 32_000;

/** Plays a recorded conversation through every policy side by side, reading it once. */
export async function playConversation(
  conversation: RecordedConversation,
  options: PlayOptions,
): Promise<Played> {
  const { overview } = conversation;
  const model = modelOf(conversation, options.model ?? DEFAULT_REPLAYED_MODEL);
  const window = options.window ?? model.contextWindow;
  const counter = createSharedCounter();
  const head = await promptHead(conversation, { model, counter });
  const thinking = overview.hasThinking ? thinkingFor(model) : undefined;
  const maxTokens = Math.max(1024, Math.min(MAX_TOKENS, model.maxOutputTokens, Math.floor(window / 4)));
  const recall = createRecallJudge();
  const userWords = createUserWordsJudge((text) => textTokens(text, model, counter));
  const kinds = options.series === true ? createContextKinds(model, counter) : undefined;
  const unlimited = new UnlimitedCost(model, head.tokens);
  const recorded = createRecordedTokens(model, counter);
  let plays: readonly PolicyPlay[] | undefined;
  const start = (startTime: number): readonly PolicyPlay[] =>
    options.policies.flatMap((policy) =>
      policy.ttls.map(
        (ttl) =>
          new PolicyPlay({
            policy,
            ttl,
            model,
            window,
            maxTokens,
            head,
            ...(thinking === undefined ? {} : { thinking }),
            counter,
            startTime,
            summaryCharacters: options.summaryCharacters,
            userWords,
            ...(kinds === undefined ? {} : { kinds }),
            keepsMissing: options.missing === true,
          }),
      ),
    );
  const playable = createPlayableRounds();
  let turn = 0;
  for await (const recordedRound of conversation.rounds()) {
    const round = playable.next(recordedRound);
    plays ??= start(round.at);
    kinds?.note(round.incoming);
    userWords.note(round.incoming);
    const references = recall.turn(round);
    unlimited.add(recorded.next(round));
    for (const play of plays) await play.turn(round, turn, references);
    turn += 1;
    options.onProgress?.(turn, overview.rounds);
  }
  plays ??= start(0);
  const policies = Object.fromEntries(
    plays.map((play) => [play.name, resultOf(play, { unlimitedCost: unlimited.dollars, options })]),
  );
  return {
    result: {
      format: overview.format,
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
    tallies: Object.fromEntries(plays.map((play) => [play.name, play.tally])),
  };
}

function resultOf(
  play: PolicyPlay,
  { unlimitedCost, options }: { readonly unlimitedCost: number; readonly options: PlayOptions },
): PolicyResult {
  const { tally, ttl, ending, series, missing, largest } = play;
  return {
    ...figuresOf(tally, unlimitedCost),
    ttl,
    endedAtTurn: ending?.turn ?? null,
    endedBecause: ending?.because ?? null,
    ...(options.series === true ? { series, largest } : {}),
    ...(options.missing === true ? { missing } : {}),
  };
}

/** The most used model whose prices are known. */
function modelOf({ overview }: RecordedConversation, fallback: string): Model {
  for (const { model } of overview.models) {
    const known = findModel(model);
    if (known !== undefined) return known;
  }
  const model = findModel(fallback);
  if (model === undefined) throw new RangeError(`no prices are known for the model ${fallback}`);
  return model;
}

function thinkingFor({ capabilities: { thinking } }: Model): Readonly<Record<string, unknown>> {
  return thinking.adaptive ? { type: "adaptive" } : { type: "enabled", budget_tokens: 4096 };
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
