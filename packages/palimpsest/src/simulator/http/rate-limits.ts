import type { Verdict } from "../outcome.js";
import type { Refusal } from "./refusal.js";

/** Per minute and workspace. They are reported, never enforced: a 429 is a fault that somebody asked for. */
export interface RateLimits {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const defaultRateLimits: RateLimits = {
  requests: 4000,
  inputTokens: 2_000_000,
  outputTokens: 400_000,
};

interface Used {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
}

const MINUTE = 60_000;
const nothing: Used = { requests: 0, input: 0, output: 0 };

export interface RateMeter {
  /** Counts a request of the workspace at a time; reads of the cache do not count. */
  count(use: {
    readonly workspace: string;
    readonly now: number;
    readonly verdict: Verdict | undefined;
  }): void;
  /** The `anthropic-ratelimit-…` headers. */
  headers(workspace: string, now: number): Readonly<Record<string, string>>;
}

/** Remembers one minute only. */
export function createRateMeter(limits: RateLimits): RateMeter {
  let minute = Number.NaN;
  let used = new Map<string, Used>();
  const usedAt = (workspace: string, now: number): Used => {
    const current = Math.floor(now / MINUTE);
    if (current !== minute) {
      minute = current;
      used = new Map();
    }
    return used.get(workspace) ?? nothing;
  };
  return {
    count({ workspace, now, verdict }) {
      const before = usedAt(workspace, now);
      const { input = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0 } = verdict ?? {};
      used.set(workspace, {
        requests: before.requests + 1,
        input: before.input + input + cacheWrite5m + cacheWrite1h,
        output: before.output + output,
      });
    },
    headers(workspace, now) {
      const { requests, input, output } = usedAt(workspace, now);
      const reset = timestamp((minute + 1) * MINUTE);
      const { inputTokens, outputTokens } = limits;
      return {
        ...limitHeaders("requests", { limit: limits.requests, used: requests, reset }),
        ...limitHeaders("tokens", { limit: inputTokens + outputTokens, used: input + output, reset }),
        ...limitHeaders("input-tokens", { limit: inputTokens, used: input, reset }),
        ...limitHeaders("output-tokens", { limit: outputTokens, used: output, reset }),
      };
    },
  };
}

interface LimitState {
  readonly limit: number;
  readonly used: number;
  readonly reset: string;
}

const limitHeaders = (name: string, { limit, used, reset }: LimitState): Record<string, string> => ({
  [`anthropic-ratelimit-${name}-limit`]: String(limit),
  [`anthropic-ratelimit-${name}-remaining`]: String(Math.max(0, limit - used)),
  [`anthropic-ratelimit-${name}-reset`]: reset,
});

/** RFC 3339, to the second. A clock that was advanced beyond every date says its last one. */
const timestamp = (time: number): string =>
  new Date(Math.min(Math.max(0, time), 8.64e15)).toISOString().replace(/\.\d+Z$/, "Z");

export interface RateLimited {
  readonly limits: RateLimits;
  readonly organization: string;
  readonly retryAfterSeconds: number;
  readonly now: number;
}

/** The 429 of a workspace that has used up its input tokens. */
export function rateLimited({ limits, organization, retryAfterSeconds, now }: RateLimited): Refusal {
  const limit = limits.inputTokens.toLocaleString("en-US");
  return {
    kind: "refusal",
    status: 429,
    type: "rate_limit_error",
    message:
      `This request would exceed the rate limit for your organization (${organization}) of ${limit} input tokens ` +
      "per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response " +
      "headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again " +
      "later. You may also contact sales at https://www.anthropic.com/contact-sales to discuss your options for " +
      "a rate limit increase.",
    headers: {
      "retry-after": String(retryAfterSeconds),
      ...limitHeaders("input-tokens", {
        limit: limits.inputTokens,
        used: limits.inputTokens,
        reset: timestamp(now + retryAfterSeconds * 1000),
      }),
    },
  };
}
