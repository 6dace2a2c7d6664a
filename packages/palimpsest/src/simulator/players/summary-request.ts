import type { PlayerPrompt } from "../player.js";
import { cutText } from "../cut-text.js";
import { summaryForm, type SummaryForm } from "./summary-form.js";
import { instructionOf, ownWords, type Instruction } from "./summary-instruction.js";
import { instructionPhrases, systemPhrases, type SummaryPhrase } from "./summary-phrases.js";

/** A request that is not part of the work: it wants the conversation summarised, or notes about it kept. */
export type SummaryRequest =
  | {
      readonly kind: "summary";
      readonly form: SummaryForm;
      /** What gave it away: an agent's phrase, its structure, or the API itself. */
      readonly recognisedBy: string;
    }
  | {
      readonly kind: "notes";
      /** The file that is to be edited, where the request names one. */
      readonly path?: string;
      /** What the file holds now, where the request shows it. */
      readonly notes?: string;
      readonly recognisedBy: string;
    };

/**
 * Recognises requests for a summary or for an update of notes by the last message: an instruction after a history.
 * The same words in a file that was read, in an old summary, in a quotation or in the person's own wishes ("a
 * summary of this file, please") do not count.
 */
export function recogniseSummaryRequest(prompt: PlayerPrompt): SummaryRequest | undefined {
  if (prompt.kind === "compaction") {
    return { kind: "summary", form: summaryForm(prompt.instructions ?? ""), recognisedBy: "compaction" };
  }
  const instruction = instructionOf(prompt);
  if (instruction === undefined || !instruction.hasHistory) return undefined;
  const notes = notesRequest(instruction);
  if (notes !== undefined) return notes;
  const recognisedBy = summaryEvidence(instruction);
  if (recognisedBy === undefined) return undefined;
  return { kind: "summary", form: summaryForm(`${instruction.text}\n${instruction.system}`), recognisedBy };
}

function summaryEvidence(instruction: Instruction): string | undefined {
  const words = ownWords(instruction.text);
  const ends = `${cutText(words, 2500)}\n${words.length > 2500 ? words.slice(-2500) : ""}`;
  const phrase = find(instructionPhrases, ends);
  if (phrase?.sure === true) return `phrase of ${phrase.agents}`;
  if (isTitleRequest(instruction)) return undefined;
  const shape = structure(instruction);
  if (phrase !== undefined && (!instruction.hasTools || shape.demands > 0 || words.length > 600)) {
    return `phrase of ${phrase.agents}`;
  }
  const system = find(systemPhrases, cutText(instruction.system, 1200));
  if (system !== undefined && (system.sure || !instruction.hasTools))
    return `system prompt of ${system.agents}`;
  return shape.asks && shape.demands >= 3 && !wantsWork(words) ? "structure" : undefined;
}

const find = (phrases: readonly SummaryPhrase[], text: string): SummaryPhrase | undefined => {
  const found = phrases.filter(({ pattern }) => pattern.test(text));
  return found.find(({ sure }) => sure) ?? found[0];
};

interface Structure {
  /** Whether it asks for a summary of a conversation at all. */
  readonly asks: boolean;
  /** How much it demands of the form that nobody demands in passing. */
  readonly demands: number;
}

const textOnly =
  /\btext[- ]only\b|\bonly (?:plain )?text\b|\b(?:do not|don't|never|without|no) (?:call|calls|use|using|calling|make|invoke|invoking|run)?\s*(?:any |to )?(?:of the )?tools?\b|\btool calls? (?:will be|are|is) (?:refused|rejected|denied|not)/i;

function structure({ text, hasTools }: Instruction): Structure {
  const asks =
    /\b(?:summar(?:y|i[sz]e|i[sz]ing)|checkpoint|hand-?off|snapshot|condense|compact(?:ion)?)\b/i.test(
      text,
    ) && /\b(?:conversation|session|chat|history|transcript|messages|dialogue?)\b/i.test(text);
  const tags = /<\/?(?:summary|analysis|state_snapshot|observations)>/.test(text);
  const sections =
    (text.match(/^[ \t]*(?:\d{1,9}[.)]|#{1,4}|[-*]) +\S/gm)?.length ?? 0) >= 4 ||
    /\b(?:nine|9) (?:numbered )?sections\b/i.test(text);
  const constraint = textOnly.test(text) ? 2 : hasTools ? 0 : 1;
  return { asks, demands: (tags ? 2 : 0) + (sections ? 1 : 0) + constraint };
}

/** A request to build something that has to do with summaries. */
const wantsWork = (words: string): boolean =>
  /\b(?:write|implement|add|fix|build|create|update|change|review|explain|refactor|debug|test|why|how|make)\b[^.\n]{0,60}\b(?:prompts?|functions?|parsers?|tests?|code|modules?|class|scripts?|bugs?|components?|features?|endpoints?|regex|readme|docs?|template|command|player|handler)\b/i.test(
    cutText(words.trim(), 220),
  );

const isTitleRequest = ({ text, system }: Instruction): boolean =>
  text.length < 800 &&
  /\b(?:title|headline|topic name|tagline)\b|\b(?:under|at most|maximum(?: of)?|in) \d+ (?:characters|words)\b|\bone sentence\b/i.test(
    `${text}\n${cutText(system, 600)}`,
  );

function notesRequest({ text, raw, hasTools }: Instruction): SummaryRequest | undefined {
  const words = ownWords(text);
  const about =
    /\b(?:session[- ](?:notes|memory)|notes? file|memory file|the notes|your notes|these notes)\b/i.test(
      words,
    );
  const wants = /\b(?:update|edit|revise|condense|bring)\b/i.test(words);
  if (!about || !wants || !hasTools) return undefined;
  const evidence =
    (/\b(?:not|n't) part of the (?:actual |real )?(?:user )?conversation\b/i.test(words) ? 2 : 0) +
    (/\b(?:conversation|messages|session) (?:above|so far)\b|\bthis (?:conversation|session)\b/i.test(words)
      ? 1
      : 0) +
    (/\b(?:only (?:task|tool|file)|no other tools?|nothing else|then stop|any other tool)\b/i.test(words)
      ? 1
      : 0) +
    (currentNotes(raw) === undefined ? 0 : 1);
  if (evidence < 3) return undefined;
  const path = /(?:^|[\s"'`(<])((?:~|\.{1,2})?\/?[\w.@~-]*(?:[/\\][\w.@ ~-]+)*\.(?:md|markdown|txt))\b/.exec(
    text,
  )?.[1];
  const notes = currentNotes(raw);
  return {
    kind: "notes",
    ...(path === undefined ? {} : { path }),
    ...(notes === undefined ? {} : { notes }),
    recognisedBy: "notes",
  };
}

/** The file as the request shows it: in an element or a fence of its own, with at least two headings. */
function currentNotes(raw: string): string | undefined {
  const element = /<([a-z_-]*notes[a-z_-]*)>\n?([\s\S]*?)\n?<\/\1>/i.exec(raw)?.[2];
  if (element !== undefined) return element;
  const fences = [...raw.matchAll(/^(`{3,9}|~{3,9})(?![`~])[^\n]*\n([\s\S]*?)\n\1\s*$/gm)].map(
    (match) => match[2] ?? "",
  );
  const fenced = fences.find((text) => (text.match(/^#{1,3} /gm)?.length ?? 0) >= 2);
  if (fenced !== undefined) return fenced;
  const [first, ...more] = [...raw.matchAll(/^#{1,3} .+\n_.+_\s*$/gm)].map(({ index }) => index);
  return first === undefined || more.length === 0 ? undefined : raw.slice(first);
}
