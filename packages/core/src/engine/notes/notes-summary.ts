import type { Message } from "../../messages/message.js";
import { pinnedIn } from "../../messages/pinned.js";
import type { Estimator } from "../ports/estimator.js";
import type { Settings } from "../settings/settings.js";
import { humanTextsOf } from "../summarise/people/human-texts.js";
import type { Division } from "../summarise/run/division.js";
import { quoteHumanTexts } from "../summarise/people/quote-human-texts.js";
import { notesWithinBudget } from "./notes-budget.js";
import { divideForNotes } from "./notes-division.js";
import { isEmptyNotes, mendNotes } from "./template.js";

export interface NotesSummaryInput {
  readonly live: readonly Message[];
  readonly notes: string | undefined;
  readonly path: string;
  /** The last message that the notes cover; undefined where nothing was recorded. */
  readonly coveredUuid: string | undefined;
  readonly estimator: Estimator;
  readonly settings: Settings;
  readonly transcriptPath?: string | undefined;
}

export type NotesSummary =
  | { readonly kind: "ready"; readonly summary: string; readonly division: Division }
  | {
      readonly kind: "unavailable";
      readonly reason: "no-notes" | "empty" | "nothing-recorded" | "covered-message-gone";
    };

/** A summary made of the notes and of what people said before the messages that are kept. No model is asked. */
export function summaryFromNotes(input: NotesSummaryInput): NotesSummary {
  const { live, path, coveredUuid, estimator, settings, transcriptPath } = input;
  if (input.notes === undefined) return { kind: "unavailable", reason: "no-notes" };
  const notes = mendNotes(input.notes);
  if (isEmptyNotes(notes)) return { kind: "unavailable", reason: "empty" };
  if (coveredUuid === undefined) return { kind: "unavailable", reason: "nothing-recorded" };
  const division = divideForNotes(live, { coveredUuid, estimator, settings });
  if (division === undefined) return { kind: "unavailable", reason: "covered-message-gone" };
  const pinned = new Set(pinnedIn(division.summarised).map(({ uuid }) => uuid));
  const said = humanTextsOf(division.summarised).filter(({ uuid }) => !pinned.has(uuid));
  const quotes = quoteHumanTexts(said, {
    estimator,
    perMessageTokens: settings.compactUserMessageTokens,
    totalTokens: settings.compactUserTokens,
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  });
  const summary = [
    notesWithinBudget(notes, { estimator, settings, path }),
    ...(said.length === 0 ? [] : [`# All user messages\n${quotes}`]),
  ].join("\n\n");
  return { kind: "ready", summary, division };
}
