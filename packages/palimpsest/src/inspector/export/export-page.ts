import { renderPage } from "../../pages/render-page.js";
import { exportConversation, type ExportOptions } from "./export-conversation.js";

/** A conversation as one file that needs nobody. */
export interface ExportedPage {
  readonly html: string;
  /** For a file, without what a name of a file cannot have. */
  readonly name: string;
  /** What is not in it, in a sentence; null where everything is. */
  readonly leftOut: string | null;
}

const LONGEST_NAME = 60;

/** Undefined where there is no such conversation. */
export async function exportPage(id: string, options: ExportOptions): Promise<ExportedPage | undefined> {
  const exported = await exportConversation(id, options);
  if (exported === undefined) return undefined;
  const title = options.redact(exported.title);
  const { html } = renderPage({
    page: "inspector",
    title: `${title === "" ? "A conversation" : title} · Palimpsest inspector`,
    data: [{ id: "inspector-data", value: exported.data }],
    withoutScript: "The conversation is drawn by a script in this file, which is switched off.",
  });
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .slice(0, LONGEST_NAME)
    .replaceAll(/^-|-$/g, "");
  return { html, name: `${name === "" ? "conversation" : name}.html`, leftOut: exported.data.leftOut };
}
