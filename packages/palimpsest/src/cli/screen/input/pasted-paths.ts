import { fileURLToPath } from "node:url";

const LONGEST = 8192;
const PICTURE_NAME = /\.(?:png|jpe?g|jfif|gif|webp|bmp|tiff?|heic|heif|avif|svg|ico)$/i;

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Whether a name says that it is a picture's. */
export const isPictureName = (path: string): boolean => PICTURE_NAME.test(path);

/**
 * The files that a pasted or dropped text may name, in the ways in which terminals write them: as they are, in quotes, with
 * escaped blanks, as `file://` addresses, several with blanks between them. The likeliest reading first. Empty for whatever is
 * only words: then no disk is asked.
 */
export function pastedPaths(text: string): readonly (readonly string[])[] {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > LONGEST || CONTROL.test(trimmed)) return [];
  const words = shellWords(trimmed);
  const readings = [[trimmed], ...(words === undefined ? [] : [words])].map((paths) =>
    paths.map(withoutScheme),
  );
  const likely = readings.filter((paths) => paths.length > 0 && paths.every(mayBePath));
  const keys = likely.map((paths) => paths.join("\0"));
  return likely.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

const mayBePath = (path: string): boolean =>
  !CONTROL.test(path) && (isPictureName(path) || /^(?:~?\/|[A-Za-z]:[\\/])/.test(path));

function withoutScheme(path: string): string {
  if (!/^file:\/\//i.test(path)) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}

/** The words as a shell reads them; undefined where a quote has no end. */
function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word = "";
  let isWord = false;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    const isEscape = letter === "\\" && quote !== "'" && at + 1 < text.length;
    if (isEscape) {
      at += 1;
      word += text[at] ?? "";
      isWord = true;
    } else if (letter === quote) quote = "";
    else if (quote === "" && (letter === "'" || letter === '"')) {
      quote = letter;
      isWord = true;
    } else if (quote === "" && letter === " ") {
      if (isWord) words.push(word);
      word = "";
      isWord = false;
    } else {
      word += letter;
      isWord = true;
    }
  }
  if (quote !== "") return undefined;
  return isWord ? [...words, word] : words;
}
