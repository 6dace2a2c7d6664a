import { learnKinds, readKinds, type KindScale } from "./kind-scales.js";

/** How a model's real growth compares with the estimates, learned as conversations go on. */
export interface Calibration {
  /** Real tokens per estimated token, for ordinary text. */
  readonly scale: number;
  /** By which share of the estimate the newest growths were larger (or smaller) than estimated; the newest last. */
  readonly errors: readonly number[];
  /** Texts that were far from their estimates, by what they are made of; the newest last. */
  readonly kinds?: readonly KindScale[];
  /** What the API has said of the window of a model that is in no table. */
  readonly window?: number;
}

/** The calibration of a model whose responses nobody has seen. */
export const uncalibrated: Calibration = { scale: 1, errors: [] };

/**
 * How fast the scale follows, how far it may go, what counts as an observation. The rate is the best of 0.02,
 * 0.05, 0.1, 0.2 and 0.3 on recordings of older models (128 growths); newer ones were left for judging it.
 */
const RATE = 0.02;
const SMALLEST_SCALE = 0.7;
const LARGEST_SCALE = 1.4;
const LARGEST_RATIO = 2;
const SMALLEST_GROWTH = 200;
const MOST_ERRORS = 100;
/** A growth so far from its estimate says something of its text, not of all text. */
const SURPRISE = 0.2;

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

export interface ObservedGrowth {
  /** As the calibrated estimator said it. */
  readonly estimated: number;
  readonly actual: number;
  /** What it consists of. */
  readonly texts?: readonly string[];
}

/** The calibration after a growth was seen; the same object where it was too small to tell anything. */
export function calibrate(
  calibration: Calibration,
  { estimated, actual, texts = [] }: ObservedGrowth,
): Calibration {
  if (Math.min(estimated, actual) < 1 || Math.max(estimated, actual) < SMALLEST_GROWTH) return calibration;
  const error = actual / estimated - 1;
  const errors = [...calibration.errors.slice(1 - MOST_ERRORS), error];
  if (Math.abs(Math.log(actual / estimated)) > SURPRISE && texts.length > 0) {
    return { ...calibration, errors, kinds: learnKinds(calibration.kinds ?? [], texts, actual / estimated) };
  }
  if (Math.min(estimated, actual) < SMALLEST_GROWTH) return calibration;
  const ratio = clamp((actual / estimated) * calibration.scale, 1 / LARGEST_RATIO, LARGEST_RATIO);
  const scale = clamp(calibration.scale + RATE * (ratio - calibration.scale), SMALLEST_SCALE, LARGEST_SCALE);
  return { ...calibration, scale, errors };
}

const UNKNOWN_ERROR = 1 / 3;
const FEWEST_ERRORS = 20;
/** More would make room for what a refusal mends as well. */
const LARGEST_BOUND = 0.5;

/** The share of the estimate that covers 19 of 20 growths; a third until enough were seen. */
export function errorBound({ errors }: Calibration): number {
  if (errors.length < FEWEST_ERRORS) return UNKNOWN_ERROR;
  const sorted = errors.toSorted((a, b) => a - b);
  const bound = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? UNKNOWN_ERROR;
  return clamp(bound, 0, LARGEST_BOUND);
}

/** A calibration as it was stored; uncalibrated where it makes no sense. */
export function readCalibration(value: unknown): Calibration {
  if (typeof value !== "object" || value === null) return uncalibrated;
  const { scale, errors, kinds, window } = value as Partial<Record<keyof Calibration, unknown>>;
  const isScale = typeof scale === "number" && scale >= SMALLEST_SCALE && scale <= LARGEST_SCALE;
  if (!isScale || !Array.isArray(errors)) return uncalibrated;
  const kept = errors.filter(
    (error): error is number => typeof error === "number" && error > -1 && error < 100,
  );
  const known = readKinds(kinds);
  const isWindow = typeof window === "number" && Number.isSafeInteger(window) && window > 0;
  return {
    scale,
    errors: kept.slice(-MOST_ERRORS),
    ...(known.length === 0 ? {} : { kinds: known }),
    ...(isWindow ? { window } : {}),
  };
}
