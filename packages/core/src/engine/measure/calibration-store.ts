import type { Calibration } from "./calibration.js";

/** Where calibrations are kept across conversations, one per model. A failure loses nothing but accuracy. */
export interface CalibrationStore {
  load(model: string): Promise<Calibration | undefined>;
  save(model: string, calibration: Calibration): Promise<void>;
}

/** What conversations know of models, and where what they learn goes. Both answer at once. */
export interface Calibrations {
  of(model: string): Calibration | undefined;
  note(model: string, calibration: Calibration): void;
}

/** Calibrations that live as long as the process. */
export function createMemoryCalibrationStore(): CalibrationStore {
  const known = new Map<string, Calibration>();
  return {
    async load(model) {
      return known.get(model);
    },
    async save(model, calibration) {
      known.set(model, calibration);
    },
  };
}
