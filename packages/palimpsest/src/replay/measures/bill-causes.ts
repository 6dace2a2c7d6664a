import type { Model } from "@palimpsest/core";
import { priceOf, type BilledTokens } from "../../simulator/core/pricing.js";

/** Dollars that the simulator's bill has more (or less) than the recorded one for what no transcript tells. */
export interface BillCauses {
  /** What was sent is not what was recorded: from one request to the next it grew otherwise than any count explains. */
  readonly unlogged: number;
  /** A response was found in the cache: a call beside the conversation had put it there. */
  readonly aside: number;
  /** More was found in the cache than the requests of this conversation had left alive there. */
  readonly kept: number;
  /** Less was found than they had left. */
  readonly lost: number;
  /** The same, more or less, for a vendor whose cache works otherwise. */
  readonly vendor: number;
}

export const noCauses: BillCauses = { unlogged: 0, aside: 0, kept: 0, lost: 0, vendor: 0 };

/** Both sides of one response: tokens as this model would have counted and billed them. */
export interface ComparedResponse {
  readonly recorded: BilledTokens;
  readonly simulated: BilledTokens;
  readonly isForeign: boolean;
  /** The conversation was compacted before this request. */
  readonly isCompacted: boolean;
}

/** A count is never off by more than this share of what is counted, nor for so few tokens. */
const COUNTING_SHARE = 0.3;
const COUNTED_TOKENS = 500;

/** The same place of the conversation on both sides: so many tokens stand before it. */
interface Place {
  readonly recorded: number;
  readonly simulated: number;
}

/** Where requests grew otherwise than any count explains: between which recorded tokens, and by how many more. */
interface Step {
  readonly from: number;
  readonly upTo: number;
  readonly tokens: number;
}

const START: Place = { recorded: 0, simulated: 0 };

/** Tells, response by response, what of the difference between two bills is no matter of counting. */
export class BillExplainer {
  readonly #model: Model;
  readonly #dollars = { ...noCauses };
  /** Ends of requests since the last compaction, growing on both sides. */
  #places: readonly Place[] = [START];
  #steps: readonly Step[] = [];
  #first: Place | undefined;
  #before: Place | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  get causes(): BillCauses {
    return { ...this.#dollars };
  }

  add(response: ComparedResponse): void {
    const { recorded, simulated, isCompacted } = response;
    const now: Place = { recorded: promptTokens(recorded), simulated: promptTokens(simulated) };
    if (isCompacted) {
      this.#places = [START];
      this.#steps = [];
      this.#before = this.#first;
    }
    const known = this.#places.filter((place) => isBefore(place, now));
    this.#note(now);
    this.#places = [...known, now];
    this.#dollars.unlogged += this.#unlogged(recorded);
    this.#explainCache(response, isCompacted ? undefined : this.#before);
    this.#first ??= now;
    this.#before = now;
  }

  /** The head is filled up to the first request's size, and comes back after a compaction: it counts as known. */
  #note(now: Place): void {
    if (this.#before === undefined) return;
    this.#steps = this.#steps.map((step) => ({
      ...step,
      from: Math.min(step.from, now.recorded),
      upTo: Math.min(step.upTo, now.recorded),
    }));
    const grown = {
      recorded: now.recorded - this.#before.recorded,
      simulated: now.simulated - this.#before.simulated,
    };
    const tokens = grown.recorded - grown.simulated;
    const counted = Math.max(Math.abs(grown.recorded), Math.abs(grown.simulated), COUNTED_TOKENS);
    if (Math.abs(tokens) <= counted * COUNTING_SHARE) return;
    this.#steps = withStep(this.#steps, { from: this.#before.recorded, upTo: now.recorded, tokens });
  }

  /** What the recorded request would have cost less without what was not recorded. */
  #unlogged(recorded: BilledTokens): number {
    let read = 0;
    let unread = 0;
    for (const { from, upTo, tokens } of this.#steps) {
      const share = Math.min(1, Math.max(0, (recorded.cacheRead - from) / Math.max(1, upTo - from)));
      read += tokens * share;
      unread += tokens * (1 - share);
    }
    if (read === 0 && unread === 0) return 0;
    const without = withUnread(
      { ...recorded, cacheRead: recorded.cacheRead - read },
      unreadTokens(recorded) - unread,
    );
    return priceOf(this.#model, without) - priceOf(this.#model, recorded);
  }

  /** The simulated request, had it found in the cache what the recorded one did. */
  #explainCache({ recorded, simulated, isForeign }: ComparedResponse, before: Place | undefined): void {
    const found = this.#simulatedPlace(recorded.cacheRead);
    const difference = found - simulated.cacheRead;
    const like = withUnread({ ...simulated, cacheRead: found }, promptTokens(simulated) - found);
    const dollars = priceOf(this.#model, simulated) - priceOf(this.#model, like);
    if (difference === 0 || dollars === 0) return;
    if (isForeign) this.#dollars.vendor += dollars;
    else if (difference < 0) this.#dollars.lost += dollars;
    else {
      const left = Math.max(simulated.cacheRead, before?.simulated ?? found);
      const share = Math.max(0, found - left) / difference;
      this.#dollars.aside += dollars * share;
      this.#dollars.kept += dollars * (1 - share);
    }
  }

  /** Simulated tokens up to the place that so many recorded ones reach. */
  #simulatedPlace(recorded: number): number {
    const at = this.#places.findIndex((place) => place.recorded >= recorded);
    const after = this.#places[at];
    const before = this.#places[at - 1];
    if (after === undefined) return this.#places.at(-1)?.simulated ?? 0;
    if (before === undefined) return after.simulated;
    const share = (recorded - before.recorded) / (after.recorded - before.recorded);
    return Math.round(before.simulated + (after.simulated - before.simulated) * share);
  }
}

/** What is no longer sent is first of all what had come in unseen before, the newest first. */
function withStep(steps: readonly Step[], { from, upTo, tokens }: Step): readonly Step[] {
  let left = tokens;
  const remaining = steps
    .toReversed()
    .map((step) => {
      const gone = Math.max(0, Math.min(step.tokens, -left));
      left += gone;
      return { ...step, tokens: step.tokens - gone };
    })
    .toReversed();
  return [
    ...remaining,
    { from: Math.max(0, Math.min(from, upTo - Math.abs(left))), upTo, tokens: left },
  ].filter((step) => step.tokens !== 0);
}

const isBefore = (a: Place, b: Place): boolean => a.recorded < b.recorded && a.simulated < b.simulated;

/** The same with another number of tokens that were not read, divided as they were; else written for five minutes. */
function withUnread(tokens: BilledTokens, unread: number): BilledTokens {
  const now = unreadTokens(tokens);
  const factor = now === 0 ? 0 : unread / now;
  return {
    ...tokens,
    input: tokens.input * factor,
    cacheWrite5m: now === 0 ? unread : tokens.cacheWrite5m * factor,
    cacheWrite1h: tokens.cacheWrite1h * factor,
  };
}

const unreadTokens = ({ input, cacheWrite5m, cacheWrite1h }: BilledTokens): number =>
  input + cacheWrite5m + cacheWrite1h;

const promptTokens = (tokens: BilledTokens): number => unreadTokens(tokens) + tokens.cacheRead;
