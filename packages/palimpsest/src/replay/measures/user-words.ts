import type { Message, RequestMessage } from "@palimpsest/core";
import { createContextTexts, type ContextTexts } from "./context-texts.js";
import { collapseSpace } from "./collapse-space.js";
import type { IndexedText } from "./text-index.js";
import { typedWords } from "./typed-words.js";

/** What people said so far in a conversation. One for a conversation, whatever the policies. */
export interface UserWordsJudge {
  /** Takes the human messages among these; those without a text are left out. */
  readonly note: (incoming: readonly Message[]) => void;
  /** How many human messages there were so far. */
  readonly count: number;
  /** For each of them what has to stand in a context word for word, runs of white space as one blank. */
  readonly said: readonly (readonly string[])[];
  /** All that they typed, in stretches, with no limit to the length of a message. */
  readonly stretches: readonly WordStretch[];
  /** How many words that is. */
  readonly words: number;
}

/** A few lines of a message, runs of white space as one blank. */
interface WordStretch {
  readonly text: string;
  readonly words: number;
}

/** Of a longer text only its beginning and its end have to be there. */
const MAX_TOKENS = 2000;
const CHARACTERS_PER_TOKEN = 3;
const HEAD_CHARACTERS = 1000;
const TAIL_CHARACTERS = 500;
const MOST_TOKENS_OF_A_CHARACTER = 8;
/** What cannot be sent as it is. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** So long a stretch is there as a whole or counts as missing. */
const STRETCH_CHARACTERS = 160;

/** `tokensOf`: what the model makes of a text; by default so many tokens as three characters each give. */
export function createUserWordsJudge(
  tokensOf: (text: string) => number = (text) => text.length / CHARACTERS_PER_TOKEN,
): UserWordsJudge {
  const required = (text: string): readonly string[] =>
    text.length <= MAX_TOKENS / MOST_TOKENS_OF_A_CHARACTER || tokensOf(text) <= MAX_TOKENS
      ? [collapseSpace(text)]
      : [collapseSpace(text.slice(0, HEAD_CHARACTERS)), collapseSpace(text.slice(-TAIL_CHARACTERS))];
  const said: (readonly string[])[] = [];
  const stretches: WordStretch[] = [];
  let total = 0;
  return {
    note: (incoming) => {
      for (const message of incoming) {
        const texts = typedWords(message).map((text) => text.replaceAll(LONE_SURROGATE, "\ufffd"));
        if (texts.length === 0) continue;
        said.push(texts.flatMap(required));
        for (const stretch of texts.flatMap(stretchesOf)) {
          stretches.push(stretch);
          total += stretch.words;
        }
      }
    },
    get count() {
      return said.length;
    },
    said,
    stretches,
    get words() {
      return total;
    },
  };
}

/** The text cut at blanks; what has none for long is cut anywhere. */
function stretchesOf(text: string): readonly WordStretch[] {
  const whole = collapseSpace(text);
  const stretches: WordStretch[] = [];
  for (let start = 0; start < whole.length;) {
    const most = start + STRETCH_CHARACTERS;
    // Not further back than the stretch: there may be no blank in the whole text.
    const within = whole.slice(start, most + 1);
    const blank = most >= whole.length ? whole.length : start + within.lastIndexOf(" ");
    const end = blank > start ? blank : most;
    const stretch = whole.slice(start, end);
    stretches.push({ text: stretch, words: stretch.split(" ").length });
    start = whole[end] === " " ? end + 1 : end;
  }
  return stretches;
}

/** Says how many of the human messages so far a context holds. One for each policy and conversation. */
export interface UserWordsReader {
  /** Of the messages that the judge noted so far, those that stand in these, whatever their white space. */
  readonly present: (messages: readonly RequestMessage[]) => number;
  /** Of all words, those in stretches that stand in these: no limits to what a summary quotes are taken into account. */
  readonly presentWords: (messages: readonly RequestMessage[]) => number;
}

/** Where a text was found, or up to which text of the context it was sought in vain. */
interface Place {
  readonly found?: IndexedText;
  readonly soughtUpTo: number;
}

export function createUserWordsReader(
  judge: Pick<UserWordsJudge, "said"> & Partial<Pick<UserWordsJudge, "stretches">>,
  context: ContextTexts = createContextTexts(),
): UserWordsReader {
  const places = new Map<string, Place>();

  const finderIn = (messages: readonly RequestMessage[]): ((words: string) => boolean) => {
    const texts = context.of(messages);
    return (words) => {
      const place = places.get(words);
      if ((place?.found?.uses ?? 0) > 0) return true;
      const soughtUpTo = texts.newest();
      const after = place === undefined || place.found !== undefined ? 0 : place.soughtUpTo;
      if (after === soughtUpTo) return false;
      const found = texts.findCollapsed(words, after);
      places.set(words, found === undefined ? { soughtUpTo } : { found, soughtUpTo });
      return found !== undefined;
    };
  };

  return {
    present: (messages) => {
      const isPresent = finderIn(messages);
      return judge.said.filter((words) => words.every(isPresent)).length;
    },
    presentWords: (messages) => {
      const isPresent = finderIn(messages);
      return (judge.stretches ?? []).reduce((sum, { text, words }) => sum + (isPresent(text) ? words : 0), 0);
    },
  };
}
