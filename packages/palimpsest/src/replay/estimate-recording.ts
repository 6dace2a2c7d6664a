import type { Estimator } from "@palimpsest/core";
import {
  conversationWindows,
  createDefaultEstimator,
  createHeuristicEstimator,
} from "@palimpsest/core/engine";
import { growthsIn, type Growth } from "@palimpsest/core/recordings";
import type { Recording } from "./readers/recording.js";

/** Smaller growths say more of rounding than of estimators. */
const SMALLEST_GROWTH = 500;

export type EstimatorName = "chars4" | "heuristic" | "default";

/** One growth with what each estimator said of it beforehand. */
export interface EstimatedGrowth {
  readonly model: string;
  readonly actual: number;
  readonly contextTokens: number;
  readonly estimates: Readonly<Record<EstimatorName, number>>;
}

/**
 * What the estimators would have said as the recorded conversation went on. The default one calibrates itself
 * from each growth after it was estimated, as it would live; every recording starts uncalibrated.
 */
export function estimateRecording(recording: Recording): readonly EstimatedGrowth[] {
  const heuristic = createHeuristicEstimator();
  const defaults = new Map<string, ReturnType<typeof createDefaultEstimator>>();
  const seen = new Set<string>();
  return conversationWindows(recording.messages)
    .flatMap(growthsIn)
    .filter((growth) => isNew(growth, seen))
    .flatMap((growth) => {
      const { model, actual, contextTokens, messages } = growth;
      const estimator = defaults.get(model) ?? createDefaultEstimator({ model });
      defaults.set(model, estimator);
      const sum = ({ message }: Pick<Estimator, "message">): number =>
        messages.reduce((total, item) => total + message(item), 0);
      const classic = sum(heuristic);
      const estimated = sum(estimator);
      const estimates = { chars4: classic, heuristic: heuristic.pad(classic), default: estimated };
      estimator.learn({ messages, estimated, actual });
      return actual > SMALLEST_GROWTH ? [{ model, actual, contextTokens, estimates }] : [];
    });
}

/** Kept messages stand in two windows: their growth counts once. */
function isNew({ messages }: Growth, seen: Set<string>): boolean {
  const key = messages[0]?.uuid ?? "";
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

export interface EstimatorErrors {
  /** Median and 90th percentile of the share by which growths were missed. */
  readonly median: number;
  readonly p90: number;
  /** 99th percentile of the miss as a share of the whole context. */
  readonly p99OfContext: number;
}

export interface EstimateReport {
  readonly increments: number;
  readonly estimators: Readonly<Record<EstimatorName, EstimatorErrors>>;
}

const names: readonly EstimatorName[] = ["chars4", "heuristic", "default"];

export function reportEstimates(growths: readonly EstimatedGrowth[]): EstimateReport {
  const errorsOf = (name: EstimatorName): EstimatorErrors => {
    const misses = growths.map((growth) => Math.abs(growth.estimates[name] - growth.actual));
    const shares = misses.map((miss, index) => miss / (growths[index]?.actual ?? 1));
    const ofContext = misses.map((miss, index) => miss / (growths[index]?.contextTokens ?? 1));
    return {
      median: percentile(shares, 0.5),
      p90: percentile(shares, 0.9),
      p99OfContext: percentile(ofContext, 0.99),
    };
  };
  const estimators = Object.fromEntries(names.map((name) => [name, errorsOf(name)]));
  return { increments: growths.length, estimators: estimators as EstimateReport["estimators"] };
}

/** Between the two nearest values, by distance; 0 where there is nothing to measure. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
