import { createContextChart } from "./page/context-chart.js";
import { createCursors } from "./page/cursor.js";
import { createElements } from "./page/elements.js";
import { createFormats } from "./page/formats.js";
import { createLineChart } from "./page/line-chart.js";
import { createPlots } from "./page/plot.js";
import { createPolicyStyles } from "./page/policy-styles.js";
import { createScatterChart } from "./page/scatter-chart.js";
import { startReport, type PageParts } from "./page/start-report.js";
import { createTables } from "./page/tables.js";

const parts: PageParts = {
  createElements,
  createFormats,
  createPlots,
  createCursors,
  createPolicyStyles,
  createTables,
  createContextChart,
  createLineChart,
  createScatterChart,
};

/**
 * The script of the report: the functions under `page/` as their own source text, handed to each other. None of them
 * may use anything but its parameters and what every browser has.
 */
export function pageScript(): string {
  const sources = Object.entries(parts).map(([name, part]) => `${name}: ${String(part)}`);
  return `"use strict";\n(${String(startReport)})(window, {\n${sources.join(",\n")}\n});`.replaceAll(
    "\r\n",
    "\n",
  );
}
