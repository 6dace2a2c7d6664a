import { createHash } from "node:crypto";
import { embedJson, escapeHtml } from "./embed-text.js";
import { pageIcon } from "./page-icon.js";
import { readPage, type PageName } from "./read-page.js";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Values that the page's script finds in elements of these ids, as JSON. Hostile texts in them stay texts. */
type PageData = readonly { readonly id: string; readonly value: unknown }[];

export interface PageOptions {
  readonly page: PageName;
  readonly title: string;
  /** None where it is left out. */
  readonly data?: PageData;
  /** The page may ask the server that it came from. It loads nothing from there all the same. */
  readonly asksServer?: boolean;
  /** Stands before the script has drawn anything, and where scripts are switched off. */
  readonly withoutScript: string;
}

export interface RenderedPage {
  readonly html: string;
  /** The same content security policy that is in the page, for a header. */
  readonly policy: string;
}

/**
 * A whole page as one HTML file: script, style and data are in it, and its policy allows these by their hashes and nothing else. No
 * text can become markup in it: not even its own script may turn one into elements.
 */
export function renderPage(options: PageOptions): RenderedPage {
  const { script, style } = readPage(options.page);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    // Its icon; nothing else is an image here.
    "img-src data:",
    ...(options.asksServer === true ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  const data = (options.data ?? []).map(
    ({ id, value }) =>
      `<script type="application/json" id="${escapeHtml(id)}">${embedJson(value)}</script>\n`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="${pageIcon}">
<title>${escapeHtml(options.title)}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>${escapeHtml(options.withoutScript)}</p></noscript>
${data.join("")}<script>${script}</script>
</body>
</html>
`;
  return { html, policy };
}
