import type { TracedRequest } from "./trace-requests.js";
import { partKinds } from "./trace-lane.js";

export interface ScaledParts {
  /** Tokens by kind, in the order of `partKinds`: whole numbers that sum to the input of the request. */
  readonly kinds: readonly number[];
  /** By which the estimate of each block is multiplied. */
  readonly factor: number;
}

const UNKNOWN = partKinds.indexOf("unknown");
/** By how much more than estimated what was recorded may have: beyond that something was not recorded. */
const LARGEST_FACTOR = 1.4;

export const inputOf = ({ usage }: Pick<TracedRequest, "usage">): number =>
  usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;

/**
 * Divides what a request has used among its parts. `head` is what stands before the messages and is not recorded: what the first
 * request of the lane had beside what is. Where usage is not reported the estimates stand.
 */
export function scaleParts(
  request: Pick<TracedRequest, "usage" | "isReported">,
  sums: readonly number[],
  head: number,
): ScaledParts {
  const estimated = sums.reduce((total, tokens) => total + tokens, 0);
  const input = inputOf(request);
  if (!request.isReported || input === 0) return { kinds: sums.map(Math.round), factor: 1 };
  if (estimated === 0)
    return { kinds: partKinds.map((_, kind) => (kind === UNKNOWN ? input : 0)), factor: 1 };
  const room = Math.max(0, input - head);
  const factor = Math.min(LARGEST_FACTOR, (room === 0 ? input : room) / estimated);
  const kinds = sums.map((tokens) => Math.floor(tokens * factor));
  const rest = input - kinds.reduce((total, tokens) => total + tokens, 0);
  const isRounding = head === 0 && rest < partKinds.length;
  const to = isRounding ? kinds.indexOf(Math.max(...kinds)) : UNKNOWN;
  return { kinds: kinds.map((tokens, kind) => (kind === to ? tokens + rest : tokens)), factor };
}

/** What the first request of a lane shows of what stands before its messages: what it had beside those that are recorded. */
export function headOf(
  request: Pick<TracedRequest, "usage" | "isReported">,
  sums: readonly number[],
): number {
  const estimated = sums.reduce((total, tokens) => total + tokens, 0);
  const rest = inputOf(request) - estimated;
  return request.isReported && rest > estimated * (LARGEST_FACTOR - 1) ? rest : 0;
}
