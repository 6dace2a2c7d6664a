import { createHash } from "node:crypto";
import type { ReplayReport } from "../results/policy-result.js";
import { embedJson, escapeHtml } from "./embed-text.js";
import { pageScript } from "./page-script.js";
import { reportData } from "./report-data.js";
import { reportMarkup } from "./report-markup.js";
import { REPORT_STYLE } from "./report-style.js";

export interface ReportOptions {
  /** `Replay` where there is none. */
  readonly title?: string;
  /** Milliseconds since the epoch; left out, the report does not say when it was made. */
  readonly generatedAt?: number;
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * A replay as one HTML file that needs nothing else: it asks for no other resource, and its policy lets it run and
 * style itself with nothing but what is written here. Names and texts of conversations are JSON in it, and shown as
 * text. Conversations without `series` have tables only.
 */
export function renderReport(report: ReplayReport, options: ReportOptions = {}): string {
  const { overview, files } = reportData(report);
  const script = pageScript();
  const title = options.title ?? "Replay";
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(REPORT_STYLE)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const data = [
    { id: "report-overview", value: overview },
    ...files.map((value, index) => ({ id: `report-file-${index}`, value })),
  ].map(({ id, value }) => `<script type="application/json" id="${id}">${embedJson(value)}</script>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
${reportMarkup({ title, overview, generatedAt: options.generatedAt ?? null })}
${data.join("\n")}
<script>${script}</script>
</body>
</html>
`;
}
