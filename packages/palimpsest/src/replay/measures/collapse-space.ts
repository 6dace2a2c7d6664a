const UNEVEN_SPACE = /\s{2,}|[^\S ]/;

/** The text trimmed, with one blank for every run of white space. */
export const collapseSpace = (text: string): string =>
  (UNEVEN_SPACE.test(text) ? text.replaceAll(/\s+/g, " ") : text).trim();
