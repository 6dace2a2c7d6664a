import { isWord } from "./characters.js";
import { collapseSpace } from "./collapse-space.js";

/** A text that is searched, once however often it was added. */
export interface IndexedText {
  readonly text: string;
  /** Counts up: what was added later has a higher one. */
  readonly order: number;
  /** How often it is there now; 0 when it is gone. */
  readonly uses: number;
}

/** Texts that come and go, by the words in them. A search looks only at texts with the rarest word of what it seeks. */
export interface TextIndex {
  readonly add: (text: string) => void;
  readonly remove: (text: string) => void;
  /** A text that holds this one as a whole: no word character touches it where it begins or ends with one. */
  readonly findWhole: (sought: string) => IndexedText | undefined;
  /** A text that holds this one, of those added later than `after`. Runs of white space are one blank in both. */
  readonly findCollapsed: (sought: string, after: number) => IndexedText | undefined;
  /** The order of what was added last. */
  readonly newest: () => number;
}

type Entry = { -readonly [Key in keyof IndexedText]: IndexedText[Key] } & {
  /** The text with its white space collapsed, from the first time that it was asked for. */
  collapsed?: string;
};

/** Texts that are gone stay in the lists of words until they are most of it. */
const TIDY_FROM = 65_536;

export function createTextIndex(): TextIndex {
  const entries = new Map<string, Entry>();
  let lists = new Map<number, Entry[]>();
  let liveCharacters = 0;
  let goneCharacters = 0;
  let order = 0;

  function list(entry: Entry): void {
    eachWord(entry.text, ({ hash }) => {
      const listed = lists.get(hash);
      if (listed === undefined) lists.set(hash, [entry]);
      else if (listed.at(-1) !== entry) listed.push(entry);
    });
  }

  function tidy(): void {
    lists = new Map();
    goneCharacters = 0;
    for (const entry of entries.values()) list(entry);
  }

  /** The shortest list of those of its words; all texts where it has no word; none where a word is in no text. */
  function candidates(hashes: readonly number[]): readonly Entry[] {
    let fewest: readonly Entry[] | undefined;
    for (const hash of hashes) {
      const listed = lists.get(hash);
      if (listed === undefined) return [];
      if (fewest === undefined || listed.length < fewest.length) fewest = listed;
    }
    return fewest ?? [...entries.values()];
  }

  return {
    add: (text) => {
      const present = entries.get(text);
      if (present !== undefined) {
        present.uses += 1;
        return;
      }
      order += 1;
      const entry: Entry = { text, order, uses: 1 };
      entries.set(text, entry);
      liveCharacters += text.length;
      list(entry);
    },

    remove: (text) => {
      const entry = entries.get(text);
      if (entry === undefined) return;
      entry.uses -= 1;
      if (entry.uses > 0) return;
      entries.delete(text);
      liveCharacters -= text.length;
      goneCharacters += text.length;
      if (goneCharacters > TIDY_FROM && goneCharacters > liveCharacters) tidy();
    },

    findWhole: (sought) =>
      candidates(wordHashes(sought, { ends: true })).findLast(
        (entry) => entry.uses > 0 && holdsWhole(entry.text, sought),
      ),

    findCollapsed: (sought, after) => {
      // The first and the last word may be ends of longer ones.
      const from = candidates(wordHashes(sought, { ends: false }));
      for (let at = from.length - 1; at >= 0; at -= 1) {
        const entry = from[at];
        if (entry === undefined || entry.order <= after) return undefined;
        if (entry.uses > 0 && (entry.collapsed ??= collapseSpace(entry.text)).includes(sought)) return entry;
      }
      return undefined;
    },

    newest: () => order,
  };
}

/** Whether a text holds another as a whole: no word character touches it where it begins or ends with one. */
export function holdsWhole(text: string, sought: string): boolean {
  if (sought === "") return false;
  const beginsWithWord = isWord(sought.charCodeAt(0));
  const endsWithWord = isWord(sought.charCodeAt(sought.length - 1));
  let at = text.indexOf(sought);
  while (at >= 0) {
    const isCutBefore = beginsWithWord && isWord(text.charCodeAt(at - 1));
    const isCutBehind = endsWithWord && isWord(text.charCodeAt(at + sought.length));
    if (!isCutBefore && !isCutBehind) return true;
    at = text.indexOf(sought, at + 1);
  }
  return false;
}

function wordHashes(text: string, options: { readonly ends: boolean }): readonly number[] {
  const hashes: number[] = [];
  eachWord(text, ({ hash, start, end }) => {
    if (options.ends || (start > 0 && end < text.length)) hashes.push(hash);
  });
  return hashes;
}

interface HashedWord {
  /** Small enough to be a cheap key. Two words may share one: texts are looked at again. */
  hash: number;
  start: number;
  end: number;
}

/** Calls back with the same object each time. */
function eachWord(text: string, visit: (word: Readonly<HashedWord>) => void): void {
  const word: HashedWord = { hash: 0, start: 0, end: 0 };
  let at = 0;
  while (at < text.length) {
    let code = text.charCodeAt(at);
    if (!isWord(code)) {
      at += 1;
      continue;
    }
    word.start = at;
    let hash = 0x811c9dc5;
    while (isWord(code)) {
      hash = Math.imul(hash ^ code, 0x01000193);
      at += 1;
      code = text.charCodeAt(at);
    }
    word.end = at;
    word.hash = (hash ^ (hash >>> 15)) >>> 2;
    visit(word);
  }
}
