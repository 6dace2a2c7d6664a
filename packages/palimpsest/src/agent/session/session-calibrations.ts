import type { Calibration, Calibrations, CalibrationStore } from "@palimpsest/core";

export interface SessionCalibrations extends Calibrations {
  /** Stores what was learned since. What cannot be stored is lost: it is only accuracy. */
  save(): Promise<void>;
}

/** What earlier sessions have learned of these models; what this one learns is stored in the end. */
export async function createSessionCalibrations(
  store: CalibrationStore,
  models: readonly string[],
): Promise<SessionCalibrations> {
  const known = new Map<string, Calibration>();
  const learned = new Set<string>();
  await Promise.all(
    [...new Set(models)].map(async (model) => {
      const calibration = await store.load(model).catch(() => undefined);
      if (calibration !== undefined) known.set(model, calibration);
    }),
  );
  return {
    of: (model) => known.get(model),
    note(model, calibration) {
      known.set(model, calibration);
      learned.add(model);
    },
    async save() {
      const models = [...learned];
      learned.clear();
      await Promise.allSettled(
        models.map(async (model) => {
          const calibration = known.get(model);
          if (calibration !== undefined) await store.save(model, calibration);
        }),
      );
    },
  };
}
