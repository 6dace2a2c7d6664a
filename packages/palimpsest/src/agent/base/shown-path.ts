const MAX_SHOWN = 300;

/** A path on one line of a text for the model: what would end the line, or hide, is shown as an escape. */
export const shownPath = (path: string): string =>
  path.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A path within a sentence: in quotes, and no longer than anybody reads. */
export function quotedPath(path: string): string {
  const head = path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
  return `"${shownPath(head)}"`;
}

/** Letters, digits and what names of files are commonly made of: nothing that opens a tag, a heading or a quotation. */
const plain = /[\p{L}\p{N}\p{M}_./@+~,=:-]/u;

/**
 * A name in the system prompt: of a directory, a file, a branch, a model. Whoever made it may want it to be read as
 * something else, so that it stands on one line, and in quotes with all but plain characters and blanks as escapes
 * where it is not plain throughout.
 */
export function promptName(name: string): string {
  const characters = Array.from(name);
  if (characters.every((character) => plain.test(character))) return name;
  const shown = characters.map((character) =>
    plain.test(character) || character === " "
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
  return `"${shown.join("")}"`;
}
