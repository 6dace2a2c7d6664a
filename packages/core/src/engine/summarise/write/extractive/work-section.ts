import { isWriteLike } from "../../../tools/compactable-tools.js";
import { excerpt, oneLine } from "../../../../messages/plain-text.js";
import { newestThatFit, type Allowance } from "./allowance.js";
import { resultText, subjectOf, type Call } from "./call.js";
import { tellingLines } from "./failure.js";
import type { Entry, Survey } from "./survey.js";

const SUBJECT_CHARACTERS = 200;
const SAID_CHARACTERS = 200;
/** So many of the newest calls show what came back. */
const SHOWN_RESULTS = 10;
const RESULT = { maxLines: 6, maxCharacters: 160, indent: "       " };

/** Section 8: the last turns, call by call, in order. */
export function workSection({ entries }: Survey, allowance: Allowance): readonly string[] {
  const firstShown = placeOfCall(entries, SHOWN_RESULTS);
  return newestThatFit(entries, allowance, (entry, index) => {
    if (isRepeated(entry, entries[index + 1])) return [];
    return describe(entry, index >= firstShown);
  });
}

/** Where the newest so many calls begin. */
function placeOfCall(entries: readonly Entry[], count: number): number {
  let calls = 0;
  return entries.findLastIndex((entry) => entry.kind === "call" && (calls += 1) >= count);
}

/** The same tool on the same thing once more: only the last time is told. */
const isRepeated = (entry: Entry, next: Entry | undefined): boolean =>
  entry.kind === "call" &&
  next?.kind === "call" &&
  entry.call.name === next.call.name &&
  entry.call.failure === undefined &&
  subjectOf(entry.call) === subjectOf(next.call);

function describe(entry: Entry, withResult: boolean): readonly string[] {
  if (entry.kind === "human") return [`   - The user: ${oneLine(entry.text, SAID_CHARACTERS)}`];
  if (entry.kind === "said") return [`   - Said: ${oneLine(entry.text, SAID_CHARACTERS)}`];
  const { call } = entry;
  const outcome = call.failure ?? (call.result === undefined ? "no result yet" : "");
  const line = `   - ${oneLine(call.name, 60)} ${oneLine(subjectOf(call), SUBJECT_CHARACTERS)}`.trimEnd();
  return [outcome === "" ? line : `${line} (${outcome})`, ...(withResult ? shownResult(call) : [])];
}

/** What came back; a change that worked says no more than that. */
function shownResult(call: Call): readonly string[] {
  if (call.failure === undefined && isWriteLike(call.kind)) return [];
  const text = resultText(call.result);
  return excerpt(call.failure === undefined ? text : tellingLines(text), RESULT);
}
