import type { Calibration, CalibrationStore } from "@palimpsest/core";
import { readCalibration } from "@palimpsest/core/engine";
import { readFile } from "node:fs/promises";
import { checkPath } from "./check-path.js";
import { replaceFile } from "./replace-file.js";

/**
 * Calibrations in one JSON file, such as `estimator.json` in the user's data folder. Written whole and swapped
 * in, so that a crash leaves the old one. A file that cannot be read counts as empty: only accuracy is lost.
 */
export function createCalibrationFile(path: string): CalibrationStore {
  checkPath("createCalibrationFile", path);
  let saving: Promise<void> = Promise.resolve();
  const readAll = async (): Promise<Record<string, unknown>> => {
    try {
      const content: unknown = JSON.parse(await readFile(path, "utf8"));
      return typeof content === "object" && content !== null && !Array.isArray(content) ? { ...content } : {};
    } catch {
      return {};
    }
  };
  const replace = async (model: string, calibration: Calibration): Promise<void> => {
    const all = { ...(await readAll()), [model]: calibration };
    await replaceFile(path, `${JSON.stringify(all)}\n`);
  };
  return {
    async load(model) {
      const all = await readAll();
      return Object.hasOwn(all, model) ? readCalibration(all[model]) : undefined;
    },
    save(model, calibration) {
      const saved = saving.then(() => replace(model, calibration));
      saving = saved.catch(() => {});
      return saved;
    },
  };
}
