import { isAccented, isDigit, isPathCharacter, isUrlCharacter, isWord } from "./characters.js";

export type ReferenceKind = "path" | "identifier" | "number" | "quoted";

/** A place in a text that looks like a reference. */
export interface ReferenceSpan {
  readonly kind: ReferenceKind;
  readonly start: number;
  /** After its last character. */
  readonly end: number;
}

const MIN_PATH = 4;
/** Longer runs are data, not names of files. */
const MAX_PATH = 400;
const MIN_IDENTIFIER = 4;
export const MAX_IDENTIFIER = 128;
const MIN_DIGITS = 3;

const SLASH = 47;
const BACKSLASH = 92;
const DOT = 46;
const AT = 64;
const COLON = 58;
const UNDERSCORE = 95;
const SMALL_A = 97;
const SMALL_V = 118;

const EXTENSIONS = new Set(
  (
    "adoc astro avif bash bat bak bin bmp c cc cfg cjs clj cmd conf cpp cs css csv cts cxx dart db diff dll doc docx " +
    "eot erb erl ex exe exs fish gif go gql gradle graphql gz h hcl hpp hs htm html ico ini ipynb jar java jpeg jpg " +
    "js json json5 jsonc jsonl jsx kt kts less lock lua md mdx mjs ml mod mp3 mp4 mts nix omp otf out patch pdf php " +
    "plist png ppt pptx properties proto ps1 psd1 psm1 py pyc pyi pyx rb rs rst sass scala scss sh snap so sql " +
    "sqlite sum svelte svg swift tar tex tf tgz tmp toml traj ts tsv tsx ttf txt vue wasm webp whl woff woff2 " +
    "xls xlsx xml yaml yml zig zip zsh"
  ).split(" "),
);

const UUID = /^[\dA-Fa-f]{8}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{12}$/;

/** Paths, identifiers and numbers of a text in their order. None lies inside another. Linear in the text. */
export function nameSpans(text: string): readonly ReferenceSpan[] {
  const spans: ReferenceSpan[] = [];
  let at = 0;
  while (at < text.length) {
    if (!isPathCharacter(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    const end = endOfRun(text, at);
    const path = pathSpan(text, { start: at, end });
    if (path === undefined) pushNames(text, { start: at, end, into: spans });
    else spans.push(path);
    at = end;
  }
  return spans;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** After the run of path characters that begins here; a scheme or a drive letter takes what follows it along. */
function endOfRun(text: string, start: number): number {
  let end = start;
  let hasLettersOnly = true;
  while (end < text.length && isPathCharacter(text.charCodeAt(end))) {
    const code = text.charCodeAt(end) | 32;
    hasLettersOnly &&= code >= 97 && code <= 122;
    end += 1;
  }
  if (!hasLettersOnly || text.charCodeAt(end) !== COLON) return end;
  if (text.startsWith("//", end + 1)) {
    end += 3;
    while (end < text.length && isUrlCharacter(text.charCodeAt(end))) end += 1;
  } else if (end === start + 1 && isSlash(text.charCodeAt(end + 1))) {
    end += 2;
    while (
      end < text.length &&
      (isPathCharacter(text.charCodeAt(end)) || text.charCodeAt(end) === BACKSLASH)
    ) {
      end += 1;
    }
  }
  return end;
}

/** The path that a run is, without the steps (`./`, `../`) before it and the punctuation after it. */
function pathSpan(text: string, run: Range): ReferenceSpan | undefined {
  const end = trimmedEnd(text, run);
  const start = trimmedStart(text, { start: run.start, end });
  const length = end - start;
  if (length < MIN_PATH || length > MAX_PATH) return undefined;
  let hasLetter = false;
  let hasSeparator = false;
  let lastDot = -1;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isSlash(code)) hasSeparator = true;
    else if (code === DOT) lastDot = at;
    else if (code >= 128 || (isWord(code) && !isDigit(code))) hasLetter = true;
  }
  if (!hasLetter) return undefined;
  if (hasSeparator) {
    const isClosingTag = text[start] === "/" && text[start - 1] === "<";
    return isClosingTag ? undefined : { kind: "path", start, end };
  }
  const isFile =
    lastDot > start &&
    text[run.end] !== "(" &&
    text[start - 1] !== "*" &&
    EXTENSIONS.has(text.slice(lastDot + 1, end).toLowerCase()) &&
    isNameCharacter(text.charCodeAt(lastDot - 1));
  return isFile ? { kind: "path", start, end } : undefined;
}

const isSlash = (code: number): boolean => code === SLASH || code === BACKSLASH;

const isNameCharacter = (code: number): boolean => code >= 128 || isWord(code);

function trimmedEnd(text: string, run: Range): number {
  let { end } = run;
  while (end > run.start && !isNameCharacter(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function trimmedStart(text: string, run: Range): number {
  let { start } = run;
  while (start < run.end) {
    const code = text.charCodeAt(start);
    const next = text.charCodeAt(start + 1);
    if (isNameCharacter(code)) return start;
    const canBegin = code === SLASH || code === DOT || code === AT;
    if (canBegin && isNameCharacter(next)) return start;
    if (code === SLASH && (next === DOT || next === AT) && isNameCharacter(text.charCodeAt(start + 2))) {
      return start;
    }
    // A step, or two slashes of a comment: both characters go.
    start += (code === DOT || code === SLASH) && next === SLASH ? 2 : 1;
  }
  return start;
}

/** The identifiers and numbers of a run that is no path. */
function pushNames(text: string, run: Range & { readonly into: ReferenceSpan[] }): void {
  const { start, end, into } = run;
  const last = trimmedEnd(text, run);
  if (last - start === 36 && UUID.test(text.slice(start, last))) {
    into.push({ kind: "identifier", start, end: last });
    return;
  }
  let at = start;
  while (at < end) {
    if (!isWord(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    const span = wordSpan(text, { start: at, end });
    at = span.end;
    if (span.kind !== undefined) into.push({ kind: span.kind, start: span.start, end: span.end });
  }
}

/** The word that begins here, with what kind of reference it is, if it is one. */
function wordSpan(text: string, run: Range): Range & { readonly kind: ReferenceKind | undefined } {
  const { start } = run;
  let end = start;
  let digits = 0;
  let small = 0;
  let innerCapitals = 0;
  let underscores = 0;
  while (end < run.end && isWord(text.charCodeAt(end))) {
    const code = text.charCodeAt(end);
    if (isDigit(code)) digits += 1;
    else if (code === UNDERSCORE) underscores += 1;
    else if (code >= SMALL_A) small += 1;
    else if (end > start) innerCapitals += 1;
    end += 1;
  }
  const length = end - start;
  const isVersion = digits > 0 && digits === length - 1 && (text.charCodeAt(start) | 32) === SMALL_V;
  if (digits === length || isVersion) {
    const number = numberSpan(text, { start, end: run.end });
    const isNumber = number.digits >= MIN_DIGITS && number.end - start <= MAX_IDENTIFIER;
    return { start, end: number.end, kind: isNumber ? "number" : undefined };
  }
  const hasLetter = digits + underscores < length;
  const isDistinctive = hasLetter && (digits > 0 || underscores > 0 || (innerCapitals > 0 && small > 0));
  const isName =
    isDistinctive &&
    length >= MIN_IDENTIFIER &&
    length <= MAX_IDENTIFIER &&
    !isAccented(text.charCodeAt(start - 1)) &&
    !isAccented(text.charCodeAt(end));
  return { start, end, kind: isName ? "identifier" : undefined };
}

/** Digits with the groups after dots that belong to them: `4096`, `3.14`, `v1.20.3`, `127.0.0.1`. */
function numberSpan(text: string, run: Range): Range & { readonly digits: number } {
  let end = run.start + (isDigit(text.charCodeAt(run.start)) ? 0 : 1);
  let digits = 0;
  for (;;) {
    const group = end;
    while (end < run.end && isDigit(text.charCodeAt(end))) end += 1;
    digits += end - group;
    if (text.charCodeAt(end) !== DOT || end + 1 >= run.end) break;
    let next = end + 1;
    while (next < run.end && isDigit(text.charCodeAt(next))) next += 1;
    if (next === end + 1 || isWord(text.charCodeAt(next))) break;
    end += 1;
  }
  return { start: run.start, end, digits };
}
