/** One request, as far as the prompt cache is concerned. */
export interface PromptRequest {
  /** When it began, in milliseconds: lifetimes run from there. */
  readonly at: number;
  /** Tokens that an earlier request had written, whether or not they are still there. */
  readonly prefixTokens: number;
  /** The tokens after them. 0 for a call beside the conversation: it refreshes the prefix and adds nothing. */
  readonly newTokens: number;
}

/** A request and how long after the one before it began; no gap for the first of a conversation. */
export interface SpacedRequest extends Pick<PromptRequest, "prefixTokens" | "newTokens"> {
  readonly gap?: number;
}

/** What is known of the gaps of one length. */
export interface GapBucket {
  readonly count: number;
  readonly prefixTokens: number;
  readonly newTokens: number;
}

/** What requests have shown so far, in sums that old evidence can fade from. A JSON value of fixed size. */
export interface GapEvidence {
  /** Conversations begun, each with a request that nothing came before. */
  readonly conversations: number;
  /** Tokens of those first requests. */
  readonly firstTokens: number;
  /** Requests by the gap before them, one bucket more than `gapBounds`. */
  readonly gaps: readonly GapBucket[];
}

/** Where buckets end, in milliseconds, exclusive. Both lifetimes are among them, so that no bucket is half warm. */
export const gapBounds: readonly number[] = [
  0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 45, 60, 90, 120, 240, 480, 1440,
].map((minutes) => minutes * 60_000);

const emptyBucket: GapBucket = { count: 0, prefixTokens: 0, newTokens: 0 };

export const noEvidence: GapEvidence = {
  conversations: 0,
  firstTokens: 0,
  gaps: [...gapBounds.map(() => emptyBucket), emptyBucket],
};

const tokens = (value: number): number => (Number.isFinite(value) && value > 0 ? value : 0);

/** The evidence after one more request. Figures that make no sense count as 0. */
export function addRequest(evidence: GapEvidence, request: SpacedRequest): GapEvidence {
  const prefixTokens = tokens(request.prefixTokens);
  const newTokens = tokens(request.newTokens);
  const { gap } = request;
  if (gap === undefined) {
    const firstTokens = evidence.firstTokens + prefixTokens + newTokens;
    return { ...evidence, conversations: evidence.conversations + 1, firstTokens };
  }
  const found = gapBounds.findIndex((bound) => tokens(gap) < bound);
  const at = found === -1 ? gapBounds.length : found;
  const bucket = addBuckets(evidence.gaps[at] ?? emptyBucket, { count: 1, prefixTokens, newTokens });
  return { ...evidence, gaps: evidence.gaps.with(at, bucket) };
}

const addBuckets = (a: GapBucket, b: GapBucket): GapBucket => ({
  count: a.count + b.count,
  prefixTokens: a.prefixTokens + b.prefixTokens,
  newTokens: a.newTokens + b.newTokens,
});

export const addEvidence = (a: GapEvidence, b: GapEvidence): GapEvidence => ({
  conversations: a.conversations + b.conversations,
  firstTokens: a.firstTokens + b.firstTokens,
  gaps: a.gaps.map((bucket, index) => addBuckets(bucket, b.gaps[index] ?? emptyBucket)),
});

/** The same evidence, counting `weight` times. */
export function weighEvidence(evidence: GapEvidence, weight: number): GapEvidence {
  const { conversations, firstTokens, gaps } = scaleTokens(evidence, weight);
  return {
    conversations: conversations * weight,
    firstTokens,
    gaps: gaps.map((bucket) => ({ ...bucket, count: bucket.count * weight })),
  };
}

/** The same requests on prompts that are `factor` times as long. */
export const scaleTokens = (evidence: GapEvidence, factor: number): GapEvidence => ({
  ...evidence,
  firstTokens: evidence.firstTokens * factor,
  gaps: evidence.gaps.map(({ count, prefixTokens, newTokens }) => ({
    count,
    prefixTokens: prefixTokens * factor,
    newTokens: newTokens * factor,
  })),
});

/** Tokens of all their prompts. */
export const promptTokens = ({ firstTokens, gaps }: GapEvidence): number =>
  gaps.reduce((sum, { prefixTokens, newTokens }) => sum + prefixTokens + newTokens, firstTokens);

/** Requests that the evidence is made of. */
export const requestsSeen = ({ conversations, gaps }: GapEvidence): number =>
  gaps.reduce((sum, { count }) => sum + count, conversations);

/**
 * How many gaps lasted longer than this, with those that never ended: each conversation has had a last request.
 * Within a bucket they are taken to lie evenly on a logarithmic scale.
 */
export function gapsLongerThan({ conversations, gaps }: GapEvidence, milliseconds: number): number {
  return gaps.reduce((sum, { count }, index) => {
    const lower = gapBounds[index - 1] ?? 0;
    const upper = gapBounds[index];
    if (milliseconds <= lower || upper === undefined) return sum + count;
    if (milliseconds >= upper) return sum;
    const passed =
      lower === 0 ? milliseconds / upper : Math.log(milliseconds / lower) / Math.log(upper / lower);
    return sum + count * (1 - passed);
  }, conversations);
}
