/** Characters of one memory file; the rest is left out, and said so. */
export const MAX_CHARACTERS = 40_000;
/** How far imports lead on from the file that begins them. */
export const MAX_DEPTH = 5;
