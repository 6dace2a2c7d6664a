import { trackedAs, type QuerySource } from "../../../messages/call/query-source.js";
import { ttlMilliseconds } from "../cache-writes.js";
import {
  addEvidence,
  gapBounds,
  noEvidence,
  promptTokens,
  requestsSeen,
  scaleTokens,
  type GapBucket,
  type GapEvidence,
} from "./gap-evidence.js";

/** A bucket of the prior: how often in one conversation, and the tokens of such a request on average. */
const bucket = (count: number, prefixTokens: number, newTokens: number): GapBucket => ({
  count,
  prefixTokens: count * prefixTokens,
  newTokens: count * newTokens,
});

/**
 * What is assumed of a person's conversations before anything is known: the average conversation of eight
 * recorded ones (every second of fifteen by name, 1,365 requests), counted as one. The other seven are left for
 * judging it (`palimpsest bench --only ttl`). Two or three conversations of that length without a pause outweigh it.
 */
export const attendedPrior: GapEvidence = {
  conversations: 1,
  firstTokens: 33_000,
  gaps: [
    bucket(126, 160_000, 1400),
    bucket(22, 157_000, 2500),
    bucket(8.8, 165_000, 4800),
    bucket(3.9, 177_000, 1600),
    bucket(2.9, 194_000, 1900),
    bucket(1.6, 181_000, 2600),
    bucket(1, 164_000, 2400),
    bucket(0.75, 221_000, 1200),
    bucket(0.5, 207_000, 1100),
    bucket(0.5, 158_000, 3600),
    bucket(0.5, 260_000, 2100),
    bucket(0.13, 269_000, 100),
    bucket(0.38, 243_000, 2600),
    bucket(0, 0, 0),
    bucket(0.13, 352_000, 3400),
    bucket(0, 0, 0),
    bucket(0.25, 233_000, 700),
    bucket(0, 0, 0),
  ],
};

/** For programs and subagents, of which there are no recordings: the same work, and nobody who pauses. */
export const unattendedPrior: GapEvidence = {
  ...attendedPrior,
  gaps: noEvidence.gaps.map((none, index) =>
    (gapBounds[index] ?? Infinity) <= ttlMilliseconds["5m"] ? (attendedPrior.gaps[index] ?? none) : none,
  ),
};

/** Requests after which a user's own prompts count as much as the recorded ones for how long prompts are. */
const LENGTH_WEIGHT = 20;

/**
 * What is to be expected of a source: what was seen of it, and what is assumed, on prompts as long as its own.
 * Otherwise the long prompts of the recordings would outweigh any number of short conversations.
 */
export function withPrior(source: QuerySource, seen: GapEvidence): GapEvidence {
  const prior = trackedAs(source).startsWith("repl_main_thread") ? attendedPrior : unattendedPrior;
  const assumed = promptTokens(prior) / requestsSeen(prior);
  const length = (LENGTH_WEIGHT * assumed + promptTokens(seen)) / (LENGTH_WEIGHT + requestsSeen(seen));
  return addEvidence(scaleTokens(prior, length / assumed), seen);
}
