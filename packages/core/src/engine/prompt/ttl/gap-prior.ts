import { trackedAs, type QuerySource } from "../../../messages/call/query-source.js";
import {
  addEvidence,
  noEvidence,
  promptTokens,
  requestsSeen,
  scaleTokens,
  type GapEvidence,
} from "./gap-evidence.js";

/**
 * What is assumed of a person's conversations before anything is known: the average conversation of eight
 * recorded ones (every second of fifteen by name, 1,365 requests), counted as one. The other seven are left for
 * judging it (`palimpsest bench --only ttl`). Two or three conversations of that length without a pause outweigh it.
 */
export const attendedPrior: GapEvidence = {
  conversations: 1,
  firstTokens: 33_000,
  gaps: [126, 22, 8.8, 3.9, 2.9, 1.6, 1, 0.75, 0.5, 0.5, 0.5, 0.13, 0.38, 0, 0.13, 0, 0.25, 0].map(
    (count, index) => ({
      count,
      // Before a pause prompts are longer.
      prefixTokens: count * (index < 3 ? 160_000 : 195_000),
      newTokens: count * 1800,
    }),
  ),
};

/** The first bucket of gaps that five minutes do not outlive. */
const FIVE_MINUTES = 5;

/** For programs and subagents, of which there are no recordings: the same work, and nobody who pauses. */
export const unattendedPrior: GapEvidence = {
  ...attendedPrior,
  gaps: noEvidence.gaps.map((none, index) =>
    index < FIVE_MINUTES ? (attendedPrior.gaps[index] ?? none) : none,
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
