import type { CostVerdict } from "../clear/cost-rule.js";

/** Which way of clearing old results was taken. */
export type ClearVariant = "time-based" | "cached" | "api-native" | "size-based";

/** What each event of the engine says. Later stages add theirs. */
export interface EngineEvents {
  /** Old tool results were cleared without a model call. */
  readonly microcompact: {
    readonly variant: ClearVariant;
    /** `manual` where the caller named a target of its own. */
    readonly trigger: "auto" | "manual";
    readonly toolUseIds: readonly string[];
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** Both sides of the question whether it pays, where prices were known. */
    readonly cost?: CostVerdict;
  };
  /** A response showed how far the estimate was off. */
  readonly estimator_calibrated: {
    readonly model: string;
    readonly estimated: number;
    readonly actual: number;
    readonly scale: number;
  };
}
