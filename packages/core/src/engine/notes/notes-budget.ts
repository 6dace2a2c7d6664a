import type { Estimator } from "../ports/estimator.js";
import type { Settings } from "../settings/settings.js";
import { headWithin } from "../measure/token-cuts.js";
import { sectionsOf } from "./template.js";

export type NotesSettings = Pick<Settings, "notesSectionTokens" | "notesTokens">;

/** What is too long in a notes file. */
export interface NotesExcess {
  /** Sections over their budget, with their tokens. */
  readonly sections: readonly { readonly heading: string; readonly tokens: number }[];
  /** Tokens of the whole file, where it is over its own. */
  readonly total?: number;
}

const tokensOf = (text: string, estimator: Estimator): number => estimator.block({ type: "text", text });

export function excessOf(notes: string, estimator: Estimator, settings: NotesSettings): NotesExcess {
  const sections = sectionsOf(notes)
    .map(({ heading, body }) => ({ heading, tokens: tokensOf(body, estimator) }))
    .filter(({ tokens }) => tokens > settings.notesSectionTokens);
  const total = tokensOf(notes, estimator);
  return { sections, ...(total > settings.notesTokens ? { total } : {}) };
}

/** The notes as a summary uses them: each section within its budget, with a marker that names the file. */
export function notesWithinBudget(
  notes: string,
  options: { readonly estimator: Estimator; readonly settings: NotesSettings; readonly path: string },
): string {
  const { estimator, settings, path } = options;
  const marker = `[… this section goes on in ${path}]`;
  const sections = sectionsOf(notes).filter(({ body }) => body !== "");
  const share = Math.floor(settings.notesTokens / Math.max(1, sections.length));
  const isOver = tokensOf(notes, estimator) > settings.notesTokens;
  return sections
    .map(({ lead, body }) => {
      const limit = isOver ? Math.min(settings.notesSectionTokens, share) : settings.notesSectionTokens;
      if (tokensOf(body, estimator) <= limit) return `${lead}\n${body}`;
      const tokens = Math.max(0, limit - tokensOf(marker, estimator));
      return `${lead}\n${headWithin(body, { estimator, tokens })}\n${marker}`;
    })
    .join("\n\n");
}
