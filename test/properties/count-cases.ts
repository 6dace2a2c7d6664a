import { afterEach } from "vitest";
import { takeCases } from "./fast-check.js";

declare module "vitest" {
  interface TaskMeta {
    /** How many cases its properties have tried. */
    cases?: number;
  }
}

// For whoever counts them: soak/properties-reporter.mjs.
afterEach(({ task }) => {
  task.meta.cases = takeCases();
});
