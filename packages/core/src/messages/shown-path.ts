/** A path as it may stand in a line of text: whatever would end the line, or hide, is shown as an escape. */
export const shownPath = (path: string): string =>
  path
    .toWellFormed()
    .replaceAll(
      /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
