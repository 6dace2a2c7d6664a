import type { Answer } from "../../simulator/player.js";
import { blockTokens, textTokens } from "../../simulator/tokens/block-tokens.js";
import { judgeTurn } from "../forgetting/blind-turn.js";
import { createContextLines, type LineFinder } from "../forgetting/context-lines.js";
import type { TurnNeeds } from "../forgetting/needs.js";
import type { SourceClass } from "../forgetting/sources.js";
import { createContextReader } from "../measures/recall.js";
import type { ForgettingTally } from "../results/tally.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { PolicyConversation, type PlayedWith } from "./policy-conversation.js";
import type { RecordedSources } from "./recorded-sources.js";
import { lostSources, planRegaining, type Regaining } from "./regain.js";
import { systemTexts } from "./system-texts.js";

/** Tokens of each source that comes back. */
const MOST_TOKENS = 5000;
/** What a recorded round that reads takes: the median. */
const REGAIN_SECONDS = 4.4;

type Regained = Pick<ForgettingTally, "fullCost" | "regainRequests" | "regainSeconds" | "lost">;

const nothing = (): Regained => ({ fullCost: 0, regainRequests: 0, regainSeconds: 0, lost: 0 });

export interface RegainPlayOptions extends PlayedWith {
  readonly finder: LineFinder;
  readonly sources: RecordedSources;
  /** Up to here the conversation is the recorded one, and nobody has to look what is in its context. */
  readonly firstForgotten: number;
}

/**
 * One policy on its way through a conversation in which the agent reads again what it has forgotten: once a turn, as a
 * round of the policy's own conversation, before the recorded response.
 */
export class RegainPlay {
  readonly all: Regained = nothing();
  readonly beforeRecordedCompaction: Regained = nothing();
  /** Every call that read again, in their order. */
  readonly calls: { readonly turn: number; readonly key: number; readonly class: SourceClass }[] = [];
  /** Dollars of each turn. */
  readonly turnCosts: number[] = [];
  readonly #options: RegainPlayOptions;
  readonly #conversation: PolicyConversation;
  readonly #lines: ReturnType<typeof createContextLines>;
  readonly #reader = createContextReader();

  constructor(options: RegainPlayOptions) {
    this.#options = options;
    this.#lines = createContextLines(options.finder);
    this.#conversation = new PolicyConversation(options, {
      billed: ({ cost }) => {
        this.all.fullCost += cost;
      },
    });
  }

  /** The turn at which the conversation could not go on. */
  endedAtTurn: number | undefined;

  async turn(round: RecordedRound, turn: number, needs: TurnNeeds): Promise<void> {
    if (this.endedAtTurn !== undefined) return;
    const before = this.all.fullCost;
    await this.#play(round, turn, needs);
    this.turnCosts.push(this.all.fullCost - before);
    if (this.#conversation.ending !== undefined) this.endedAtTurn = turn;
    if (round.isAfterCompaction !== true) Object.assign(this.beforeRecordedCompaction, this.all);
  }

  async #play(round: RecordedRound, turn: number, needs: TurnNeeds): Promise<void> {
    const conversation = this.#conversation;
    const recorded: Answer = { content: round.response.content };
    let regaining: Regaining | undefined;
    await conversation.append(round.incoming, round.at, round);
    const first = await conversation.ask((seen, call) => {
      regaining = turn < this.#options.firstForgotten ? undefined : this.#regain({ seen, call, turn, needs });
      return regaining ?? recorded;
    });
    if (first === undefined) return;
    if (regaining === undefined) return conversation.answered(first, round.response.at);
    const readAt = conversation.now + REGAIN_SECONDS * 1000;
    await conversation.answered(first, readAt);
    await conversation.append([regaining.results(readAt)], readAt);
    const second = await conversation.ask(() => recorded);
    if (second !== undefined) await conversation.answered(second, round.response.at);
  }

  #regain({ seen, call, turn, needs }: Asked): Regaining | undefined {
    const { model, counter, sources } = this.#options;
    const paths = needs.references.filter(({ kind }) => kind === "path");
    const missingPaths = new Set(
      paths.length === 0 ? [] : this.#reader.missing(paths, seen).map(({ text }) => text),
    );
    const { missing } = judgeTurn(needs, {
      lines: this.#lines.of(seen, systemTexts(call)),
      isPathMissing: (path) => missingPaths.has(path),
      holdsFile: this.#conversation.holdsFile,
    });
    if (missing.length === 0) return undefined;
    this.all.lost += lostSources(missing, call).length;
    const tokens = (text: string): number => textTokens(text, model, counter);
    const regaining = planRegaining({
      turn,
      call,
      missing,
      read: (source) => sources.read(source, (text) => fitting(text, tokens)),
      count: (block) => blockTokens(block, model, counter),
    });
    if (regaining === undefined) return undefined;
    this.all.regainRequests += 1;
    this.all.regainSeconds += REGAIN_SECONDS;
    for (const { key, class: kind } of regaining.sources) this.calls.push({ turn, key, class: kind });
    return regaining;
  }
}

interface Asked {
  readonly seen: Parameters<ReturnType<typeof createContextLines>["of"]>[0];
  readonly call: Parameters<typeof systemTexts>[0];
  readonly turn: number;
  readonly needs: TurnNeeds;
}

/** The beginning of a text that has no more tokens than may come back, in whole lines where it has any. */
function fitting(text: string, tokens: (text: string) => number): string {
  // No text has fewer tokens than an eighth of its characters, but for runs of blanks.
  let part = text.slice(0, MOST_TOKENS * 8);
  for (let count = tokens(part); count > MOST_TOKENS; count = tokens(part)) {
    const cut = part.slice(0, Math.floor((part.length * MOST_TOKENS * 0.98) / count));
    const end = cut.lastIndexOf("\n");
    part = end > 0 ? cut.slice(0, end) : cut;
  }
  return part;
}
