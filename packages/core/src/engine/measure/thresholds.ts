import type { QuerySource } from "../../messages/call/query-source.js";
import type { Model } from "../../models/model.js";
import type { Settings } from "../settings/settings.js";

/** From when on what has to happen, in tokens of the context. */
export interface Thresholds {
  readonly contextWindow: number;
  readonly effectiveWindow: number;
  readonly autoCompactAt: number;
  readonly hardAt: number;
  /** What `percentLeft` counts down to. */
  readonly limit: number;
  readonly warnAt: number;
  readonly errorAt: number;
  readonly isAutoCompactOn: boolean;
}

export type ThresholdSettings = Pick<
  Settings,
  | "window"
  | "reserve"
  | "autoCompactBuffer"
  | "autoCompactPercent"
  | "warnBuffer"
  | "errorBuffer"
  | "autoCompactEnabled"
  | "disableCompact"
  | "disableAutoCompact"
>;

/** What requests and the conversation itself have at least, of the window. */
const small = { effective: 0.75, conversation: 0.6 } as const;
/** The same where the answer is counted in. */
const smallStrict = { effective: 0.5, conversation: 0.25 } as const;

/** Figures move no threshold before they differ by so much. */
const ROUND = 1000;

/** At these shares of the limit people are warned, whatever the settings: a small window has no room for more. */
const LATEST_WARNING = 0.88;
const LATEST_ERROR = 0.94;

/**
 * The ladder for a model: warn, compact, and the last rung before a request must fail. `head` are the tokens of
 * system prompt and tools: a small window is shared out between reserve and conversation beside them.
 */
export function thresholdsFor(
  model: Pick<Model, "contextWindow" | "maxOutputTokens" | "capabilities">,
  settings: ThresholdSettings,
  head = 0,
): Thresholds {
  const contextWindow = settings.window ?? model.contextWindow;
  const fixed = Math.min(contextWindow, Math.round(head / ROUND) * ROUND);
  const share = (part: number): number => fixed + Math.floor((contextWindow - fixed) * part);
  const reserve = model.capabilities.refusesInputPlusMaxTokens
    ? Math.max(model.maxOutputTokens, settings.reserve)
    : settings.reserve;
  // Reserve and buffer are for large windows; of a small one at least these shares are left.
  const least = model.capabilities.refusesInputPlusMaxTokens ? smallStrict : small;
  const effectiveWindow = Math.max(contextWindow - reserve, share(least.effective));
  const byDefault = Math.max(effectiveWindow - settings.autoCompactBuffer, share(least.conversation));
  const { autoCompactPercent } = settings;
  const byPercent =
    autoCompactPercent === undefined ? byDefault : Math.floor((effectiveWindow * autoCompactPercent) / 100);
  const autoCompactAt = Math.min(byDefault, byPercent);
  const isAutoCompactOn =
    settings.autoCompactEnabled && !settings.disableAutoCompact && !settings.disableCompact;
  const limit = isAutoCompactOn ? autoCompactAt : effectiveWindow;
  return {
    contextWindow,
    effectiveWindow,
    autoCompactAt,
    hardAt: effectiveWindow,
    limit,
    warnAt: Math.max(limit - settings.warnBuffer, Math.floor(limit * LATEST_WARNING)),
    errorAt: Math.max(limit - settings.errorBuffer, Math.floor(limit * LATEST_ERROR)),
    isAutoCompactOn,
  };
}

/** Percent of the limit that is left, whole, never below 0. */
export function percentLeft({ limit }: Pick<Thresholds, "limit">, used: number): number {
  return limit === 0 ? 0 : Math.max(0, Math.round(((limit - used) / limit) * 100));
}

export type Pressure = "none" | "warn" | "error" | "compact" | "hard";

/** The highest rung that a size has reached. `compactAt`: where it is compacted, if that is not `autoCompactAt`. */
export function pressureOf(
  thresholds: Thresholds,
  used: number,
  compactAt: number = thresholds.autoCompactAt,
): Pressure {
  if (used >= thresholds.hardAt) return "hard";
  if (thresholds.isAutoCompactOn && used >= compactAt) return "compact";
  if (used >= thresholds.errorAt) return "error";
  return used >= thresholds.warnAt ? "warn" : "none";
}

/**
 * Whether a request is held back with a message to compact, because nothing will do so by itself. The calls
 * that summarise and take notes never are.
 */
export function isBlocked(thresholds: Thresholds, used: number, source: QuerySource): boolean {
  if (source === "compact" || source === "session_memory") return false;
  return !thresholds.isAutoCompactOn && used >= thresholds.hardAt;
}
