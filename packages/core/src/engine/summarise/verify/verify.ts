import type { Message } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import type { Mended } from "../../events/compaction-terms.js";
import { ADDED_LABEL } from "../shape/labels.js";
import { writeExtractive } from "../write/extractive/write-extractive.js";
import type { HumanText } from "../people/human-text.js";
import { pathsNamedIn } from "../record/named-paths.js";
import { humanQuotes } from "../people/quote-human-texts.js";
import { sectionTitles, USER_MESSAGES_SECTION } from "../shape/sections.js";
import type { SummaryVariant } from "../../events/summary-variant.js";
import { namesSeen } from "../record/seen-names.js";
import { findSections, sectionBody, type SectionPart } from "../shape/summary-sections.js";
import { createTextFinder } from "../people/text-finder.js";

export interface VerifyOptions {
  /** What stood in the summary's element, or the whole answer where there was none. */
  readonly summary: string;
  readonly variant: SummaryVariant;
  /** What was summarised. */
  readonly live: readonly Message[];
  /** Further messages that the writer saw and that stay: what they name is known. */
  readonly alsoSeen?: readonly Message[];
  /** What people said in it (`humanTextsOf`). */
  readonly humanTexts: readonly HumanText[];
  readonly estimator: Estimator;
  /** For sections that have to be added; section 6 aside. */
  readonly budgetTokens?: number;
  /** Section 6: up to here a message stands word for word. */
  readonly perMessageTokens?: number;
  /** Section 6: all quotations together. */
  readonly totalTokens?: number;
  readonly transcriptPath?: string | undefined;
}

export interface VerifiedSummary {
  readonly text: string;
  readonly mended: Mended;
}

const FILES_SECTION = 3;
const UNKNOWN_LABEL = "   Not seen in the conversation, to be checked before use:";
const MAX_UNKNOWN = 100;

/**
 * Checks a summary against the messages it takes the place of, and mends it: sections that are missing or empty
 * are written from the messages, what people said is added where it is not there word for word, and file paths
 * that occur nowhere in the conversation are listed as such. What was verified before stays as it is.
 */
export function verifySummary(options: VerifyOptions): VerifiedSummary {
  const given = options.summary.toWellFormed().trim();
  const sections = mendSections(given, options);
  const messages = mendMessages(sections.text, options);
  const paths = notePaths(messages.text, options);
  const hasAddedAll = sections.added.includes(USER_MESSAGES_SECTION);
  return {
    text: paths.text,
    mended: {
      sectionsAdded: sections.added,
      messagesAdded: hasAddedAll ? options.humanTexts.length : messages.added,
      pathsUnknown: paths.unknown,
    },
  };
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Insertions at the same place keep their order. */
function insertAll(text: string, insertions: readonly Insertion[]): string {
  let [result, from] = ["", 0];
  for (const { at, text: added } of insertions.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(from, at) + added;
    from = at;
  }
  return result + text.slice(from);
}

/** Sections that are missing are told in brief: what is there tells the most. */
const MENDED_TOKENS = 1500;

function mendSections(
  summary: string,
  options: VerifyOptions,
): { readonly text: string; readonly added: readonly number[] } {
  const titles = sectionTitles(options.variant);
  const parts = findSections(summary);
  const added = titles.flatMap((_, index) =>
    sectionBody(summary, parts, index + 1) === "" ? [index + 1] : [],
  );
  if (added.length === 0) return { text: summary, added };
  const budgetTokens = Math.min(options.budgetTokens ?? MENDED_TOKENS, MENDED_TOKENS);
  const { sections: bodies } = writeExtractive(options.live, { ...options, budgetTokens });
  const insertions = added.map((number): Insertion => {
    const body = bodies[number - 1] ?? "";
    const own = parts.find((part) => part.number === number);
    if (own !== undefined) return { at: own.bodyStart, text: `\n${body}` };
    const section = `${number}. ${titles[number - 1] ?? ""}:\n${body}`;
    const next = placeFor(parts, number);
    return next === undefined
      ? { at: summary.length, text: `\n\n${section}` }
      : { at: next.start, text: `${section}\n\n` };
  });
  return { text: insertAll(summary, insertions).trim(), added };
}

/** A section that is missing stands before the next that is there. */
function placeFor(parts: readonly SectionPart[], number: number): SectionPart | undefined {
  const later = parts.filter((part) => part.number > number);
  return later.toSorted((a, b) => a.number - b.number)[0];
}

function mendMessages(
  summary: string,
  options: VerifyOptions,
): { readonly text: string; readonly added: number } {
  const { humanTexts } = options;
  const parts = findSections(summary);
  const isThere = createTextFinder(sectionBody(summary, parts, USER_MESSAGES_SECTION));
  const { quotes, leftOut } = humanQuotes(humanTexts, options);
  const gone = new Set(leftOut?.texts);
  const shown = humanTexts.filter((text) => !gone.has(text));
  const missing = quotes.filter(
    ({ pieces }, index) =>
      !(pieces.length > 0 && pieces.every((piece) => isThere(piece))) &&
      !isThere((shown[index]?.text ?? "").toWellFormed()),
  );
  const isTold =
    leftOut === undefined ||
    isThere(leftOut.line) ||
    leftOut.texts.every(({ text }) => isThere(text.toWellFormed()));
  if (missing.length === 0 && isTold) return { text: summary, added: 0 };
  const lines = [ADDED_LABEL, ...(isTold ? [] : [leftOut.line]), ...missing.map(({ text }) => text)];
  return {
    text: insertAll(summary, [
      { at: endOf(summary, parts, USER_MESSAGES_SECTION), text: `\n${lines.join("\n")}` },
    ]),
    added: missing.length,
  };
}

/** Where the last part of a section ends, blank lines aside. */
function endOf(summary: string, parts: readonly SectionPart[], number: number): number {
  const last = parts.findLast((part) => part.number === number);
  if (last === undefined) return summary.length;
  return last.bodyStart + summary.slice(last.bodyStart, last.end).trimEnd().length;
}

function notePaths(
  summary: string,
  options: VerifyOptions,
): { readonly text: string; readonly unknown: readonly string[] } {
  const { live, alsoSeen = [], humanTexts, transcriptPath } = options;
  const parts = findSections(summary);
  const quoted = parts.filter((part) => part.number === USER_MESSAGES_SECTION);
  // What people said is not the summary's own claim.
  const claims = withoutParts(summary, quoted);
  const noted = notedPaths(claims);
  if (noted.isFull) return { text: summary, unknown: [] };
  const named = pathsNamedIn(claims).filter(({ path }) => !noted.paths.has(path));
  const texts = [
    ...humanTexts.map(({ text }) => text),
    ...(transcriptPath === undefined ? [] : [transcriptPath]),
  ];
  const seen = namesSeen(new Set(named.map(({ name }) => name)), { live: [...alsoSeen, ...live], texts });
  const unknown = named.filter(({ name }) => !seen.has(name)).map(({ path }) => path);
  if (unknown.length === 0) return { text: summary, unknown };
  const listed = unknown.slice(0, MAX_UNKNOWN);
  const rest = unknown.length > MAX_UNKNOWN ? `, and ${unknown.length - MAX_UNKNOWN} more` : "";
  const note = `\n${UNKNOWN_LABEL} ${listed.join(", ")}${rest}`;
  return { text: insertAll(summary, [{ at: endOf(summary, parts, FILES_SECTION), text: note }]), unknown };
}

const withoutParts = (summary: string, parts: readonly SectionPart[]): string => {
  let [rest, from] = ["", 0];
  for (const { bodyStart, end } of parts) {
    rest += summary.slice(from, bodyStart);
    from = end;
  }
  return rest + summary.slice(from);
};

/** What earlier verifications listed. */
function notedPaths(text: string): { readonly paths: ReadonlySet<string>; readonly isFull: boolean } {
  const lines = text.split("\n").filter((line) => line.startsWith(UNKNOWN_LABEL));
  const items = lines.flatMap((line) => line.slice(UNKNOWN_LABEL.length).trim().split(", "));
  return { paths: new Set(items), isFull: items.some((item) => /^and \d+ more$/.test(item)) };
}
