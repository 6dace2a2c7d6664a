import { renderPage } from "../../pages/render-page.js";
import type { ReplayReport } from "../results/policy-result.js";
import { reportData } from "./report-data.js";

export interface ReportOptions {
  /** `Replay` where there is none. */
  readonly title?: string;
  /** Milliseconds since the epoch; left out, the report does not say when it was made. */
  readonly generatedAt?: number;
}

/**
 * A replay as one HTML file that needs nothing else: it asks for no other resource, and its policy lets it run and
 * style itself with nothing but what is written here. Names and texts of conversations are JSON in it, and shown as
 * text. Conversations without `series` have tables only.
 */
export function renderReport(report: ReplayReport, options: ReportOptions = {}): string {
  const { overview, files } = reportData(report, options.generatedAt ?? null);
  return renderPage({
    page: "report",
    title: options.title ?? "Replay",
    withoutScript: "The tables and charts of this report are drawn by its own script, which is switched off.",
    data: [
      { id: "report-overview", value: overview },
      ...files.map((value, index) => ({ id: `report-file-${index}`, value })),
    ],
  }).html;
}
