import type { Message } from "../../messages/message.js";
import type { Estimator } from "../ports/estimator.js";
import type { Settings } from "../settings/settings.js";
import { NOTHING } from "../summarise/shape/labels.js";
import { writeExtractive } from "../summarise/write/extractive/write-extractive.js";
import { humanTextsOf } from "../summarise/people/human-texts.js";
import { headWithin } from "../measure/token-cuts.js";
import { notesSections } from "./template.js";

/** Which section of an extractive summary says what belongs under a heading; counted from 1. */
const sources: Readonly<Record<string, readonly number[]>> = {
  "Session title": [1],
  "Current state": [8, 9],
  "Task specification": [1, 7],
  "Files and functions": [3],
  "Errors and corrections": [4],
  "Codebase and system documentation": [2],
  Learnings: [5],
  Worklog: [8],
};

const TITLE_WORDS = 10;

/** The notes without a model: the template, filled from the messages themselves. */
export function writeExtractiveNotes(
  live: readonly Message[],
  { estimator, settings }: { readonly estimator: Estimator; readonly settings: Settings },
): string {
  const { sections } = writeExtractive(live, {
    estimator,
    variant: "full",
    humanTexts: humanTextsOf(live),
    budgetTokens: Math.min(settings.extractiveTokens, settings.notesTokens),
  });
  const written = notesSections.map(({ heading, hint }) => {
    const lines = (sources[heading] ?? []).flatMap((number) => linesOf(sections[number - 1] ?? ""));
    const text = (heading === "Worklog" ? lines.filter((line) => line.startsWith("- ")) : lines).join("\n");
    const body =
      heading === "Session title"
        ? titleOf(text)
        : headWithin(text.trim(), { estimator, tokens: settings.notesSectionTokens });
    // A line that looks like a heading of ours must not become one.
    return `# ${heading}\n_${hint}_\n${body.replaceAll(/^# /gm, " # ")}`.trimEnd();
  });
  return `${written.join("\n\n")}\n`;
}

/** Without the indentation of a numbered section, and none where it has nothing to say. */
const linesOf = (section: string): readonly string[] =>
  section.trim() === NOTHING.trim() ? [] : section.split("\n").map((line) => line.replace(/^ {1,3}/, ""));

const titleOf = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^- First: /, "")
    .split(" ")
    .slice(0, TITLE_WORDS)
    .join(" ");
