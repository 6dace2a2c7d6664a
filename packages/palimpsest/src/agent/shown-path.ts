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
